import Domain

/// How phones hash into shards. The same on every machine and for ever: rows carry the number.
public enum Shards {
  public static let count: Int32 = 256

  public static var all: [Int32] { Array(0..<count) }

  /// FNV-1a over the id's bytes.
  public static func shard(of phone: InstallationID) -> Int32 {
    let hash = phone.text.utf8.reduce(0x811c_9dc5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    return Int32(hash % UInt32(count))
  }
}
