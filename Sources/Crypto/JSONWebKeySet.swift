import Codecs

/// The keys that users' tokens are signed with (RFC 7517), read from a file.
public struct JSONWebKeySet: Sendable {
  struct Key: Sendable {
    let id: String?
    let key: VerifyingKey
  }

  public static let keysMax = 100

  let keys: [Key]

  /// Reads `{"keys":[...]}`. Types: `oct` (HS256), `EC` on P-256 (ES256), `RSA` (RS256). A key of another type, or for
  /// another use than signatures, is passed over; one that claims a known type and is wrong is an error that names it.
  public init(_ document: [UInt8], source: String) throws(CryptoError) {
    do {
      keys = try JSON.parse(document) { root in
        guard let list = root["keys"], list.kind == .array else {
          throw CryptoError("\(source) is no JWK set: expected an object with an array `keys`")
        }
        return try Self.readKeys(list, source: source)
      }
    } catch let error as CryptoError {
      throw error
    } catch let error as JSONError {
      throw CryptoError("\(source) \(error.explanation)")
    } catch {
      throw CryptoError("\(source) could not be read")
    }
    guard !keys.isEmpty else {
      throw CryptoError("\(source) holds no usable key: expected kty oct, EC (P-256) or RSA")
    }
  }

  private static func readKeys(_ list: JSONNode, source: String) throws -> [Key] {
    var keys: [Key] = []
    for (index, element) in list.elements.enumerated() {
      guard index < keysMax else { throw CryptoError("\(source) holds more than \(keysMax) keys") }
      do throws(CryptoError) {
        guard let key = try readKey(element) else { continue }
        keys.append(Key(id: element["kid"]?.string, key: key))
      } catch {
        throw CryptoError("\(source) key \(index + 1): \(error.description)")
      }
    }
    return keys
  }

  /// nil for a key that is not meant for checking signatures under an algorithm known here.
  private static func readKey(_ node: JSONNode) throws(CryptoError) -> VerifyingKey? {
    if let use = node["use"], !use.equals("sig") { return nil }
    let key: VerifyingKey
    switch node["kty"]?.string {
    case "oct":
      key = try VerifyingKey(secret: field(node, "k"))
    case "EC" where node["crv"]?.string == "P-256":
      key = try VerifyingKey(p256X: field(node, "x"), y: field(node, "y"))
    case "RSA":
      key = try VerifyingKey(rsaModulus: field(node, "n"), exponent: field(node, "e"))
    default:
      return nil
    }
    if let algorithm = node["alg"], algorithm.string != key.algorithm.rawValue { return nil }
    return key
  }

  private static func field(_ node: JSONNode, _ name: StaticString) throws(CryptoError) -> [UInt8] {
    guard let text = node[name]?.string, let bytes = Base64URL.decode(text), !bytes.isEmpty else {
      throw CryptoError("\(name) is missing or not base64url")
    }
    return bytes
  }
}
