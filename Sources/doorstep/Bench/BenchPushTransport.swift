import HTTP2
import Runtime

/// The transport alone: requests made ahead, outcomes counted.
struct BenchPushTransport {
  let options: BenchPushOptions

  func run() async throws {
    guard let target = BenchTarget(options.target ?? "") else { throw BenchError("--target: expected host:port") }
    let tls = try TLSContext.client(trust: .file(options.caFile ?? ""))
    let settings = HTTP2ConnectionSettings(host: target.host, port: target.port, tls: tls)
    var fields = HeaderFields()
    for field in BenchPushWorkload.fields {
      fields.add(field.name, field.value, indexing: field.name.description == "authorization" ? .never : .allowed)
    }
    let body = Array(try BenchFiles.read("\(options.folder)/body").utf8)
    let paths = (0..<options.tokens).map { Array("/3/device/\(BenchPushWorkload.tokenText($0))".utf8) }
    let shared = fields
    let load = RequestLoad(
      loop: try EventLoop(name: "bench"), settings: settings, requests: options.requests, openAtOnce: options.streams
    ) { number in
      HTTP2Request(
        ticket: UInt64(number), path: paths[number % paths.count], sharedFields: shared, body: body,
        deadline: .infinity)
    }
    let report = try await load.run()
    Terminal.print(
      "succeeded=\(report.succeeded) perSecond=\((Double(report.requests) / report.wallSeconds).rounded())")
  }
}

/// `host:port`.
struct BenchTarget {
  var host: String
  var port: UInt16

  init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
      return nil
    }
    host = String(text[..<colon])
    self.port = port
  }
}
