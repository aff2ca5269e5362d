import Glibc

/// Reads small files that hold keys.
public enum SecretFile {
  public static let byteLimit = 1 << 20

  /// The whole content, at most 1 MiB. Blocks; meant for start-up and reload.
  public static func read(_ path: String) throws(CryptoError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw failure(path) }
      guard count > 0 else { return content }
      guard content.count + count <= byteLimit else {
        throw CryptoError("\(path) is too large: expected at most \(byteLimit) bytes of key material")
      }
      content.append(contentsOf: chunk.prefix(count))
    }
  }

  private static func failure(_ path: String) -> CryptoError {
    CryptoError("\(path) cannot be read: \(String(cString: strerror(errno)))")
  }
}
