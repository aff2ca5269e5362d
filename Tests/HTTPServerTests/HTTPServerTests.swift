import HTTPClient
import Runtime
import Testing

@testable import HTTPServer

/// A free port of this machine, with some limit set.
func loopback(_ configure: (inout HTTPServerOptions) -> Void = { _ in }) -> HTTPServerOptions {
  var options = HTTPServerOptions(host: "127.0.0.1", port: 0)
  configure(&options)
  return options
}

/// Runs a server for one test.
func withServer(
  _ handler: HTTPHandler, options: HTTPServerOptions? = nil,
  _ body: (HTTPServer, _ base: String) async throws -> Void
) async throws {
  let server = try HTTPServer(options: options ?? loopback(), handler: handler)
  do {
    try await body(server, "http://127.0.0.1:\(server.port)")
  } catch {
    await server.stop(timeoutSeconds: 5)
    throw error
  }
  await server.stop(timeoutSeconds: 5)
}

private let echo = HTTPHandler.suspending { request in
  HTTPResponse(
    status: 201, headers: [("X-Method", request.method), ("X-Path", request.path)],
    body: request.body + request.query.flatMap { Array("&\($0.name)=\($0.value)".utf8) })
}

@Suite struct HTTPServerTests {
  @Test func aRequestArrivesAsSentAndItsAnswerComesBack() async throws {
    try await withServer(echo) { _, base in
      let client = HTTPClient()
      let answer = try await client.send(
        HTTPClientRequest("PUT", base + "/a%2Fb/%00?x=%20&verbose", body: Array("hello".utf8)))
      #expect(answer.status == 201)
      #expect(answer.header("x-method") == "PUT")
      #expect(answer.header("x-path") == "/a%2Fb/%00")
      #expect(String(decoding: answer.body, as: UTF8.self) == "hello&x=%20&verbose=")
    }
  }

  @Test(arguments: [0, 1, 1000, 1001, 5000])
  func bodiesAreTakenUpToTheLimit(size: Int) async throws {
    try await withServer(echo, options: loopback { $0.bodyBytesMax = 1000 }) { _, base in
      let client = HTTPClient()
      let body = [UInt8](repeating: 65, count: size)
      let plain = try await client.send(HTTPClientRequest("PUT", base, body: body))
      #expect(plain.status == (size <= 1000 ? 201 : 413))
      let chunked = try await client.send(
        HTTPClientRequest("PUT", base, headers: [("Transfer-Encoding", "chunked")], body: body))
      #expect(chunked.status == (size <= 1000 ? 201 : 413))
    }
  }

  @Test func manyRequestsAtOnceAreAllAnswered() async throws {
    try await withServer(echo) { _, base in
      let client = HTTPClient()
      let statuses = await withTaskGroup(of: Int.self) { group in
        for number in 0..<500 {
          group.addTask {
            let body = Array("\(number)".utf8)
            let answer = try? await client.send(HTTPClientRequest("POST", base, body: body))
            return answer?.body == body ? answer?.status ?? 0 : -1
          }
        }
        return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
      }
      #expect(statuses == [201: 500])
    }
  }

  @Test func anOccupiedPortIsSaid() async throws {
    try await withServer(echo) { server, _ in
      do {
        _ = try HTTPServer(options: HTTPServerOptions(host: "127.0.0.1", port: server.port), handler: echo)
        Issue.record("two servers on one port")
      } catch {
        #expect(
          "\(error)" == "cannot listen on 127.0.0.1:\(server.port): Address already in use; "
            + "another program uses this port: stop it, or choose another one")
      }
    }
  }

  @Test func stoppingWaitsForWhatIsInFlight() async throws {
    let entered = TimedSignal()
    let release = TimedSignal()
    let server = try HTTPServer(
      options: HTTPServerOptions(host: "127.0.0.1", port: 0),
      handler: .suspending { _ in
        entered.raise()
        await release.wait(seconds: 10)
        return HTTPResponse(status: 200)
      })
    let client = HTTPClient()
    async let answer = client.send(HTTPClientRequest("GET", "http://127.0.0.1:\(server.port)/"))
    await entered.wait(seconds: 10)
    async let stopped: Void = server.stop(timeoutSeconds: 10)
    release.raise()
    #expect(try await answer.status == 200)
    await stopped
    await #expect(throws: HTTPClientError.self) {
      try await client.send(HTTPClientRequest("GET", "http://127.0.0.1:\(server.port)/"))
    }
  }

  @Test func whatIsNotAnsweredByTheDeadlineGets503() async throws {
    let entered = TimedSignal()
    let release = TimedSignal()
    let server = try HTTPServer(
      options: HTTPServerOptions(host: "127.0.0.1", port: 0),
      handler: .suspending { _ in
        entered.raise()
        await release.wait(seconds: 10)
        return HTTPResponse(status: 200)
      })
    let client = HTTPClient()
    async let answer = client.send(HTTPClientRequest("GET", "http://127.0.0.1:\(server.port)/"))
    await entered.wait(seconds: 10)
    await server.stop(timeoutSeconds: 0.05)
    #expect(try await answer.status == 503)
    release.raise()
  }

  @Test func tooMuchAtOnceIsTurnedAway() async throws {
    let entered = TimedSignal()
    let release = TimedSignal()
    let slow = HTTPHandler.suspending { request in
      guard request.path == "/slow" else { return HTTPResponse(status: 200) }
      entered.raise()
      await release.wait(seconds: 10)
      return HTTPResponse(status: 200)
    }
    try await withServer(slow, options: loopback { $0.inFlightMax = 1 }) { _, base in
      let client = HTTPClient()
      async let held = client.send(HTTPClientRequest("GET", base + "/slow"))
      await entered.wait(seconds: 10)
      let refused = try await client.send(HTTPClientRequest("GET", base + "/"))
      #expect(refused.status == 503)
      #expect(refused.header("retry-after") == "1")
      release.raise()
      let answer = try await held
      #expect(answer.status == 200)
    }
  }

  @Test func tooLongHeadersAreRefusedByTheLibrary() async throws {
    try await withServer(echo) { _, base in
      let long = String(repeating: "a", count: 64 * 1024)
      let answer = try await HTTPClient().send(HTTPClientRequest("GET", base, headers: [("X-Long", long)]))
      #expect(answer.status == 431)
    }
  }

  @Test func aStreamIsSentAsItComes() async throws {
    let closed = TimedSignal()
    let stream = HTTPStream { closed.raise() }
    let handler = HTTPHandler.suspending { _ in HTTPResponse(status: 200, stream: stream) }
    try await withServer(handler) { _, base in
      async let answer = HTTPClient().send(HTTPClientRequest("GET", base))
      for number in 0..<100 { #expect(stream.send(Array("\(number),".utf8))) }
      stream.finish()
      let expected = (0..<100).map { "\($0)," }.joined()
      let body = try await answer.body
      #expect(String(decoding: body, as: UTF8.self) == expected)
      await closed.wait(seconds: 10)
      #expect(!stream.send([1]))
    }
  }

  @Test func aStreamThatNobodyReadsIsBounded() {
    let stream = HTTPStream()
    #expect(stream.send([UInt8](repeating: 0, count: HTTPStream.bufferBytesMax)))
    #expect(!stream.send([0]))
    #expect(!stream.send([]), "once too slow, the client is dropped")
  }
}
