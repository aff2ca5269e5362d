import HTTPClient
import Runtime

/// Carries the phones' requests to the API under test, a bounded number at a time. Lives on the event loop.
///
/// Without an address the requests are answered at once as an API would that agrees to everything: enough to test a
/// sender that takes tokens by other ways.
final class RegistryClient: @unchecked Sendable {
  static let inFlightMax = 128
  static let timeoutSeconds = 10.0

  private let loop: EventLoop
  private let base: String?
  private let serviceKey: String?
  private let client: HTTPClient
  private var waiting: [RegistryCall] = []
  private var next = 0
  private var inFlight = 0
  /// Called on the loop with the phone's index, the status (0: no answer) and the body.
  var onAnswer: (Int, Int, [UInt8]) -> Void = { _, _, _ in }

  init(loop: EventLoop, base: String?, serviceKey: String?) {
    self.loop = loop
    self.base = base.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    self.serviceKey = serviceKey
    var options = HTTPClient.Options()
    options.connectionsMax = 32
    client = HTTPClient(options: options)
  }

  func send(_ calls: [RegistryCall]) {
    waiting += calls
    pump()
  }

  func close() { client.close() }

  private func pump() {
    while inFlight < Self.inFlightMax, next < waiting.count {
      let call = waiting[next]
      next += 1
      inFlight += 1
      carry(call)
    }
    if next == waiting.count {
      waiting.removeAll()
      next = 0
    }
  }

  private func carry(_ call: RegistryCall) {
    guard let base else {
      return loop.execute { [self] in settle(call.phone, 200, Array(#"{"pushStart":"none"}"#.utf8)) }
    }
    var headers = [(name: "content-type", value: "application/json")]
    if let secret = call.credential ?? serviceKey { headers.append((name: "authorization", value: "Bearer \(secret)")) }
    let request = HTTPClientRequest(
      call.method, base + call.path, headers: headers, body: call.body, timeoutSeconds: Self.timeoutSeconds)
    client.send(request) { [self] result in
      loop.execute { [self] in
        switch result {
        case .success(let answer): settle(call.phone, answer.status, answer.body)
        case .failure: settle(call.phone, 0, [])
        }
      }
    }
  }

  private func settle(_ phone: Int, _ status: Int, _ body: [UInt8]) {
    inFlight -= 1
    onAnswer(phone, status, body)
    pump()
  }
}
