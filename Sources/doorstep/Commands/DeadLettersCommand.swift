import Codecs
import Configuration
import Domain
import Kafka
import Runtime

extension Command {
  static let deadLetters = Command(
    name: "dead-letters",
    usage: """
      dead-letters list|replay [--code CODE]... [--topic TOPIC]... [--since RFC3339] [--limit N] [--json]
                             [--rate N] [--dry-run]
      """,
    summary: "look at refused records, or publish them to their topics again (--rate a second, default 100)",
    run: { await DeadLettersCommand.run($0) })
}

/// `doorstep dead-letters`: what lies in the dead-letter topic, and the way back.
private enum DeadLettersCommand {
  static func run(_ arguments: [String]) async -> Int32 {
    do {
      var arguments = arguments
      let kafka = try Configured(&arguments).settings.kafka
      guard let options = Options(arguments) else {
        Terminal.error("usage: doorstep \(Command.deadLetters.usage)")
        return ExitStatus.wrongUse
      }
      let properties = try KafkaProperties(kafka)
      let topic = DeadLetterTopic(brokers: kafka.brokers, topic: kafka.deadLetterTopic, properties: properties)
      let letters = try await topic.list(options.filter)
      if !options.replays || options.isDryRun { show(letters, options) }
      guard options.replays else { return ExitStatus.done }
      return try await replay(letters, topic, options)
    } catch { return Configured.report(error) }
  }

  private static func replay(
    _ letters: [DeadLetterRecord], _ topic: DeadLetterTopic, _ options: Options
  ) async throws -> Int32 {
    guard !options.isDryRun else {
      Terminal.error("dry run: \(letters.count) records would be published to their topics again")
      return ExitStatus.done
    }
    let sent = try await topic.replay(letters, perSecond: options.perSecond) { seconds in
      await TimedSignal().wait(seconds: seconds)
    }
    Terminal.error("\(sent) records published to their topics again")
    return ExitStatus.done
  }

  private static func show(_ letters: [DeadLetterRecord], _ options: Options) {
    for letter in letters { Terminal.print(options.isJSON ? json(letter) : line(letter)) }
    if !options.isJSON { Terminal.error("\(letters.count) records") }
  }

  private static func line(_ letter: DeadLetterRecord) -> String {
    "\(time(letter) ?? "-")  \(letter.origin.topic)/\(letter.origin.partition)@\(letter.originOffset)  "
      + "\(letter.code)  \(letter.message)"
  }

  private static func json(_ letter: DeadLetterRecord) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("time", time(letter))
    writer.member("topic", letter.origin.topic)
    writer.member("partition", letter.origin.partition)
    writer.member("offset", letter.originOffset)
    writer.member("group", letter.group)
    writer.member("code", letter.code)
    writer.member("message", letter.message)
    writer.member("key", letter.record.key.map { String(decoding: $0, as: UTF8.self) })
    writer.member("valueBytes", letter.record.value?.count)
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private static func time(_ letter: DeadLetterRecord) -> String? {
    letter.record.timestampMilliseconds.map { RFC3339.format(Instant(milliseconds: $0)) }
  }
}

/// The arguments of `doorstep dead-letters`.
private struct Options {
  var replays: Bool
  var filter = DeadLetterFilter()
  var perSecond = 100
  var isDryRun = false
  var isJSON = false

  init?(_ arguments: [String]) {
    var rest = arguments[...]
    guard let action = rest.popFirst(), ["list", "replay"].contains(action) else { return nil }
    replays = action == "replay"
    while let name = rest.popFirst() {
      switch name {
      case "--json": isJSON = true
      case "--dry-run": isDryRun = true
      default:
        guard let value = rest.popFirst(), take(name, value) else { return nil }
      }
    }
  }

  private mutating func take(_ name: String, _ value: String) -> Bool {
    switch name {
    case "--code": filter.codes.insert(value)
    case "--topic": filter.topics.insert(value)
    case "--since":
      guard let since = RFC3339.parse(value) else { return false }
      filter.sinceMilliseconds = since.milliseconds
    case "--limit":
      guard let limit = Int(value), limit > 0 else { return false }
      filter.limit = limit
    case "--rate":
      guard let rate = Int(value), rate > 0 else { return false }
      perSecond = rate
    default: return false
    }
    return true
  }
}
