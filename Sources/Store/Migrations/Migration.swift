import Crypto

/// One numbered step of the schema: a file of `sql/`, embedded into the binary when it is built.
public struct Migration: Sendable {
  public let version: Int32
  public let name: String
  /// Binaries built for a lower schema version cannot run once this step is applied (expand and contract).
  public let oldestBinary: Int32
  let script: String
  /// SHA-256 of the file: a file that changed after it was applied is refused.
  let checksum: [UInt8]

  public init(version: Int32, name: String, oldestBinary: Int32, bytes: [UInt8]) {
    self.version = version
    self.name = name
    self.oldestBinary = oldestBinary
    script = String(decoding: bytes, as: UTF8.self)
    checksum = sha256(bytes)
  }

  /// All steps that this binary knows, in order.
  public static let all = [
    Migration(
      version: 1, name: "deliveries_and_cards", oldestBinary: 1,
      bytes: PackageResources._001_deliveries_and_cards_sql),
    Migration(
      version: 2, name: "operations", oldestBinary: 1, bytes: PackageResources._002_operations_sql),
  ]
}
