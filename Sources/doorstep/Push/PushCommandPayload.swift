import Codecs
import Crypto

/// Makes the body of a manual push out of the options, for cards of any shape.
extension PushCommandOptions {
  func payload(nowSeconds: Int64) throws(PushCommandError) -> [UInt8] {
    if let payloadFile {
      do throws(CryptoError) { return try SecretFile.read(payloadFile) } catch {
        throw PushCommandError("--payload: \(error.description)")
      }
    }
    var aps: [String] = []
    switch event {
    case .background: aps.append(#""content-available":1"#)
    case .alert: aps.append(try alert())
    case .start, .update, .end: try appendActivity(to: &aps, nowSeconds: nowSeconds)
    }
    return Array("{\"aps\":{\(aps.joined(separator: ","))}}".utf8)
  }

  private func appendActivity(to aps: inout [String], nowSeconds: Int64) throws(PushCommandError) {
    aps.append("\"timestamp\":\(nowSeconds),\"event\":\"\(event.rawValue)\"")
    guard contentState != nil || event == .end else {
      throw PushCommandError("--content-state is missing: expected the complete ContentState as a JSON object")
    }
    if let contentState { aps.append("\"content-state\":\(try Self.object("--content-state", contentState))") }
    if event == .start {
      guard let attributesType, let attributes else {
        throw PushCommandError("a start needs --attributes-type and --attributes")
      }
      aps.append("\"attributes-type\":\(Self.string(attributesType))")
      aps.append("\"attributes\":\(try Self.object("--attributes", attributes))")
      aps.append("\"input-push-token\":1")
    }
    if let staleAfterSeconds { aps.append("\"stale-date\":\(nowSeconds + staleAfterSeconds)") }
    if let dismissAfterSeconds, event == .end { aps.append("\"dismissal-date\":\(nowSeconds + dismissAfterSeconds)") }
    // Without an alert APNs accepts a start and the phone drops it.
    if event == .start || title != nil || body != nil { aps.append(try alert()) }
  }

  private func alert() throws(PushCommandError) -> String {
    guard let title, let body else { throw PushCommandError("\(event.rawValue): expected --title and --body") }
    let text = "\"title\":\(Self.string(title)),\"body\":\(Self.string(body))"
    guard let sound else { return "\"alert\":{\(text)}" }
    // A Live Activity carries its sound inside the alert, an ordinary notification beside it.
    if event == .alert { return "\"alert\":{\(text)},\"sound\":\(Self.string(sound))" }
    return "\"alert\":{\(text),\"sound\":\(Self.string(sound))}"
  }

  private static func string(_ text: String) -> String {
    var writer = JSONWriter()
    writer.string(text)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private static func object(_ name: String, _ text: String) throws(PushCommandError) -> String {
    let isObject = try? JSON.parse(Array(text.utf8)) { $0.kind == .object }
    guard isObject == true else { throw PushCommandError("\(name): expected a JSON object") }
    return text
  }
}
