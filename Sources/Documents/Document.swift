import Glibc

/// Reads YAML and JSON files into nodes that know their place. One value a file, bounded size and depth.
public enum Document {
  public static let bytesMax = 1 << 20
  public static let depthMax = 64

  /// Reads the file; JSON when its name ends in `.json`, else YAML.
  public static func read(path: String) throws(DocumentError) -> DocumentNode {
    try parse(try bytes(of: path), file: path)
  }

  /// - Parameter file: the name for errors, and what the form is told by.
  public static func parse(_ bytes: [UInt8], file: String) throws(DocumentError) -> DocumentNode {
    guard bytes.count <= bytesMax else {
      throw DocumentError(file: file, position: nil, "has \(bytes.count) bytes; at most \(bytesMax) are read")
    }
    if file.hasSuffix(".json") {
      var reader = JSONReader(bytes, file: file)
      return try reader.document()
    }
    return try YAMLReader.document(bytes, file: file)
  }

  /// A small file as it is, at most `bytesMax` and one byte of it.
  public static func bytes(of path: String) throws(DocumentError) -> [UInt8] {
    guard let file = fopen(path, "re") else {
      throw DocumentError(file: path, position: nil, "cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= bytesMax {
      let count = fread(&chunk, 1, chunk.count, file)
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    guard ferror(file) == 0 else { throw DocumentError(file: path, position: nil, "cannot be read to its end") }
    return bytes
  }
}
