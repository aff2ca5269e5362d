import Runtime
import Testing

@testable import Observability

/// A logger whose lines and clock the test holds.
private final class Bench: Sendable {
  let lines = Lock<[String]>([])
  let now = Lock(100.0)

  func logger(_ level: LogLevel = .debug, _ format: LogFormat = .json) -> Logger {
    Logger(
      level: level, format: format, clock: { (1_796_029_953_250_000, self.now.withLock { $0 }) },
      write: { line in self.lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) } })
  }

  var written: [String] { lines.withLock { $0 } }
}

@Suite struct LoggerTests {
  @Test func oneJSONObjectALine() {
    let bench = Bench()
    bench.logger().log(.recordRefused, .topic("a\"b\n"), .partition(3), .offset(9), .seconds(.infinity))
    #expect(
      bench.written == [
        #"{"time":"2026-11-30T09:12:33.250Z","level":"warning","event":"kafka.record_refused","#
          + #""text":"a record went to the dead letters","topic":"a\"b\n","partition":3,"offset":9,"seconds":null}"#
          + "\n"
      ])
  }

  @Test func aLineForPeople() {
    let bench = Bench()
    bench.logger(.info, .text).log(.listening, .address("127.0.0.1:80"))
    #expect(bench.written == ["09:12:33.250 INFO listening (http.listening) address=\"127.0.0.1:80\"\n"])
  }

  @Test func belowTheLevelNothingIsWritten() {
    let bench = Bench()
    bench.logger(.warning).log(.started)
    #expect(bench.written == [])
  }

  @Test func repeatsAreCountedNotWritten() {
    let bench = Bench()
    let logger = bench.logger()
    for _ in 0..<Logger.repeatsMax + 5 { logger.log(.databaseRetry) }
    #expect(bench.written.count == Logger.repeatsMax)
    logger.log(.started)
    #expect(bench.written.count == Logger.repeatsMax + 1, "another event is not held up")
    bench.now.withLock { $0 += Logger.windowSeconds }
    logger.log(.databaseRetry)
    #expect(bench.written.last?.hasSuffix("\"suppressed\":5}\n") == true)
    logger.log(.databaseRetry)
    #expect(bench.written.last?.contains("suppressed") == false)
  }

  @Test(arguments: [
    ("bad token a1b2c3d4e5f6a7b8c9d0a1b2c3d4e5f6a7b8!", "bad token ***!"),
    (
      "Bearer eyJhbGciOiJFUzI1NiIsImtpZCI6IkExIn0.eyJpc3MiOiJERUYxMjNHSElKIiwiaW0xMg.MEUCIQDx-9_aaaaaaaaaaaaaaaaaaaaaa",
      "Bearer ***.***.***"
    ),
    ("cannot connect to postgresql://user:hunter2@db:5432/x", "cannot connect to postgresql://***@db:5432/x"),
    ("relation doorstep_orders does not exist", "relation doorstep_orders does not exist"),
  ])
  func whatLooksSecretIsMasked(text: String, expected: String) { #expect(Redaction.masked(text) == expected) }

  @Test func longTextIsCutAtACharacter() {
    let cut = Redaction.bounded(String(repeating: "é", count: 200), bytesMax: LogField.textBytesMax)
    #expect(cut == String(repeating: "é", count: 150) + "...")
  }

  @Test func aTraceIsItsId() {
    let bench = Bench()
    bench.logger().log(.pushRefused, .trace("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
    #expect(bench.written.first?.contains(#""traceId":"4bf92f3577b34da6a3ce929d0e0e4736""#) == true)
  }
}
