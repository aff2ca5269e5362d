import Crypto

/// What a caller with a service key may do.
public enum Scope: String, CaseIterable, Sendable {
  /// The company's own backend, speaking for its users.
  case app
  case `operator`
}

/// Keys of other services, known only by the SHA-256 of their secrets.
public struct ServiceKeys: Sendable {
  public struct Key: Equatable, Sendable {
    /// Names the key in the audit log.
    public let id: String
    public let scopes: Set<Scope>
    let secretHash: [UInt8]
  }

  /// A secret must be drawn by a machine: shorter ones could be guessed from their hash.
  public static let secretBytesMin = 32

  let keys: [Key]

  public init() { keys = [] }

  /// Reads one key a line: `ID SCOPES SHA256`, scopes separated by commas, the hash of the secret in hexadecimal. Empty
  /// lines and lines that begin with `#` say nothing.
  public init(text: String, source: String) throws(CryptoError) {
    var keys: [Key] = []
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let words = line.split(whereSeparator: { $0.isWhitespace })
      guard let first = words.first, !first.hasPrefix("#") else { continue }
      guard words.count == 3, let scopes = Self.scopes(words[1]), let hash = Self.hash(words[2]) else {
        throw CryptoError("\(source), line \(number + 1): expected ID SCOPES SHA256, with scopes app or operator")
      }
      guard !keys.contains(where: { $0.id == first }) else {
        throw CryptoError("\(source), line \(number + 1): the id \(first) is given twice")
      }
      keys.append(Key(id: String(first), scopes: scopes, secretHash: hash))
    }
    self.keys = keys
  }

  public init(file path: String) throws(CryptoError) {
    try self.init(text: String(decoding: try SecretFile.read(path), as: UTF8.self), source: path)
  }

  /// The key with this secret. All keys are compared, each in constant time.
  func key(withSecret secret: String) -> Key? {
    guard secret.utf8.count >= Self.secretBytesMin else { return nil }
    let hash = sha256(Array(secret.utf8))
    return keys.reduce(nil) { found, key in constantTimeEqual(key.secretHash, hash) ? key : found }
  }

  private static func scopes(_ text: Substring) -> Set<Scope>? {
    let words = text.split(separator: ",", omittingEmptySubsequences: false)
    let scopes = words.compactMap { Scope(rawValue: String($0)) }
    return scopes.count == words.count ? Set(scopes) : nil
  }

  private static func hash(_ text: Substring) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count == 64 else { return nil }
    return Hexadecimal.decode(digits)
  }
}

enum Hexadecimal {
  static func decode(_ digits: [UInt8]) -> [UInt8]? {
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x37
    case 0x61...0x66: digit - 0x57
    default: nil
    }
  }
}
