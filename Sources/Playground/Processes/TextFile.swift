import Glibc

/// Small files, whole.
public enum TextFile {
  /// The whole file as text; nil when it cannot be read.
  public static func read(_ path: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(contentsOf: chunk[..<count])
    }
  }

  /// Writes `text` to a file that only we may read. False when it cannot be written.
  public static func write(_ text: String, to path: String) -> Bool {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { return false }
    defer { close(file) }
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      guard count > 0 || errno == EINTR else { return false }
      bytes = bytes.dropFirst(max(count, 0))
    }
    return true
  }
}

/// A folder below the temporary folder, removed with all that is in it when let go of.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() throws(PlaygroundError) {
    let root = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(root)/doorstep.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw PlaygroundError("cannot make a folder below \(root): \(String(cString: strerror(errno))); set TMPDIR")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { remove() }

  /// Removing twice is harmless.
  public func remove() { Self.remove(path) }

  private static func remove(_ path: String) {
    if let directory = opendir(path) {
      defer { closedir(directory) }
      while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name == "." || name == ".." { continue }
        let isFolder = entry.pointee.d_type == UInt8(DT_DIR)
        if isFolder { remove(path + "/" + name) } else { unlink(path + "/" + name) }
      }
    }
    rmdir(path)
  }
}
