import Glibc

/// Reads a file of lines one by one, however large it is.
final class LineReader {
  private let path: String
  private let file: UnsafeMutablePointer<FILE>
  private let lineBytesMax: Int
  /// Of the line that `next` gave last, from 1.
  private(set) var number = 0

  init(path: String, lineBytesMax: Int) throws(PlaygroundError) {
    guard let file = fopen(path, "re") else {
      throw PlaygroundError("cannot read \(path): \(String(cString: strerror(errno)))")
    }
    self.file = file
    self.path = path
    self.lineBytesMax = lineBytesMax
  }

  deinit { fclose(file) }

  /// The next line that is not empty, without its end; nil at the end of the file.
  func next() throws(PlaygroundError) -> [UInt8]? {
    while true {
      var line: [UInt8] = []
      var byte = getc(file)
      guard byte != EOF else { return nil }
      number += 1
      while byte != EOF, byte != 0x0A {
        guard line.count < lineBytesMax else {
          throw PlaygroundError("\(path) line \(number) is longer than \(lineBytesMax) bytes")
        }
        line.append(UInt8(truncatingIfNeeded: byte))
        byte = getc(file)
      }
      if line.last == 0x0D { line.removeLast() }
      if !line.isEmpty { return line }
    }
  }
}
