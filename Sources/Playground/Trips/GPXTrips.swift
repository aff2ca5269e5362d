import Codecs
import Domain

/// Rides in GPX: each `trk` is a trip, each `trkpt` with a `time` a point of it. Everything else is passed over.
enum GPXTrips {
  static func read(_ bytes: [UInt8], name: String) throws(TripFileError) -> [Trip] {
    var scanner = TagScanner(bytes)
    var trips: [Trip] = []
    var points: [Trip.Point] = []
    var place: Coordinate?
    while let tag = scanner.next() {
      switch tag.name {
      case "trk": points.removeAll()
      case "/trk":
        if let trip = Trip(id: "\(trips.count + 1)", points: points) { trips.append(trip) }
        points.removeAll()
      case "trkpt":
        guard let found = coordinate(tag) else {
          throw TripFileError("\(name) line \(scanner.line): a trkpt without a valid lat and lon")
        }
        place = found
      case "/trkpt": place = nil
      case "time":
        guard let here = place else { continue }
        guard let time = RFC3339.parse(scanner.text()) else {
          throw TripFileError("\(name) line \(scanner.line): expected a time such as 2026-05-01T08:15:30Z")
        }
        guard points.count < TripReader.pointsMax else {
          throw TripFileError("\(name) has a track of more than \(TripReader.pointsMax) points: split it")
        }
        points.append(Trip.Point(seconds: Double(time.microseconds) / 1e6, coordinate: here))
      default: continue
      }
    }
    return trips
  }

  private static func coordinate(_ tag: TagScanner.Tag) -> Coordinate? {
    guard let latitude = tag.attribute("lat").flatMap(Double.init) else { return nil }
    guard let longitude = tag.attribute("lon").flatMap(Double.init) else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }
}

/// Walks the tags of an XML text; comments, CDATA, declarations and namespaces' prefixes are passed over.
private struct TagScanner {
  struct Tag {
    /// Without prefix; a closing tag begins with `/`.
    let name: Substring
    let attributes: Substring

    func attribute(_ name: String) -> String? {
      for quote in ["\"", "'"] {
        for pair in attributes.split(separator: quote, omittingEmptySubsequences: false).pairs {
          if pair.0.trimming.dropLast().trimming == name, pair.0.trimming.hasSuffix("=") { return String(pair.1) }
        }
      }
      return nil
    }
  }

  private let bytes: [UInt8]
  private var position = 0
  private(set) var line = 1

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The next opening or closing tag; nil at the end, and at a tag that never ends.
  mutating func next() -> Tag? {
    while skip(to: UInt8(ascii: "<")) {
      if jump(over: "<!--", to: "-->") || jump(over: "<![CDATA[", to: "]]>") { continue }
      let start = position + 1
      guard skip(to: UInt8(ascii: ">")) else { return nil }
      let inside = Substring(String(decoding: bytes[start..<position], as: UTF8.self))
      if inside.hasPrefix("?") || inside.hasPrefix("!") { continue }
      return Self.tag(inside)
    }
    return nil
  }

  /// What stands between the last tag and the next.
  mutating func text() -> String {
    let start = min(position + 1, bytes.count)
    _ = skip(to: UInt8(ascii: "<"))
    return String(Substring(String(decoding: bytes[start..<max(start, position)], as: UTF8.self)).trimming)
  }

  private static func tag(_ inside: Substring) -> Tag {
    let whole = inside.prefix { !$0.isWhitespace }
    let closing = whole.hasPrefix("/")
    let local = whole.drop { $0 == "/" }.split(separator: ":").last ?? ""
    return Tag(name: closing ? "/" + local : local.prefix { $0 != "/" }, attributes: inside.dropFirst(whole.count))
  }

  private mutating func skip(to byte: UInt8) -> Bool {
    while position < bytes.count, bytes[position] != byte {
      if bytes[position] == 0x0A { line += 1 }
      position += 1
    }
    return position < bytes.count
  }

  private mutating func jump(over opening: StaticString, to closing: StaticString) -> Bool {
    guard starts(with: opening) else { return false }
    while position < bytes.count, !starts(with: closing) {
      if bytes[position] == 0x0A { line += 1 }
      position += 1
    }
    return true
  }

  private func starts(with word: StaticString) -> Bool {
    guard position + word.utf8CodeUnitCount <= bytes.count else { return false }
    return (0..<word.utf8CodeUnitCount).allSatisfy { bytes[position + $0] == word.utf8Start[$0] }
  }
}

extension [Substring] {
  /// (0, 1), (2, 3) and so on.
  fileprivate var pairs: [(Substring, Substring)] {
    stride(from: 0, to: count - 1, by: 2).map { (self[$0], self[$0 + 1]) }
  }
}

extension Substring {
  fileprivate var trimming: Substring {
    var text = self
    while text.first?.isWhitespace ?? false { text.removeFirst() }
    while text.last?.isWhitespace ?? false { text.removeLast() }
    return text
  }
}
