import COpenSSL

/// AES-256-GCM for secrets at rest. Seals under the newest key, opens what any known key sealed.
///
/// A sealed value is: version 1, 4 bytes naming the key (start of its SHA-256), 12 bytes nonce, ciphertext, 16 bytes
/// tag.
public struct SealingKeys: Sendable {
  public static let keyByteCount = 32
  /// What sealing adds to the plaintext's length.
  public static let overheadByteCount = 33
  private static let version: UInt8 = 1
  private static let nonceStart = 5
  private static let bodyStart = 17
  private static let tagByteCount = 16

  private struct Key: Sendable {
    let bytes: [UInt8]
    let name: [UInt8]
  }

  private let keys: [Key]

  /// Newest first, 32 bytes each, at least one.
  public init(_ keys: [[UInt8]]) throws(CryptoError) {
    guard !keys.isEmpty else { throw CryptoError("no sealing key: expected at least one of 32 bytes") }
    for key in keys where key.count != Self.keyByteCount {
      throw CryptoError("a sealing key has \(key.count) bytes: expected \(Self.keyByteCount)")
    }
    self.keys = keys.map { Key(bytes: $0, name: Array(sha256($0).prefix(4))) }
  }

  /// Reads one key a line, base64 or hexadecimal, newest first; blank lines and those starting with `#` do not count.
  public init(text: String, source: String) throws(CryptoError) {
    var keys: [[UInt8]] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let word = line.filter { !$0.isWhitespace }
      if word.isEmpty || word.hasPrefix("#") { continue }
      guard let key = Self.key(from: word) else {
        throw CryptoError("\(source) line \(index + 1) is no sealing key: expected 32 bytes in base64 or hexadecimal")
      }
      keys.append(key)
    }
    guard !keys.isEmpty else { throw CryptoError("\(source) holds no sealing key: expected one a line, newest first") }
    try self.init(keys)
  }

  private static func key(from word: String) -> [UInt8]? {
    if word.utf8.count == 2 * keyByteCount {
      var bytes: [UInt8] = []
      var rest = Substring(word)
      while !rest.isEmpty {
        guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
        bytes.append(byte)
        rest = rest.dropFirst(2)
      }
      return bytes
    }
    let characters = word.filter { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
    let bytes = Base64URL.decode(String(characters))
    return bytes?.count == keyByteCount ? bytes : nil
  }

  /// `context` is authenticated but not stored: give the row's identity, so that a value cannot move to another row.
  public func seal(_ plaintext: [UInt8], context: [UInt8] = []) throws(CryptoError) -> [UInt8] {
    let nonce = try randomBytes(12)
    guard let key = keys.first, let cipher = EVP_CIPHER_CTX_new() else { throw .openSSL("sealing") }
    defer { EVP_CIPHER_CTX_free(cipher) }
    var length: Int32 = 0
    var body = [UInt8](repeating: 0, count: plaintext.count)
    var tag = [UInt8](repeating: 0, count: Self.tagByteCount)
    var nothing: UInt8 = 0
    guard EVP_EncryptInit_ex(cipher, EVP_aes_256_gcm(), nil, key.bytes, nonce) == 1,
      EVP_EncryptUpdate(cipher, nil, &length, context, Int32(clamping: context.count)) == 1,
      EVP_EncryptUpdate(cipher, &body, &length, plaintext, Int32(clamping: plaintext.count)) == 1,
      EVP_EncryptFinal_ex(cipher, &nothing, &length) == 1,
      EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagByteCount), &tag) == 1
    else { throw .openSSL("sealing") }
    return [Self.version] + key.name + nonce + body + tag
  }

  /// Throws when no known key sealed it, when it was changed, or when `context` differs.
  public func open(_ sealed: [UInt8], context: [UInt8] = []) throws(CryptoError) -> [UInt8] {
    guard sealed.count >= Self.overheadByteCount, sealed[0] == Self.version else {
      throw CryptoError("not a sealed value of version \(Self.version)")
    }
    let name = Array(sealed[1..<Self.nonceStart])
    let candidates = keys.filter { $0.name == name }
    guard !candidates.isEmpty else {
      throw CryptoError("sealed under a key that is not among the sealing keys: add the old key below the newest")
    }
    for key in candidates {
      if let plaintext = Self.open(sealed, under: key.bytes, context: context) { return plaintext }
    }
    throw CryptoError("a sealed value was changed or belongs to another row")
  }

  private static func open(_ sealed: [UInt8], under key: [UInt8], context: [UInt8]) -> [UInt8]? {
    guard let cipher = EVP_CIPHER_CTX_new() else { return nil }
    defer {
      EVP_CIPHER_CTX_free(cipher)
      ERR_clear_error()
    }
    let nonce = Array(sealed[nonceStart..<bodyStart])
    let body = Array(sealed[bodyStart..<(sealed.count - tagByteCount)])
    var tag = Array(sealed.suffix(tagByteCount))
    var plaintext = [UInt8](repeating: 0, count: body.count)
    var length: Int32 = 0
    var nothing: UInt8 = 0
    guard EVP_DecryptInit_ex(cipher, EVP_aes_256_gcm(), nil, key, nonce) == 1,
      EVP_DecryptUpdate(cipher, nil, &length, context, Int32(clamping: context.count)) == 1,
      EVP_DecryptUpdate(cipher, &plaintext, &length, body, Int32(clamping: body.count)) == 1,
      EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, Int32(tagByteCount), &tag) == 1,
      EVP_DecryptFinal_ex(cipher, &nothing, &length) == 1
    else { return nil }
    return plaintext
  }
}

extension SealingKeys: CustomStringConvertible, CustomReflectable {
  public var description: String { "SealingKeys(\(keys.count))" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
