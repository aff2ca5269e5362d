import Glibc
import Testing

@testable import APNsSimulator

/// Runs a program of another language against the simulator.
enum Tool {
  static let repository = String(#filePath.split(separator: "/").dropLast(3).joined(separator: "/").withSlash)

  struct Outcome {
    var status: Int32
    var output: String
  }

  static func exists(_ name: String) -> Bool {
    let path = getenv("PATH").map { String(cString: $0) } ?? ""
    return path.split(separator: ":").contains { access("\($0)/\(name)", X_OK) == 0 }
  }

  /// Standard output is returned; standard error is the test's own.
  static func run(_ program: String, _ arguments: [String]) throws -> Outcome {
    let command = ([program] + arguments).map { "'\($0)'" }.joined(separator: " ")
    let pipe = try #require(popen(command, "r"))
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&buffer, 1, buffer.count, pipe)
      if count == 0 { break }
      bytes += buffer[0..<count]
    }
    return Outcome(status: pclose(pipe) >> 8, output: String(decoding: bytes, as: UTF8.self))
  }
}

extension String {
  fileprivate var withSlash: String { "/" + self }

  var trimmed: String { String(reversed().drop { $0.isWhitespace }.reversed()) }
}
