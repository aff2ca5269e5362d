import Codecs

extension AnswerBody {
  /// Reads the body of an answer, or the debug data of a GOAWAY. What is not JSON, or has no reason, gives an empty
  /// one: the status then decides alone.
  init(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else {
      self.init()
      return
    }
    let body = try? JSON.parse(bytes) { root in
      AnswerBody(
        reason: Self.bounded(root["reason"]?.string ?? ""),
        timestampMilliseconds: root["timestamp"]?.int64)
    }
    self = body ?? AnswerBody()
  }

  /// A word fit for a log line, whatever the peer sent.
  static func bounded(_ text: String) -> String {
    let printable = text.utf8.lazy.filter { (0x21...0x7E).contains($0) }.prefix(reasonBytesMax)
    return String(decoding: Array(printable), as: UTF8.self)
  }
}
