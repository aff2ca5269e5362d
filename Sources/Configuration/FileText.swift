import Glibc

/// A small text file, read as a whole.
enum FileText {
  static let bytesMax = 1 << 20

  /// - Returns: the text without one closing line break, or why it cannot be had.
  static func read(_ path: String) -> Result<String, Failure> {
    guard let file = fopen(path, "r") else {
      return .failure(Failure(reason: String(cString: strerror(errno))))
    }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: bytesMax + 1)
    let count = fread(&bytes, 1, bytes.count, file)
    guard ferror(file) == 0 else { return .failure(Failure(reason: String(cString: strerror(errno)))) }
    guard count <= bytesMax else { return .failure(Failure(reason: "it is over \(bytesMax) bytes long")) }
    guard let text = String(validating: bytes[..<count], as: UTF8.self) else {
      return .failure(Failure(reason: "it is not UTF-8"))
    }
    return .success(text.hasSuffix("\n") ? String(text.dropLast()) : text)
  }

  struct Failure: Error { var reason: String }
}
