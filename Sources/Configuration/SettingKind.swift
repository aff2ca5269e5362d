import Codecs
import Domain

/// What values a setting takes: how they are read, and how the documentation and errors call them.
public struct SettingKind<Value: Sendable>: Sendable {
  /// Completes "expected ...".
  public let expected: String
  let parse: @Sendable (String) -> Value?

  public init(expected: String, parse: @escaping @Sendable (String) -> Value?) {
    self.expected = expected
    self.parse = parse
  }
}

extension SettingKind where Value == String {
  static let text = SettingKind(expected: "some text") { $0 }
  static let path = SettingKind(expected: "the path of a file") { $0 }
  static let httpURL = SettingKind(expected: "a URL that begins with http:// or https://") {
    $0.hasPrefix("http://") || $0.hasPrefix("https://") ? $0 : nil
  }
}

extension SettingKind where Value == Secret {
  static let secretText = SettingKind(expected: "some text") { Secret($0) }
  static let databaseURL = SettingKind(expected: "a libpq connection string, such as postgresql://host/database") {
    $0.contains("=") || $0.hasPrefix("postgresql://") || $0.hasPrefix("postgres://") ? Secret($0) : nil
  }
  static let proxyURL = SettingKind(expected: "the URL of an HTTP proxy, such as http://proxy.example:3128") {
    $0.hasPrefix("http://") ? Secret($0) : nil
  }
}

extension SettingKind where Value == [String] {
  static let list = SettingKind(expected: "a comma-separated list") { text in
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmingSpaces() }
    return parts.allSatisfy { !$0.isEmpty } ? parts : nil
  }
}

extension SettingKind where Value == [SettingPair] {
  static let pairs = SettingKind(expected: "pairs as key=value;key=value") { text in
    var pairs: [SettingPair] = []
    for part in text.split(separator: ";") {
      guard let equals = part.firstIndex(of: "=") else { return nil }
      let key = part[..<equals].trimmingSpaces()
      guard !key.isEmpty else { return nil }
      pairs.append(SettingPair(key: key, value: Secret(String(part[part.index(after: equals)...]))))
    }
    return pairs
  }
}

extension SettingKind where Value == Int {
  static func integer(_ range: ClosedRange<Int>) -> SettingKind {
    SettingKind(expected: "an integer from \(range.lowerBound) to \(range.upperBound)") { text in
      Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension SettingKind where Value == Address {
  static let address = SettingKind(expected: "host:port, such as 0.0.0.0:8080 or [::1]:8080") { Address($0) }
}

extension SettingKind where Value == Instant {
  static let dateTime = SettingKind(expected: "a date and time with offset, such as 2026-11-30T09:00:00+01:00") {
    RFC3339.parse($0)
  }
}

extension SettingKind where Value == Endpoint {
  static let endpoint = SettingKind(expected: "https://host or https://host:port") { Endpoint($0) }
}

extension SettingKind where Value == Mode {
  static let mode = SettingKind(expected: "off, shadow, allow-list, percent:N or on") { Mode($0) }
}

extension SettingKind where Value == DemoClock {
  static let demoClock = SettingKind(expected: "origin,factor: Unix seconds and how many times as fast") {
    DemoClock($0)
  }
}

extension SettingKind where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// One of an enumeration's words.
  static var word: SettingKind {
    SettingKind(expected: "one of " + Value.allCases.map(\.rawValue).joined(separator: ", ")) { Value(rawValue: $0) }
  }
}

/// One pair of a `key=value;...` setting; the value may be a password.
public struct SettingPair: Equatable, Sendable {
  public var key: String
  public var value: Secret
}

extension StringProtocol {
  func trimmingSpaces() -> String {
    var part = self[...]
    while part.first?.isWhitespace == true { part.removeFirst() }
    while part.last?.isWhitespace == true { part.removeLast() }
    return String(part)
  }
}
