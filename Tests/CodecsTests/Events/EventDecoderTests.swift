import Codecs
import Domain
import Testing

@Suite struct EventDecoderTests {
  private let decoder = EventDecoder()
  private let now = Instant(seconds: 1_796_030_000)

  private func decode(
    _ text: String, role: TopicRole = .orders, key: String? = nil, headers: [(name: String, value: [UInt8])] = []
  ) -> Decoded {
    decoder.decode(
      topicRole: role, topic: "t", key: key.map { Array($0.utf8) }, value: Array(text.utf8), headers: headers, now: now)
  }

  private func envelope(
    _ type: String, data: String = "{}", subject: String = "\"o-1\"", sequence: String = "7",
    time: String = "\"2026-11-30T09:12:33.25Z\"", extra: String = ""
  ) -> String {
    #"{"specversion":"1.0","id":"e-1","source":"/s","type":"\#(type)","subject":\#(subject),"time":\#(time),"#
      + #""sequence":\#(sequence),"data":\#(data)\#(extra)}"#
  }

  private func order(_ decoded: Decoded, _ location: SourceLocation = #_sourceLocation) -> OrderEvent? {
    guard case .event(.order(let event)) = decoded else {
      Issue.record("not an order event: \(decoded)", sourceLocation: location)
      return nil
    }
    return event
  }

  private func code(_ decoded: Decoded) -> Refusal.Code? {
    guard case .refused(let refusal) = decoded else { return nil }
    return refusal.reason
  }

  @Test func readsAnOrderEventWhole() throws {
    let data = """
      {"userId":"u-1","placedByInstallationId":"i-1","app":"com.example.app","kind":"food",
       "store":{"id":"s-1","name":"Café \\"Sol\\"","location":{"latitude":31.5,"longitude":121}},
       "destination":{"location":{"latitude":31.25,"longitude":-121.5}},
       "rider":{"id":"r-7","name":"Lin","vehicle":"bike","location":{"latitude":0,"longitude":180}},
       "promisedAt":"2026-11-30T10:00:00Z","scheduledWindow":["2026-11-30T09:00:00Z","2026-11-30T10:00:00Z"],
       "estimatedReadyAt":"2026-11-30T09:30:00Z","stopsBefore":2,"eta":"2026-11-30T09:50:00Z",
       "deliveredAt":"2026-11-30T09:51:00Z","reason":"r","by":"customer","attributes":{"door":"2"},
       "unknown":[1,{"deep":null}]}
      """
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    let text = envelope("order.picked_up", data: data, extra: #","traceparent":"\#(trace)","other":1"#)
    let event = try #require(order(decode(text, key: "o-1")))
    #expect(event.order == OrderID("o-1"))
    #expect(event.what == .stage(.pickedUp))
    #expect(event.eventID == "e-1")
    #expect(event.traceparent == trace)
    #expect(event.stamp.sequence == 7)
    #expect(event.stamp.space.name == "orders")
    #expect(event.stamp.time == Instant(microseconds: 1_796_029_953_250_000))
    var expected = OrderChanges()
    expected.user = UserID("u-1")
    expected.placedBy = InstallationID("i-1")
    expected.app = "com.example.app"
    expected.kind = "food"
    expected.store = StoreInfo(
      id: "s-1", name: "Café \"Sol\"", location: Coordinate(latitude: 31.5, longitude: 121))
    expected.destination = Coordinate(latitude: 31.25, longitude: -121.5)
    expected.rider = RiderInfo(
      id: RiderID("r-7"), name: "Lin", vehicle: "bike", location: Coordinate(latitude: 0, longitude: 180))
    expected.promisedAt = RFC3339.parse("2026-11-30T10:00:00Z")
    let from = try #require(RFC3339.parse("2026-11-30T09:00:00Z"))
    expected.schedule = ScheduleWindow(from: from, to: from.advanced(by: 3600))
    expected.estimatedReadyAt = from.advanced(by: 1800)
    expected.stopsBefore = 2
    expected.platformArrival = from.advanced(by: 3000)
    expected.deliveredAt = from.advanced(by: 3060)
    expected.reason = "r"
    expected.cancelledBy = "customer"
    expected.attributes = ["door": "2"]
    #expect(event.changes == expected)
  }

  @Test(arguments: [
    ("order.placed", OrderHappening.stage(.placed)), ("order.accepted", .stage(.accepted)),
    ("order.preparing", .stage(.preparing)), ("order.ready", .stage(.ready)), ("order.rider_at_store", .riderAtStore),
    ("order.picked_up", .stage(.pickedUp)), ("order.delivering", .stage(.delivering)),
    ("order.arriving", .stage(.arriving)), ("order.delivered", .stage(.delivered)),
    ("order.cancelled", .stage(.cancelled)), ("order.failed", .stage(.failed)),
    ("order.returning", .stage(.returning)), ("order.returned", .stage(.returned)), ("order.updated", .updated),
    ("order.rider_unassigned", .riderUnassigned),
  ])
  func knowsEveryType(type: String, what: OrderHappening) {
    #expect(order(decode(envelope(type)))?.what == what)
  }

  @Test func riderAssignedNeedsTheRider() {
    #expect(code(decode(envelope("order.rider_assigned"))) == .missingField)
    #expect(code(decode(envelope("order.rider_assigned", data: #"{"rider":{"name":"L"}}"#))) == .missingField)
    #expect(order(decode(envelope("order.rider_assigned", data: #"{"rider":{"id":"r"}}"#)))?.what == .riderAssigned)
  }

  @Test func reopenedNamesAStageThatRuns() {
    #expect(order(decode(envelope("order.reopened", data: #"{"stage":"ready"}"#)))?.what == .reopened(.ready))
    #expect(code(decode(envelope("order.reopened"))) == .missingField)
    #expect(code(decode(envelope("order.reopened", data: #"{"stage":"delivered"}"#))) == .unknownWord)
    #expect(code(decode(envelope("order.reopened", data: #"{"stage":"READY"}"#))) == .unknownWord)
  }

  @Test func unknownTypesAreSkippedAndPrintable() {
    #expect(decode(envelope("order.teleported")) == .skipped(type: "order.teleported"))
    #expect(decode(envelope("Order.Placed")) == .skipped(type: "Order.Placed"))
    #expect(
      decode(envelope("a b\\n" + String(repeating: "x", count: 100))).self
        == .skipped(
          type: "a?b?" + String(repeating: "x", count: 60)))
    #expect(decode(envelope("rider.location")) == .skipped(type: "rider.location"))
    #expect(decode(envelope("order.placed"), role: .riders) == .skipped(type: "order.placed"))
  }

  @Test(arguments: [
    ("1", Int64(1)), ("\"42\"", 42), ("\"007\"", 7), ("9223372036854775807", .max), ("\"9223372036854775807\"", .max),
  ])
  func readsSequences(text: String, sequence: Int64) {
    #expect(order(decode(envelope("order.ready", sequence: text)))?.stamp.sequence == sequence)
  }

  @Test(arguments: [
    ("0", Refusal.Code.outOfRange), ("-1", .outOfRange), ("\"0\"", .outOfRange), ("9223372036854775808", .outOfRange),
    ("\"9223372036854775808\"", .outOfRange), ("1.0", .wrongType), ("1.5", .wrongType), ("1e3", .wrongType),
    ("\"1e3\"", .wrongType), ("\"-1\"", .wrongType), ("\"\"", .wrongType), ("\" 1\"", .wrongType), ("true", .wrongType),
    ("[1]", .wrongType), ("null", .missingField), ("01", .notJSON), ("1147e02864", .notJSON),
    ("123456789012345678901234567890", .notJSON),
  ])
  func refusesSequences(text: String, reason: Refusal.Code) {
    #expect(code(decode(envelope("order.ready", sequence: text))) == reason)
  }

  @Test(arguments: [
    ("\"a\\\"b\"", true), ("\"../../x\"", true), ("\"o 1\"", true), ("\"订单-1\"", true), ("\"\"", false),
    ("\"a\\tb\"", false), ("\"a\\r\\nX: y\"", false), ("\"a\\u0000\"", false), ("\"\\u007f\"", false), ("1", false),
    ("null", false),
  ])
  func decidesIdentifiers(subject: String, isTaken: Bool) {
    let decoded = decode(envelope("order.ready", subject: subject))
    if isTaken { _ = order(decoded) } else { #expect(code(decoded) != nil) }
  }

  @Test func identifiersHaveALimit() {
    func subject(_ bytes: Int) -> String { "\"" + String(repeating: "x", count: bytes) + "\"" }
    let limit = EventLimits.identifierBytesMax
    #expect(order(decode(envelope("order.ready", subject: subject(limit))))?.order.text.utf8.count == limit)
    #expect(code(decode(envelope("order.ready", subject: subject(limit + 1)))) == .badIdentifier)
    #expect(code(decode(envelope("order.ready", subject: subject(100_000)))) == .badIdentifier)
  }

  @Test func keyAndSubjectMustAgree() {
    #expect(code(decode(envelope("order.ready"), key: "o-2")) == .keyMismatch)
    #expect(order(decode(envelope("order.ready"), key: nil)) != nil)
  }

  @Test func textsLoseNullsAndLength() {
    let long = String(repeating: "餐", count: 1_300)
    let event = order(
      decode(envelope("order.ready", data: #"{"store":{"name":"\u0000a\u0000b"},"reason":"\#(long)"}"#)))
    #expect(event?.changes.store?.name == "ab")
    #expect(event?.changes.reason == String(repeating: "餐", count: EventLimits.textBytesMax / 3))
    let literal = order(decode(envelope("order.ready", data: #"{"store":{"name":"\\u0000"}}"#)))
    #expect(literal?.changes.store?.name == "\\u0000")
    let blank = order(decode(envelope("order.ready", data: #"{"store":{"name":"  "}}"#)))
    #expect(blank?.changes.store == nil)
    let family = "👨‍👩‍👧‍👦"
    let families = order(
      decode(envelope("order.ready", data: #"{"reason":"\#(String(repeating: family, count: 200))"}"#)))
    #expect(families?.changes.reason == String(repeating: family, count: EventLimits.textBytesMax / family.utf8.count))
  }

  @Test(
    arguments: [
      (#"{"stopsBefore":-1}"#, Refusal.Code.outOfRange), (#"{"stopsBefore":1001}"#, .outOfRange),
      (#"{"stopsBefore":"1"}"#, .wrongType), (#"{"stopsBefore":0.5}"#, .wrongType), (#"{"userId":5}"#, .wrongType),
      (#"{"rider":"r-7"}"#, .wrongType), (#"{"rider":[]}"#, nil), (#"{"promisedAt":"soon"}"#, .badTime),
      (#"{"promisedAt":1796029953}"#, .wrongType),
      (#"{"destination":{"location":{"latitude":91,"longitude":0}}}"#, .outOfRange),
      (#"{"destination":{"location":{"latitude":9}}}"#, .missingField),
      (#"{"destination":{"location":{"latitude":"9","longitude":1}}}"#, .wrongType),
      (#"{"scheduledWindow":["2026-11-30T10:00:00Z","2026-11-30T09:00:00Z"]}"#, .outOfRange),
      (#"{"scheduledWindow":["2026-11-30T10:00:00Z"]}"#, .missingField), (#"{"attributes":{"a":1}}"#, .wrongType),
      (#"{"attributes":[]}"#, .wrongType), (#""text""#, .wrongType), ("[]", nil), ("null", nil),
      (#"{"a":1,"a":2}"#, .duplicateKey), (#"{"x":"\ud800"}"#, .notJSON), (#"{"x":1e400}"#, .notJSON),
      (#"{"x":"\x"}"#, .notJSON),
    ] as [(String, Refusal.Code?)])
  func decidesData(data: String, reason: Refusal.Code?) {
    let decoded = decode(envelope("order.ready", data: data))
    #expect(code(decoded) == reason)
  }

  @Test(arguments: [
    (#"{"specversion":"0.3","type":"order.ready"}"#, Refusal.Code.unsupportedVersion), ("{}", .missingField),
    (#"{"specversion":1}"#, .wrongType), ("[]", .wrongType), ("3", .wrongType), ("", .empty), ("{", .notJSON),
    ("\u{feff}{}", .notJSON), (#"{"specversion":"1.0","data_base64":"AA=="}"#, .unsupportedFormat),
    ("\u{0}\u{0}\u{0}\u{0}\u{1}x", .unsupportedFormat),
    (String(repeating: "[", count: 200_000) + String(repeating: "]", count: 200_000), .tooDeep),
  ])
  func refusesOtherDocuments(text: String, reason: Refusal.Code) {
    #expect(code(decode(text)) == reason)
  }

  @Test func valuesHaveALimit() {
    let frame = envelope("order.ready", data: "{\"x\":\"\"}").utf8.count
    func padded(to bytes: Int) -> Decoded {
      decode(envelope("order.ready", data: "{\"x\":\"" + String(repeating: "y", count: bytes - frame) + "\"}"))
    }
    #expect(code(padded(to: EventLimits.recordBytesMax)) == nil)
    #expect(code(padded(to: EventLimits.recordBytesMax + 1)) == .tooLarge)
  }

  @Test func futureTimesAreTakenFromOrdersOnly() {
    let ahead = "\"2026-11-30T09:40:00Z\""
    #expect(order(decode(envelope("order.ready", time: ahead)))?.stamp.time == RFC3339.parse("2026-11-30T09:40:00Z"))
    let data = #"{"location":{"latitude":1,"longitude":2}}"#
    #expect(code(decode(envelope("rider.location", data: data, time: ahead), role: .riders)) == .futureTime)
  }

  @Test func readsPositions() {
    let data =
      #"{"location":{"latitude":-90,"longitude":180},"accuracyMeters":8.5,"speedMetersPerSecond":-1,"#
      + #""headingDegrees":90}"#
    let text = envelope("rider.location", data: data, subject: "\"r-7\"", sequence: "null")
    let time = Instant(microseconds: 1_796_029_953_250_000)
    guard let pole = Coordinate(latitude: -90, longitude: 180) else { return }
    let fix = Fix(coordinate: pole, time: time, accuracyMeters: 8.5, speedMetersPerSecond: nil, headingDegrees: 90)
    #expect(
      decode(text, role: .riders, key: "r-7")
        == .event(.rider(RiderEvent(rider: RiderID("r-7"), what: .position(fix), time: time))))
    #expect(
      decode(envelope("rider.offline", subject: "\"r-7\""), role: .riders)
        == .event(.rider(RiderEvent(rider: RiderID("r-7"), what: .offline, time: time))))
  }

  @Test(arguments: [
    (#"{"location":{"latitude":90.0001,"longitude":10}}"#, Refusal.Code.outOfRange),
    (#"{"location":{"latitude":0,"longitude":181}}"#, .outOfRange), ("{}", .missingField),
    (#"{"location":{"latitude":"1","longitude":2}}"#, .wrongType),
    (#"{"location":{"latitude":1,"longitude":2},"accuracyMeters":-1}"#, .outOfRange),
    (#"{"location":{"latitude":1,"longitude":2},"headingDegrees":361}"#, .outOfRange),
  ])
  func refusesPositions(data: String, reason: Refusal.Code) {
    #expect(code(decode(envelope("rider.location", data: data), role: .riders)) == reason)
  }

  /// "Deliver now" for an order that was scheduled.
  @Test(arguments: [#"{"scheduledFor":null}"#, #"{"scheduledWindow":null}"#])
  func anExplicitNullUnschedules(data: String) {
    let time = Instant(microseconds: 1_796_029_953_250_000)
    let event = order(decode(envelope("order.updated", data: data)))
    #expect(event?.changes.schedule == ScheduleWindow(from: time, to: time))
    #expect(order(decode(envelope("order.updated")))?.changes.schedule == nil)
  }

  @Test func binaryModeSaysTheSame() {
    let data = #"{"rider":{"id":"r-7"}}"#
    let headers = [
      ("ce_specversion", "1.0"), ("ce_id", "e-1"), ("ce_source", "/s"), ("ce_type", "order.picked_up"),
      ("ce_subject", "o-1"), ("ce_time", "2026-11-30T09:12:33.25Z"), ("ce_sequence", "7"),
      ("content-type", "application/json"),
    ].map { (name: $0.0, value: Array($0.1.utf8)) }
    #expect(decode(data, headers: headers) == decode(envelope("order.picked_up", data: data)))
    let withoutData = decoder.decode(
      topicRole: .orders, topic: "t", key: nil, value: nil, headers: headers, now: now)
    #expect(withoutData == decode(envelope("order.picked_up")))
    #expect(code(decode(data, headers: headers.filter { $0.name != "ce_id" })) == .missingField)
    let version = headers.map { $0.name == "ce_specversion" ? ($0.name, Array("2".utf8)) : $0 }
    #expect(code(decode(data, headers: version)) == .unsupportedVersion)
    #expect(code(decode("<a/>", headers: [("content-type", Array("application/xml".utf8))])) == .unsupportedFormat)
  }

  @Test func aRecordWithoutValueForgets() {
    func tombstone(_ key: String?, _ role: TopicRole = .orders) -> Decoded {
      decoder.decode(topicRole: role, topic: "t", key: key.map { Array($0.utf8) }, value: nil, now: now)
    }
    #expect(order(tombstone("o-1"))?.what == .forgotten)
    #expect(order(tombstone("o-1"))?.order == OrderID("o-1"))
    #expect(code(tombstone(nil)) == .badIdentifier)
    #expect(code(tombstone("")) == .badIdentifier)
    #expect(tombstone("r-1", .riders) == .skipped(type: "tombstone"))
  }

  @Test func badTraceContextIsDropped() {
    #expect(order(decode(envelope("order.ready", extra: #","traceparent":"00-xyz""#)))?.traceparent == nil)
  }

  @Test func refusalsNameTheFieldAndNeverTheValue() {
    guard case .refused(let refusal) = decode(envelope("order.ready", data: #"{"userId":{"secret":"Lin"}}"#)) else {
      Issue.record("taken")
      return
    }
    #expect(refusal.message == "data.userId: expected a string, found a JSON object")
  }

  /// Damages good events byte by byte: every outcome is an answer, and no damage reaches another order.
  @Test func damagedEventsAreAnswered() {
    let good = Array(envelope("order.picked_up", data: #"{"rider":{"id":"r-7","name":"Lin"},"stopsBefore":2}"#).utf8)
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix(state: seed)
    for _ in 0..<20_000 {
      var bytes = good
      for _ in 0...Int(random.next() % 3) {
        let position = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 3 {
        case 0: bytes[position] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.remove(at: position)
        default: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: position)
        }
      }
      let decoded = decoder.decode(topicRole: .orders, topic: "t", key: Array("o-1".utf8), value: bytes, now: now)
      if case .event(.order(let event)) = decoded {
        #expect(event.order == OrderID("o-1"), "seed \(seed)")
      }
    }
  }
}
