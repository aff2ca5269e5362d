import HTTPClient
import HTTPServer
import Runtime
import Testing

@Suite struct HTTPClientTests {
  @Test func nobodyThereIsSaid() async throws {
    await #expect(throws: HTTPClientError.self) {
      try await HTTPClient().send(HTTPClientRequest("GET", "http://127.0.0.1:1/"))
    }
  }

  @Test func aLateAnswerIsATimeOut() async throws {
    let release = TimedSignal()
    let handler = HTTPHandler.suspending { _ in
      await release.wait(seconds: 10)
      return HTTPResponse(status: 200)
    }
    try await withServer(handler) { _, base in
      await #expect(throws: HTTPClientError.timedOut(url: base)) {
        try await HTTPClient().send(HTTPClientRequest("GET", base, timeoutSeconds: 0.05))
      }
      release.raise()
    }
  }

  @Test func theQueueIsBounded() async throws {
    let release = TimedSignal()
    let handler = HTTPHandler.suspending { _ in
      await release.wait(seconds: 10)
      return HTTPResponse(status: 200)
    }
    try await withServer(handler) { _, base in
      var options = HTTPClient.Options()
      options.queueMax = 1
      let client = HTTPClient(options: options)
      let first = Lock<Int?>(nil)
      let done = TimedSignal()
      client.send(HTTPClientRequest("GET", base)) { result in
        first.withLock { $0 = (try? result.get())?.status }
        done.raise()
      }
      await #expect(throws: HTTPClientError.busy(queueMax: 1)) { try await client.send(HTTPClientRequest("GET", base)) }
      release.raise()
      await done.wait(seconds: 10)
      #expect(first.withLock { $0 } == 200)
    }
  }

  @Test func aTooLongAnswerIsRefused() async throws {
    let handler = HTTPHandler.direct { _ in HTTPResponse(status: 200, body: [UInt8](repeating: 0, count: 2000)) }
    try await withServer(handler) { _, base in
      var options = HTTPClient.Options()
      options.responseBytesMax = 1000
      let client = HTTPClient(options: options)
      await #expect(throws: HTTPClientError.self) { try await client.send(HTTPClientRequest("GET", base)) }
    }
  }

  @Test func afterClosingNothingIsSent() async throws {
    let client = HTTPClient()
    client.close()
    client.close()
    await #expect(throws: HTTPClientError.closed) {
      try await client.send(HTTPClientRequest("GET", "http://127.0.0.1:1/"))
    }
  }
}
