// swift-tools-version: 6.2
// One room per target; arrows only go down (see ARCHITECTURE.md). Keep the list in that order.
import PackageDescription

/// Every Swift room is held to the same rules: Swift 6 language mode, warnings are errors.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]

func room(_ name: String, _ needs: [Target.Dependency] = [], resources: [Resource] = []) -> Target {
  .target(name: name, dependencies: needs, resources: resources, swiftSettings: strict)
}

func tests(_ name: String, _ needs: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name + "Tests", dependencies: needs, exclude: exclude, swiftSettings: strict)
}

let cLibraries: [Target] = [
  .systemLibrary(name: "CRdKafka", pkgConfig: "rdkafka", providers: [.apt(["librdkafka-dev"])]),
  .systemLibrary(name: "CPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
  .systemLibrary(name: "CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
  .systemLibrary(name: "COpenSSL", pkgConfig: "libssl libcrypto", providers: [.apt(["libssl-dev"])]),
  .systemLibrary(name: "CMicrohttpd", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
  .systemLibrary(name: "CYaml", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
  .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
  .target(name: "CSystem"),
  .target(
    name: "CSimdjson", cxxSettings: [.define("SIMDJSON_THREADS_ENABLED", to: "1")],
    linkerSettings: [.linkedLibrary("simdjson")]),
]

let pureRooms: [Target] = [
  room("DoorstepActivity"),
  room("Numerics"),
  room("Domain", ["DoorstepActivity", "Numerics"]),
  room("Codecs", ["Domain", "Documents", "CSimdjson"]),
  room("Service", ["Domain", "Codecs"]),
]

let systemRooms: [Target] = [
  room("Documents", ["CYaml"]),
  room("Configuration", ["Domain", "Documents", "Codecs"]),
  room("Runtime", ["CSystem"]),
  room("Observability", ["Runtime"]),
  room("Crypto", ["Codecs", "COpenSSL"]),
  room("Certificates", ["COpenSSL"]),
  room("Kafka", ["Runtime", "CRdKafka", "CSystem"]),
  room("Postgres", ["Runtime", "CPQ"]),
  room("HTTP2", ["Runtime", "CNghttp2", "COpenSSL", "CSystem"]),
  room("HTTPServer", ["Runtime", "CMicrohttpd"]),
  room("HTTPClient", ["Runtime", "CCurl"]),
  room("APNs", ["Runtime", "HTTP2", "Crypto", "Codecs", "Service", "Domain"]),
]

let productRooms: [Target] = [
  // SQL is the folder sql/ at the top: its migrations are part of the binary.
  room(
    "Store", ["Domain", "Service", "Codecs", "Runtime", "Postgres", "Crypto"], resources: [.embedInCode("SQL")]),
  room("API", ["Domain", "Service", "Codecs", "Runtime", "HTTPServer", "Crypto", "Observability"]),
  .executableTarget(
    name: "doorstep",
    dependencies: [
      "DoorstepActivity", "Domain", "Codecs", "Documents", "Configuration", "Runtime", "Observability", "Crypto",
      "Kafka", "Postgres", "HTTP2", "HTTPServer", "HTTPClient", "APNs", "Service", "Store", "API", "APNsSimulator",
      "Playground", "Simulation",
    ], swiftSettings: strict),
]

let peerRooms: [Target] = [
  room(
    "APNsSimulator", ["Runtime", "HTTP2", "HTTPClient", "HTTPServer", "Certificates", "COpenSSL"]),
  room(
    "Playground",
    [
      "Domain", "Numerics", "Codecs", "Service", "APNsSimulator", "Runtime", "Kafka", "Postgres", "Crypto",
      "HTTPClient", "CRdKafka",
    ]),
  room("Simulation", ["Domain", "Codecs", "Service", "APNsSimulator", "Crypto"]),
  .target(
    name: "TestFixtures", dependencies: ["Playground", "Runtime", "Postgres", "Store", "Crypto", "Certificates"],
    path: "Tests/TestFixtures", swiftSettings: strict),
]

let testTargets: [Target] = [
  tests("Numerics", ["Numerics"]),
  tests("DoorstepActivity", ["DoorstepActivity"]),
  tests("Domain", ["Domain", "Numerics"]),
  tests("Documents", ["Documents"]),
  tests("Codecs", ["Codecs", "Documents", "Domain"], exclude: ["Golden"]),
  tests("Configuration", ["Configuration", "Domain", "Documents"]),
  tests("Runtime", ["Runtime", "CSystem"]),
  tests("Observability", ["Observability", "Runtime"]),
  tests("Crypto", ["Crypto", "Certificates", "COpenSSL"]),
  tests("Kafka", ["Codecs", "Documents", "Domain", "Kafka", "Playground", "Runtime", "TestFixtures"]),
  tests("Postgres", ["Postgres", "TestFixtures"]),
  tests("HTTP2", ["HTTP2", "Runtime", "Certificates", "Playground"]),
  tests("HTTPServer", ["HTTPServer", "HTTPClient", "Certificates", "Runtime", "TestFixtures"]),
  tests("APNs", ["APNs", "HTTP2", "Crypto", "Certificates", "Runtime", "Service", "Domain"]),
  tests("Service", ["Service", "Domain", "Codecs", "Simulation"]),
  tests("Store", ["Store", "Service", "Domain", "Postgres", "Runtime", "Simulation", "TestFixtures"]),
  tests(
    "API",
    [
      "API", "Service", "Domain", "Codecs", "Crypto", "Simulation", "HTTPClient", "HTTPServer", "Observability",
      "Runtime", "Documents", "Playground", "TestFixtures",
    ]),
  tests("APNsSimulator", ["APNsSimulator", "HTTP2", "HTTPClient", "COpenSSL", "TestFixtures"]),
  tests("Playground", ["Playground", "Domain", "Codecs", "APNsSimulator", "TestFixtures"]),
  tests("Simulation", ["Simulation", "Service", "Domain"]),
  tests("EndToEnd", ["doorstep", "Playground", "Codecs", "Kafka", "TestFixtures"]),
  tests("Tidy", []),
]

let package = Package(
  name: "doorstep",
  platforms: [.iOS(.v16), .macOS(.v13)],
  products: [
    .library(name: "DoorstepActivity", targets: ["DoorstepActivity"]),
    .executable(name: "doorstep", targets: ["doorstep"]),
  ],
  targets: cLibraries + pureRooms + systemRooms + productRooms + peerRooms + testTargets,
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
