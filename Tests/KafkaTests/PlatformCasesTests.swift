import Domain
import Kafka
import Testing

/// Faults seen in the field, on a real broker, through a mapping. Each runs as one order's records among good ones.
@Suite struct PlatformCasesTests {
  /// Numbers that are none, or none of ours, are refused; the next good event of the order works.
  @Test func numbersThatCannotBeSequences() async throws {
    var platform = Platform()
    let numbers = [
      "1147e02864": "notJSON", "1e400": "notJSON", "1e19": "wrongType", "123456789012345678901234567890": "notJSON",
      "-9223372036854775809": "notJSON", "1.5": "wrongType", "01": "notJSON", "1.0": "wrongType", "1e3": "wrongType",
      "0": "outOfRange", "18446744073709551615": "outOfRange",
    ]
    for number in numbers.keys { platform.status("o-1", number, "READY", label: number) }
    platform.status("o-1", "1001", "ACCEPTED")
    let story = try await platform.run("numbers")
    #expect(story.refused == numbers)
    #expect(story.stage("o-1") == .accepted)
  }

  /// One key twice is refused, wherever it stands: no event of order B while it is keyed A.
  @Test func equalKeysAreRefused() async throws {
    var platform = Platform()
    platform.status("A", "5,\"seq\":9", "READY", label: "sequence")
    platform.raw(
      #"{"id":"2","type":"order.status","order":"A","order":"B","seq":8,"at":"2026-05-04T11:20:00Z","data":{}}"#,
      label: "order")
    platform.status("A", "7", "DELIVERED\",\"status\":\"PREPARING", label: "status")
    let story = try await platform.run("equal-keys")
    #expect(story.refused == ["sequence": "duplicateKey", "order": "duplicateKey", "status": "duplicateKey"])
    #expect(story.deliveries.isEmpty)
  }

  /// U+0000 leaves texts, is refused in ids, and stops nobody else.
  @Test func nullCharacters() async throws {
    var platform = Platform()
    platform.raw(
      #"{"id":"1","type":"order.created","order":"o-5","seq":1,"at":"2026-05-04T11:20:00Z","#
        + #""data":{"merchant":"\u0000Noodle\u0000Lab\u0000","note":"literal \\u0000 stays"}}"#)
    platform.raw(
      #"{"id":"2","type":"order.status","order":"o-5","seq":2,"at":"2026-05-04T11:20:00Z","#
        + #""data":{"status":"ACCEPTED","a\u0000b":"x"}}"#)
    platform.status("o-\\u00005", "3", "READY", label: "id")
    for index in 0..<50 { platform.status("good-\(index)", "1", "CREATED") }
    let story = try await platform.run("nulls")
    #expect(story.refused == ["id": "badIdentifier"])
    #expect(story.stage("o-5") == .accepted)
    #expect(story.deliveries.count == 51)
  }

  /// Up to the documented depth nesting is taken, beyond it is refused, at once and whatever it is made of.
  @Test func deepNesting() async throws {
    var platform = Platform()
    var expected: [String: String] = [:]
    for depth in [100, 510, 512, 10_000, 100_000] {
      let array = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      let object = String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
      for (kind, extra) in [("array", array), ("object", object)] {
        let label = "\(kind) \(depth)"
        platform.status("o-7", "1", "ACCEPTED", label: label, rest: ",\"extra\":\(extra)")
        if depth >= 512 { expected[label] = "tooDeep" }
      }
    }
    platform.status("o-7", "50", "READY")
    let story = try await platform.run("nesting")
    #expect(story.refused == expected)
    #expect(story.stage("o-7") == .ready)
  }

  /// A counter that begins again: later events with lower numbers do not move the order; a terminal one still wins.
  @Test func sequencesThatBeginAgain() async throws {
    var platform = Platform()
    for sequence in 1...9 { platform.status("o-9", "\(sequence)", "PREPARING", id: "a\(sequence)") }
    for sequence in 1...2 {
      platform.status("o-9", "\(sequence)", "READY", id: "b\(sequence)", at: "2026-05-04T11:30:00Z")
    }
    platform.status("o-9", "3", "DELIVERED", id: "b3", at: "2026-05-04T11:31:00Z")
    let story = try await platform.run("restart-of-numbers")
    #expect(story.stage("o-9") == .delivered)
    #expect(story.stages[OrderID("o-9")]?.suffix(3) == [.preparing, .preparing, .delivered])
  }

  /// The same number with other content ends in one state whatever the order of arrival, and is said.
  @Test func sameSequenceOtherContent() async throws {
    var platform = Platform()
    for (id, word) in [("a", "READY"), ("b", "CANCELLED"), ("a", "READY"), ("c", "READY")] {
      platform.status("o-11", "4", word, id: id)
    }
    let forward = try await platform.run("conflict")
    let backward = try await platform.run("conflict-back") { $0.offset > $1.offset }
    #expect(forward.stage("o-11") == backward.stage("o-11"))
    for story in [forward, backward] { #expect(story.verdicts[OrderID("o-11")]?.contains(.conflict) == true) }
  }

  /// The table of time spellings in docs/events.md, one order per spelling.
  @Test func timeSpellings() async throws {
    let taken = [
      "2026-03-08T02:30:00Z", "2026-03-08T02:30:00.123Z", "2026-03-08T02:30:00+08:00", "2025-12-31T23:59:60Z",
      "2026-03-08T02:30:00-00:00", "2026-03-08T02:30:00.123456789Z", "2026-03-08t02:30:00z",
    ]
    let refused = [
      "2026-03-08T02:30:00", "2026-03-08 02:30:00Z", "2026-03-08T02:30:00 +08:00", "2026-03-08T24:00:00Z",
      "2026-02-30T00:00:00Z", "0000-00-00T00:00:00Z", "20260308T023000Z", "2026-03-08T02:30:00+0800", "",
    ]
    var platform = Platform()
    for time in taken + refused { platform.status("o \(time)", "1", "ACCEPTED", at: time, label: time) }
    let story = try await platform.run("times")
    #expect(Set(story.refused.keys) == Set(refused))
    #expect(Set(story.refused.values) == ["badTime"])
    #expect(story.deliveries.count == taken.count)
  }

  /// Positions that no place on earth has are refused; legal ones, odd as they are, reach the rider's filter.
  @Test func positions() async throws {
    var platform = Platform()
    func position(_ latitude: String, _ longitude: String, _ accuracy: String, _ rider: String) -> String {
      #"{"id":"p","type":"rider.location","order":"o","seq":1,"at":"2026-05-04T11:20:00Z","data":{"rider":"\#(rider)","#
        + #""lat":\#(latitude),"lon":\#(longitude),"accM":\#(accuracy),"speedMps":6.0}}"#
    }
    let refused = [
      ("91", "0", "8", "outOfRange"), ("0", "181", "8", "outOfRange"), ("-90.0001", "10", "8", "outOfRange"),
      ("101.2345", "12.3456", "8", "outOfRange"), ("12.3", "101.2", "-1", "outOfRange"),
      ("\"12.3\"", "101.2", "8", "wrongType"), ("null", "101.2", "8", "missingField"),
    ]
    var expected: [String: String] = [:]
    for (latitude, longitude, accuracy, code) in refused {
      let label = "\(latitude) \(longitude) \(accuracy)"
      expected[label] = code
      platform.raw(position(latitude, longitude, accuracy, "r-1"), label: label)
    }
    let legal = [("0", "0"), ("90", "180"), ("-90", "-180"), ("45.6", "12.3"), ("0.0001", "0.0002")]
    for (latitude, longitude) in legal { platform.raw(position(latitude, longitude, "5000", "r-2")) }
    let story = try await platform.run("positions")
    #expect(story.refused == expected)
    #expect(story.fixes[RiderID("r-1")] == nil)
    #expect(story.fixes[RiderID("r-2")]?.count == legal.count)
  }

  /// Words that are not in the mapping change nothing and are kept apart by name; one of another type is refused.
  @Test func unknownWords() async throws {
    var platform = Platform()
    for (sequence, word) in ["HANDED_TO_LOCKER", "", "delivered", " DELIVERED"].enumerated() {
      platform.status("o-17", "\(sequence + 1)", word)
    }
    platform.raw(
      #"{"id":"5","type":"order.levitated","order":"o-17","seq":5,"at":"2026-05-04T11:20:00Z","data":{"h":3}}"#)
    platform.raw(
      #"{"id":"6","type":"order.status","order":"o-17","seq":6,"at":"2026-05-04T11:20:00Z","#
        + #""data":{"status":{"code":"READY"}}}"#, label: "object")
    platform.status("o-17", "7", "PICKED_UP", rest: ",\"extra\":{\"a\":[1,2,3]}")
    platform.status("o-17", "8", "DELIVERED")
    let story = try await platform.run("words")
    #expect(story.skipped == ["HANDED_TO_LOCKER", "", "delivered", "?DELIVERED", "unmatched"])
    #expect(story.refused == ["object": "wrongType"])
    #expect(story.stage("o-17") == .delivered)
  }

  /// Ids are kept byte for byte, or refused when they could break a line, a header or a limit.
  @Test func orderIds() async throws {
    var platform = Platform()
    for id in ["o-\\\"quoted\\\"", "../../etc", "o 1", "o-café"] { platform.status(id, "1", "CREATED") }
    let long = String(repeating: "x", count: 102_400)
    for (label, id) in [("tab", "o\\t2"), ("header", "o\\r\\napns-topic: x"), ("empty", ""), ("long", long)] {
      platform.status(id, "1", "CREATED", label: label)
    }
    let story = try await platform.run("ids")
    #expect(Set(story.refused.keys) == ["tab", "header", "empty", "long"])
    #expect(Set(story.refused.values) == ["badIdentifier"])
    #expect(Set(story.deliveries.keys.map(\.text)) == ["o-\"quoted\"", "../../etc", "o 1", "o-café"])
  }

  /// The whole record is validated, not only what is read.
  @Test func faultsInFieldsThatAreNotRead() async throws {
    var platform = Platform()
    let faults = [
      "half pair": #""\ud83d""#, "infinite": "1e400", "minus": "-", "zero": "01", "escape": #""\q""#, "open": "0.1e",
    ]
    platform.status("good", "1", "CREATED")
    for (label, text) in faults { platform.status("bad", "1", "CREATED", label: label, rest: ",\"ext\":\(text)") }
    let head = #"{"id":"e","type":"order.status","order":"bad","seq":1,"at":"2026-05-04T11:20:00Z","x":""#
    let notUTF8 = Array(head.utf8) + [0xff, 0xfe] + Array(#"","data":{"status":"READY"}}"#.utf8)
    platform.bytes(notUTF8, label: "bytes")
    platform.status("good", "2", "ACCEPTED")
    let story = try await platform.run("unread")
    #expect(Set(story.refused.keys) == Set(faults.keys).union(["bytes"]))
    #expect(story.refused["bytes"] == "notUTF8")
    #expect(story.deliveries.keys.map(\.text) == ["good"])
    #expect(story.stage("good") == .accepted)
  }

  /// Unreadable records do not hold their partition up.
  @Test func garbageBetweenGoodRecords() async throws {
    var platform = Platform()
    platform.status("o-1", "1", "CREATED")
    platform.bytes([0x00, 0xff, 0x11, 0xfe, 0x03, 0x09], label: "binary")
    platform.status("o-2", "1", "CREATED")
    platform.raw(#"{"id":"x","type":"order.status","order":"o-1","se"#, label: "cut")
    platform.status("o-1", "2", "ACCEPTED")
    platform.bytes([0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0], label: "gzip")
    platform.status("o-2", "2", "DELIVERED")
    let story = try await platform.run("garbage")
    #expect(Set(story.refused.keys) == ["binary", "cut", "gzip"])
    #expect(story.stage("o-1") == .accepted)
    #expect(story.stage("o-2") == .delivered)
    #expect(story.read == 7)
  }

  /// Partitions were added: later events come first. The state is the newest, the late ones are stale.
  @Test func anOrderOnTwoPartitions() async throws {
    var platform = Platform()
    for (sequence, word) in ["CREATED", "ACCEPTED", "PREPARING"].enumerated() {
      platform.status("o-11", "\(sequence + 1)", word, partition: 0)
    }
    for (sequence, word) in ["PICKED_UP", "ARRIVED", "DELIVERED"].enumerated() {
      platform.status("o-11", "\(sequence + 4)", word, partition: 3)
    }
    let story = try await platform.run("two-partitions", partitions: 4) {
      ($1.partition, $0.offset) < ($0.partition, $1.offset)
    }
    #expect(story.stage("o-11") == .delivered)
    #expect(story.read == 6)
    #expect(story.verdicts[OrderID("o-11")]?.prefix(3).allSatisfy { $0 == .applied } == true)
  }

  /// Rescheduled, moved and handed over, as this platform says it.
  @Test func wholeStory() async throws {
    func event(_ type: String, _ sequence: Int, _ data: String) -> String {
      #"{"id":"e\#(sequence)","type":"\#(type)","order":"o-1","seq":\#(sequence),"at":"2026-05-04T11:20:00Z","#
        + #""data":\#(data)}"#
    }
    var platform = Platform()
    platform.raw(event("order.created", 1, #"{"user":"u-1","window":["2026-05-05T11:00:00Z","2026-05-05T11:30:00Z"]}"#))
    platform.raw(
      event("order.rescheduled", 2, #"{"window":["2026-05-05T13:00:00+01:00","2026-05-05T13:30:00+01:00"]}"#))
    platform.raw(event("order.address", 3, #"{"dest":{"lat":12.41,"lon":101.22}}"#))
    platform.raw(event("rider.assigned", 4, #"{"rider":"r-30","name":"Rider A"}"#))
    platform.raw(event("rider.assigned", 5, #"{"rider":"r-31","name":"Rider B"}"#))
    platform.raw(event("rider.unassigned", 6, #"{"rider":null}"#))
    platform.raw(event("rider.assigned", 7, #"{"rider":"r-30","name":"Rider A"}"#))
    let story = try await platform.run("story")
    let delivery = try #require(story.deliveries[OrderID("o-1")])
    #expect(story.refused.isEmpty)
    #expect(delivery.user == UserID("u-1"))
    #expect(delivery.rider == RiderID("r-30"))
    #expect(delivery.schedule?.from == Instant(seconds: 1_777_982_400))
  }
}
