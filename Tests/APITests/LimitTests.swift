import Domain
import HTTPClient
import Runtime
import Service
import Testing

@testable import API
@testable import HTTPServer

@Suite struct LimitTests {
  @Test func aBucketEmptiesAndRefills() {
    let limiter = RateLimiter()
    for _ in 0..<Int(RateLimiter.burstRequests) { #expect(limiter.take("a", now: 10) == nil) }
    #expect(limiter.take("a", now: 10) == 1)
    #expect(limiter.take("b", now: 10) == nil, "callers do not share a bucket")
    #expect(limiter.take("a", now: 10.25) == nil)
    #expect(limiter.take("a", now: 10.25) == 1)
  }

  @Test func anAppThatAsksTooOftenIsTold() async throws {
    try await withAPI { api in
      let token = api.userToken("u-1")
      var last = try await api.send("GET", "/v1/orders/o-1", as: token)
      for _ in 0..<Int(RateLimiter.burstRequests) + 20 where last.status != 429 {
        last = try await api.send("GET", "/v1/orders/o-1", as: token)
      }
      #expect(last.status == 429)
      #expect(last.response.header("retry-after") == "1")
      #expect(try await api.send("GET", "/v1/orders/o-1").status == 404, "services are not limited")
    }
  }

  @Test func aWatcherGetsTheSnapshotAndItsChanges() async throws {
    try await withAPI { api in
      try await api.place("o-1", user: "u-1")
      let stream = try #require(api.services.snapshots.watch(OrderID("o-1")))
      let order = OrderID("o-1")
      let first = try await Self.read(stream)
      #expect(first.hasPrefix("id: 42\nevent: snapshot\ndata: {\"orderId\":\"o-1\","))
      try await api.change(order, sequence: 43)
      api.services.snapshots.wake(Wakes(orders: [order]))
      #expect(try await Self.read(stream).hasPrefix("id: 43\n"))
      stream.finish()
      let denied = try await api.send("GET", "/v1/orders/o-1/stream", as: api.userToken("u-2"))
      #expect(denied.status == 404)
    }
  }

  /// The next bytes of a stream, as its client would get them.
  private static func read(_ stream: HTTPStream) async throws -> String {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let arrived = TimedSignal()
    for _ in 0..<100 {
      let next = buffer.withUnsafeMutableBytes { stream.take(into: $0) { { arrived.raise() } } }
      if case .bytes(let count) = next { return String(decoding: buffer[..<count], as: UTF8.self) }
      await arrived.wait(seconds: 10)
    }
    throw HTTPClientError.timedOut(url: "stream")
  }
}
