import Glibc

/// One event with its fields, as bytes.
struct LogLine {
  var event: LogEvent
  var fields: [LogField]
  /// Lines of the same event left out before this one.
  var suppressed: Int
  var wallMicroseconds: Int64

  /// `{"time":...,"level":...,"event":...,"text":..., fields...}` and a line break.
  func json() -> [UInt8] {
    var line = "{\"time\":\"\(timestamp)\",\"level\":\"\(event.level.name)\",\"event\":\"\(event.name)\""
    line += ",\"text\":\"\(event.text)\""
    for field in fields { line += ",\"\(field.key)\":\(Self.json(field.value))" }
    if suppressed > 0 { line += ",\"suppressed\":\(suppressed)" }
    return Array((line + "}\n").utf8)
  }

  /// `12:34:56.789 warning text (event) key=value ...`
  func text() -> [UInt8] {
    var line = "\(timestamp.dropFirst(11).prefix(12)) \(event.level.name.uppercased()) \(event.text) (\(event.name))"
    for field in fields { line += " \(field.key)=\(Self.plain(field.value))" }
    if suppressed > 0 { line += " (and \(suppressed) more before)" }
    return Array((line + "\n").utf8)
  }

  private var timestamp: String { RFC3339Text.format(microseconds: wallMicroseconds) }

  private static func plain(_ value: LogField.Value) -> String {
    switch value {
    case .int(let number): "\(number)"
    case .double(let number): "\(number)"
    case .text(let text): JSONText.quoted(text)
    }
  }

  private static func json(_ value: LogField.Value) -> String {
    switch value {
    case .int(let number): "\(number)"
    case .double(let number): number.isFinite ? "\(number)" : "null"
    case .text(let text): JSONText.quoted(text)
    }
  }
}

/// A string of JSON, quotes included.
enum JSONText {
  static func quoted(_ text: String) -> String {
    var output = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": output += "\\\""
      case "\\": output += "\\\\"
      case "\n": output += "\\n"
      case "\r": output += "\\r"
      case "\t": output += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7f:
        output += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: output.unicodeScalars.append(scalar)
      }
    }
    return output + "\""
  }
}

enum RFC3339Text {
  /// `2026-11-30T09:12:33.250Z`
  static func format(microseconds: Int64) -> String {
    var seconds = time_t(microseconds / 1_000_000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let milliseconds = Int(microseconds % 1_000_000 / 1_000)
    return
      "\(padded(Int(parts.tm_year) + 1900, 4))-\(padded(Int(parts.tm_mon) + 1, 2))-\(padded(Int(parts.tm_mday), 2))"
      + "T\(padded(Int(parts.tm_hour), 2)):\(padded(Int(parts.tm_min), 2)):\(padded(Int(parts.tm_sec), 2))"
      + ".\(padded(milliseconds, 3))Z"
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(width - digits.count, 0)) + digits
  }
}
