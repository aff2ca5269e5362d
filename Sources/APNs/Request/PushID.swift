/// A random UUID, version 4: what `apns-id` carries. All repeats of one push bear the same.
struct PushID: Equatable, Sendable {
  var high: UInt64
  var low: UInt64

  init(_ random: inout SplitMix64) {
    high = random.next() & ~0xF000 | 0x4000
    low = random.next() & ~(0b11 << 62) | (0b10 << 62)
  }

  /// Lower case, 8-4-4-4-12.
  var text: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 36) { buffer, count in
      var position = 0
      for (digits, word, shift) in [(8, high, 60), (4, high, 28), (4, high, 12), (4, low, 60), (12, low, 44)] {
        if position > 0 {
          buffer[position] = UInt8(ascii: "-")
          position += 1
        }
        for digit in 0..<digits {
          let nibble = UInt8(truncatingIfNeeded: word >> UInt64(shift - 4 * digit)) & 15
          buffer[position] = nibble < 10 ? 0x30 + nibble : 0x57 + nibble
          position += 1
        }
      }
      count = position
    }
  }
}
