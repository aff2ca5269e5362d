import CPQ

/// The rows of one answer, read column by column in binary form. Owns the library's result.
public final class Rows: @unchecked Sendable {
  // Unchecked: a result is never changed after it was made.
  private let result: OpaquePointer

  init(_ result: OpaquePointer) { self.result = result }

  deinit { PQclear(result) }

  public var count: Int { Int(PQntuples(result)) }
  /// Rows that an INSERT, UPDATE or DELETE touched; 0 for other statements.
  public var affected: Int { PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

  public func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(result, Int32(row), Int32(column)) == 1 }

  private func raw(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
    guard !isNull(row, column), let start = PQgetvalue(result, Int32(row), Int32(column)) else { return nil }
    return UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, Int32(row), Int32(column))))
  }

  public func bytes(_ row: Int, _ column: Int) -> [UInt8]? { raw(row, column).map { Array($0) } }

  public func text(_ row: Int, _ column: Int) -> String? {
    raw(row, column).map { String(decoding: $0, as: UTF8.self) }
  }

  public func bool(_ row: Int, _ column: Int) -> Bool? { raw(row, column).map { $0.first == 1 } }
  public func int16(_ row: Int, _ column: Int) -> Int16? { number(row, column) }
  public func int32(_ row: Int, _ column: Int) -> Int32? { number(row, column) }
  public func int64(_ row: Int, _ column: Int) -> Int64? { number(row, column) }

  public func double(_ row: Int, _ column: Int) -> Double? {
    let pattern: UInt64? = number(row, column)
    return pattern.map(Double.init(bitPattern:))
  }

  private func number<Number: FixedWidthInteger>(_ row: Int, _ column: Int) -> Number? {
    guard let raw = raw(row, column), raw.count == MemoryLayout<Number>.size else { return nil }
    return Number(bigEndian: raw.loadUnaligned(as: Number.self))
  }
}
