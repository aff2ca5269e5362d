import Crypto
import Domain
import HTTP2
import Service

/// Writes the requests of one app: docs/apns.md 1.
struct PushRequests {
  static let collapseIDBytesMax = 64

  private let bundleID: String
  private var bearer = ""
  /// One for each kind and priority that was used since the bearer changed.
  private var shared: [HeaderFields?] = []

  init(bundleID: String) { self.bundleID = bundleID }

  mutating func setProviderToken(_ jwt: String) {
    bearer = "bearer \(jwt)"
    shared = [HeaderFields?](repeating: nil, count: 6)
  }

  mutating func request(_ push: Push, id: PushID, ticket: UInt64, deadline: Double) -> HTTP2Request {
    var path: [UInt8] = []
    path.reserveCapacity(10 + push.token.bytes.count * 2)
    path.append(contentsOf: "/3/device/".utf8)
    push.token.appendHexadecimal(to: &path)
    return HTTP2Request(
      ticket: ticket, path: path, sharedFields: sharedFields(push), ownFields: Self.ownFields(push, id: id),
      body: push.body, deadline: deadline)
  }

  private mutating func sharedFields(_ push: Push) -> HeaderFields {
    // Apple calls a background push at priority 10 an error.
    let isUrgent = push.priority >= 10 && push.kind != .background
    let index = push.kind.index * 2 + (isUrgent ? 1 : 0)
    if index < shared.count, let fields = shared[index] { return fields }
    var fields = HeaderFields()
    fields.add("authorization", bearer, indexing: .never)
    fields.add("apns-topic", push.kind.topic(of: bundleID))
    fields.add("apns-push-type", push.kind.pushType)
    fields.add("apns-priority", isUrgent ? "10" : "5")
    if index < shared.count { shared[index] = fields }
    return fields
  }

  /// All fields of a push as text, but for `apns-id`, which APNs then invents.
  func fields(_ push: Push) -> [(name: String, value: String)] {
    let isUrgent = push.priority >= 10 && push.kind != .background
    var fields = [
      (name: "authorization", value: bearer), ("apns-topic", push.kind.topic(of: bundleID)),
      ("apns-push-type", push.kind.pushType), ("apns-priority", isUrgent ? "10" : "5"),
      ("apns-expiration", String(max(0, push.expiration))),
    ]
    if let collapseID = push.collapseID, !collapseID.isEmpty {
      let bounded = Self.boundedCollapseID(collapseID)
      fields.append(("apns-collapse-id", String(decoding: bounded, as: UTF8.self)))
    }
    return fields
  }

  private static func ownFields(_ push: Push, id: PushID) -> HeaderFields {
    var fields = HeaderFields()
    fields.add("apns-id", bytes: id.text, indexing: .firstOnConnection)
    fields.add("apns-expiration", String(max(0, push.expiration)), indexing: .firstOnConnection)
    if let collapseID = push.collapseID, !collapseID.isEmpty {
      fields.add("apns-collapse-id", bytes: boundedCollapseID(collapseID), indexing: .firstOnConnection)
    }
    return fields
  }

  /// An id that is too long, or no header text, is replaced by its SHA-256: 64 characters that are as unique.
  static func boundedCollapseID(_ id: String) -> [UInt8] {
    let bytes = Array(id.utf8)
    if bytes.count <= collapseIDBytesMax, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) { return bytes }
    return sha256(bytes).flatMap { byte in
      [byte >> 4, byte & 15].map { $0 < 10 ? 0x30 + $0 : 0x57 + $0 }
    }
  }
}

extension Push.Kind {
  fileprivate var index: Int {
    switch self {
    case .liveActivity: 0
    case .alert: 1
    case .background: 2
    }
  }

  var pushType: String {
    switch self {
    case .liveActivity: "liveactivity"
    case .alert: "alert"
    case .background: "background"
    }
  }

  func topic(of bundleID: String) -> String {
    switch self {
    case .liveActivity: bundleID + ".push-type.liveactivity"
    case .alert, .background: bundleID
    }
  }
}
