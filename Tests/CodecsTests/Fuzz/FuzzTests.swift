import Codecs
import Documents
import Domain
import Glibc
import Testing

/// Random and mutated input for everything that reads foreign bytes: a trap ends the process, a hang the patience.
/// `FUZZ_SECONDS` says how long each runs (1 by default); the seed is printed and repeats the run by `FUZZ_SEED`.
@Suite(.serialized) struct FuzzTests {
  private static func setting(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }

  /// Hands mutations of `corpus` to `body` until the time is over; returns how many.
  private func fuzz(_ name: String, _ corpus: [String], _ body: ([UInt8]) -> Void) -> Int {
    let seed = Self.setting("FUZZ_SEED") ?? UInt64.random(in: 0 ... .max)
    print("FuzzTests.\(name): seed \(seed)")
    var mutator = Mutator(corpus: corpus.map { Array($0.utf8) }, random: SplitMix(state: seed))
    let end = ContinuousClock.now + .seconds(Int(Self.setting("FUZZ_SECONDS") ?? 1))
    var runs = 0
    while ContinuousClock.now < end {
      for _ in 0..<100 { body(mutator.next()) }
      runs += 100
    }
    return runs
  }

  private static let events = [
    #"{"specversion":"1.0","id":"e","source":"/s","type":"order.picked_up","subject":"o-1","#
      + #""time":"2026-11-30T09:12:33.250Z","sequence":7,"data":{"rider":{"id":"r-7","name":"L\u00e9\ud83d\ude00"},"#
      + #""store":{"location":{"latitude":31.5,"longitude":-121e0}},"scheduledWindow":["2026-11-30T09:12:33Z",null],"#
      + #""attributes":{"a":"b"},"stopsBefore":2}}"#,
    #"{"specversion":"1.0","id":"e","type":"rider.location","subject":"r","time":"2026-11-30T09:12:33+08:00","#
      + #""data":{"location":{"latitude":1,"longitude":2},"accuracyMeters":8.5}}"#,
    #"{"reports":[{"courier":"c","gps":{"fix":true,"t":"1796029953","point":["114.17","22.32"]}},{"gps":[]}]}"#,
    #"{"op":"u","ts_ms":1796029999000,"source":{"lsn":5011},"after":{"state":9,"lat_e7":190000000,"lon_e7":0}}"#,
  ]

  private static let mapping = """
    version: 1
    topics:
      - topics: [m]
        role: orders
        namespace: {orders: "a:", riders: "b:"}
        events:
          - each: /reports
            when: [{at: "each:/gps/fix", is: true}]
            fields:
              type: {constant: rider.location}
              subject: [each:/courier, key:/c]
              time: {from: each:/gps/t, format: unixSeconds, numericText: true}
              data.location.longitude: {from: each:/gps/point/0, numericText: true}
              data.location.latitude: {from: each:/gps/point/1, numericText: true, unit: degreesE7}
          - when: [{at: /op, exists: true}]
            fields:
              type: {from: /after/state, words: {9: order.delivered, "*": skip}}
              subject: key
              time: {from: /ts_ms, format: unixMilliseconds}
              sequence: /source/lsn
    """

  @Test func eventsFuzz() throws {
    let document = try Document.parse(Array(Self.mapping.utf8), file: "m.yaml")
    let decoders = [EventDecoder(), EventDecoder(mapping: try Mapping(document))]
    let now = Instant(seconds: 1_796_030_000)
    let runs = fuzz("eventsFuzz", Self.events) { bytes in
      let key = Array(bytes.prefix(3))
      for decoder in decoders {
        for role in TopicRole.allCases {
          _ = decoder.decode(topicRole: role, topic: "m", key: key, value: bytes, now: now)
        }
      }
      let headers = [(name: "ce_specversion", value: Array("1.0".utf8)), (name: "ce_time", value: bytes)]
      _ = decoders[0].decode(topicRole: .orders, topic: "m", key: nil, value: bytes, headers: headers, now: now)
    }
    #expect(runs > 0)
  }

  /// What is read is written and read again the same.
  @Test func jsonFuzz() {
    let runs = fuzz("jsonFuzz", Self.events) { bytes in
      func copy(_ bytes: [UInt8]) -> [UInt8]? {
        try? JSON.parse(bytes) { root in
          var writer = JSONWriter()
          writer.copy(root)
          return writer.bytes
        }
      }
      if let first = copy(bytes) { #expect(copy(first) == first) }
    }
    #expect(runs > 0)
  }

  @Test func mappingFuzz() {
    let runs = fuzz("mappingFuzz", [Self.mapping]) { bytes in
      guard let document = try? Document.parse(bytes, file: "m.yaml") else { return }
      _ = try? Mapping(document)
    }
    #expect(runs > 0)
  }

  /// Both readers of JSON, the fast and the one with places, agree on what is JSON.
  @Test func documentFuzz() {
    let runs = fuzz("documentFuzz", Self.events) { bytes in
      let isJSON = (try? JSON.parse(bytes, depthMax: Document.depthMax) { _ in true }) ?? false
      let isDocument = (try? Document.parse(bytes, file: "m.json")) != nil
      #expect(!isJSON || isDocument, "\(String(decoding: bytes, as: UTF8.self))")
    }
    #expect(runs > 0)
  }

  @Test func timeFuzz() {
    let runs = fuzz("timeFuzz", ["2026-11-30T09:12:33.250Z", "2016-12-31T23:59:60+00:00"]) { bytes in
      guard let instant = bytes.withUnsafeBufferPointer(RFC3339.parse) else { return }
      #expect(RFC3339.parse(RFC3339.format(instant)) == instant)
    }
    #expect(runs > 0)
  }
}

/// Makes new inputs out of good ones: flips, cuts, doublings, splices and words that parsers trip over.
private struct Mutator {
  let corpus: [[UInt8]]
  var random: SplitMix

  private static let words: [[UInt8]] = [
    "\\u0000", "\\ud800", "1e999", "-0", "99999999999999999999", "null", "{}", "[[[[", "\"\"", "\u{feff}", "~1", "&a",
    "*a",
  ].map { Array($0.utf8) }

  mutating func next() -> [UInt8] {
    var bytes = corpus[pick(corpus.count)]
    for _ in 0...pick(4) { mutate(&bytes) }
    return bytes
  }

  private mutating func mutate(_ bytes: inout [UInt8]) {
    guard !bytes.isEmpty else {
      bytes = [UInt8(truncatingIfNeeded: random.next())]
      return
    }
    let at = pick(bytes.count)
    switch pick(6) {
    case 0: bytes[at] = UInt8(truncatingIfNeeded: random.next())
    case 1: bytes.removeSubrange(at..<min(bytes.count, at + 1 + pick(8)))
    case 2: bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + 1 + pick(30))], at: at)
    case 3: bytes.insert(contentsOf: Self.words[pick(Self.words.count)], at: at)
    case 4: bytes[at] ^= 1 << UInt8(pick(8))
    default:
      let other = corpus[pick(corpus.count)]
      bytes = Array(bytes[..<at] + other.dropFirst(pick(other.count)))
    }
  }

  private mutating func pick(_ count: Int) -> Int { Int(random.next() % UInt64(max(1, count))) }
}
