import Domain
import Glibc

/// Why a file of trips cannot be replayed: the file, the line, what was expected.
public struct TripFileError: Error, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Reads recorded rides: CSV with the columns `trip_id,t_s,lat,lon` among others, or GPX tracks with times.
public enum TripReader {
  public static let fileBytesMax = 256 << 20
  public static let pointsMax = 2_000_000

  /// The rides of a file, in the order in which they stand there.
  public static func trips(in path: String) throws(TripFileError) -> [Trip] {
    let bytes = try contents(of: path)
    let head = bytes.prefix(512).drop { $0 <= 0x20 || $0 > 0x7F }
    let trips =
      head.first == UInt8(ascii: "<") ? try GPXTrips.read(bytes, name: path) : try CSVTrips.read(bytes, name: path)
    guard !trips.isEmpty else { throw TripFileError("\(path) holds no trip of two or more points with times") }
    return trips
  }

  private static func contents(of path: String) throws(TripFileError) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw TripFileError("cannot read \(path): \(String(cString: strerror(errno)))") }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw TripFileError("\(path) is not a file; expected CSV or GPX")
    }
    guard status.st_size <= fileBytesMax else {
      throw TripFileError("\(path) has \(status.st_size) bytes; at most \(fileBytesMax) are read: split it")
    }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress?.advanced(by: filled), $0.count - filled) }
      guard count > 0 else { break }
      filled += count
    }
    bytes.removeSubrange(filled...)
    return bytes
  }
}
