import Glibc
import Testing

/// Files under `Tests/CodecsTests/Golden`. `UPDATE_GOLDEN=1 swift test` writes them anew; look at the difference then.
enum Golden {
  static func expect(
    _ bytes: [UInt8], equal name: String, file: String = #filePath, _ location: SourceLocation = #_sourceLocation
  ) {
    let folder = file.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/")
    let path = "\(folder)/Golden/\(name)"
    if getenv("UPDATE_GOLDEN") != nil { write(bytes, to: path) }
    let kept = read(path).map { String(decoding: $0, as: UTF8.self) }
    #expect(kept == String(decoding: bytes, as: UTF8.self), "\(name)", sourceLocation: location)
  }

  private static func write(_ bytes: [UInt8], to path: String) {
    guard let file = fopen(path, "w") else { return }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }

  private static func read(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
  }
}
