import Glibc
import Runtime

/// A file that lines are appended to, gathered in memory and written in large pieces. For one thread.
final class LineFile {
  private static let pieceBytes = 256 * 1024

  private let descriptor: Int32
  private var pending: [UInt8] = []

  init(path: String) throws(SystemError) {
    descriptor = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw SystemError.last("create \(path)") }
  }

  deinit {
    flush()
    close(descriptor)
  }

  func append(_ line: [UInt8]) {
    pending += line
    pending.append(UInt8(ascii: "\n"))
    if pending.count >= Self.pieceBytes { flush() }
  }

  func flush() {
    var rest = pending[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard written > 0 || errno == EINTR else { break }
      rest = rest.dropFirst(max(0, written))
    }
    pending.removeAll(keepingCapacity: true)
  }

  /// Writes a whole file beside its place and renames it there, so that readers see all of it or none.
  static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
    let file = try LineFile(path: path + ".new")
    file.append(bytes)
    file.flush()
    guard rename(path + ".new", path) == 0 else { throw SystemError.last("rename to \(path)") }
  }

  /// The whole file without blanks at its ends.
  static func read(_ path: String) throws(SystemError) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError.last("open \(path)") }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    guard count >= 0 else { throw SystemError.last("read \(path)") }
    let text = String(decoding: buffer[0..<count], as: UTF8.self)
    return String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
