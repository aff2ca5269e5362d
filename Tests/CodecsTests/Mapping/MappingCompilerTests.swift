import Codecs
import Documents
import Domain
import Testing

@Suite struct MappingCompilerTests {
  private func problem(_ text: String) -> String? {
    do {
      _ = try Mapping(try Document.parse(Array(text.utf8), file: "m.yaml"))
      return nil
    } catch {
      return error.description
    }
  }

  private func topic(_ entry: String, fields: String = "type: /t, subject: /s, time: /at, sequence: /n") -> String {
    "version: 1\ntopics:\n  - {topics: [a], role: orders\(entry), events: [{fields: {\(fields)}}]}"
  }

  @Test func theSmallestMappingIsTaken() { #expect(problem(topic("")) == nil) }

  @Test(arguments: [
    ("version: 2\ntopics: []", "m.yaml:1:10: expected a whole number from 1 to 1, found 2"),
    ("topics: []", "m.yaml:1:1: 'version' is required here and missing"),
    ("version: 1\ntopcs: []", "m.yaml:2:1: there is no 'topcs' here; did you mean 'topics'?"),
    (
      "version: 1\ntopics:\n  - {topics: [a], role: order, events: []}",
      "m.yaml:3:25: expected one of orders, riders, found 'order'"
    ),
    ("version: 1\ntopics:\n  - {topics: [a], role: orders, events: []}", "m.yaml:3:41: expected at least one event"),
    (
      "version: 1\ntopics:\n  - {topics: [a*b], role: orders, "
        + "events: [{fields: {type: /t, subject: /s, time: /a, sequence: /n}}]}",
      "m.yaml:3:15: expected a topic's name, or the beginning of names followed by *"
    ),
  ])
  func refusesFiles(text: String, message: String) {
    #expect(problem(text) == message)
  }

  @Test(arguments: [
    ("type: /t, subject: /s, time: /at", "the field 'sequence' is required and missing"),
    ("type: /t, time: /at, sequence: /n", "the field 'subject' is required and missing"),
    ("type: /t, subject: s, time: /at, sequence: /n", "expected a JSON Pointer such as"),
    ("type: /t, subject: 'each:/s', time: /at, sequence: /n", "'each:' needs an 'each' in this event"),
    ("type: {constant: order.flown}, subject: /s, time: /at, sequence: /n", "there is no event type 'order.flown'"),
    ("type: {from: /t, words: {A: order.gone}}, subject: /s, time: /at, sequence: /n", "no event type 'order.gone'"),
    ("type: /t, subject: /s, time: {from: /at, format: iso}, sequence: /n", "expected one of rfc3339"),
    ("type: /t, subject: {from: /s, format: rfc3339}, time: /at, sequence: /n", "'format' is for times"),
    ("type: /t, subject: {from: /s, unit: knots}, time: /at, sequence: /n", "'unit' is for positions and speeds"),
    ("type: /t, subject: {constant: x, from: /s}, time: /at, sequence: /n", "'constant' stands alone"),
    ("type: /t, subject: /s, time: /at, sequence: /n, data.ridr.id: /r", "did you mean 'data.rider.id'?"),
    ("type: /t, subject: [], time: /at, sequence: /n", "expected at least one place to read from"),
    ("type: /a~2b, subject: /s, time: /at, sequence: /n", "expected a JSON Pointer such as"),
  ])
  func refusesFields(fields: String, message: String) {
    let given = problem(topic("", fields: fields))
    #expect(given?.hasPrefix("m.yaml:3:") == true)
    #expect(given?.contains(message) == true, "\(given ?? "taken")")
  }

  @Test func topicsAndSpacesMustNotContradict() {
    let entry = "{topics: [a], role: orders, events: [{fields: {type: /t, subject: /s, time: /at, sequence: /n}}]}"
    let timed = "{topics: [b], role: orders, sequence: time, events: [{fields: {type: /t, subject: /s, time: /at}}]}"
    #expect(problem("version: 1\ntopics: [\(entry), \(entry)]")?.contains("already mapped") == true)
    #expect(problem("version: 1\ntopics: [\(entry), \(timed)]")?.contains("another rank or sequence mode") == true)
    #expect(problem(topic(", sequence: time"))?.contains("'sequence' is not read") == true)
    #expect(problem(topic(", namespace: 'a b'"))?.contains("without spaces") == true)
  }

  /// Rider events on a topic with explicit sequences need none of their own.
  @Test func positionsNeedNoSequence() {
    #expect(problem(topic("", fields: "type: {constant: rider.location}, subject: /s, time: /at")) == nil)
  }

  @Test func topicsThatAreNotNamedKeepTheBuiltInForm() throws {
    let mapping = try Mapping(try Document.parse(Array(topic("").utf8), file: "m.yaml"))
    #expect(mapping.maps(topic: "a", role: .orders))
    #expect(!mapping.maps(topic: "b", role: .orders))
    #expect(!mapping.maps(topic: "a", role: .riders))
  }
}
