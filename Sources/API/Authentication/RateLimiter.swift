import Runtime

/// A bucket of requests for each caller, refilled steadily.
final class RateLimiter: Sendable {
  static let burstRequests = 120.0
  static let requestsPerSecond = 4.0
  /// Callers remembered; one whose bucket is full again need not be.
  static let callersMax = 100_000

  private struct Bucket: Sendable {
    var left: Double
    var at: Double
  }

  private let buckets = Lock<[String: Bucket]>([:])

  /// Takes one request out of the caller's bucket. - Returns: nil, or the whole seconds to wait.
  func take(_ caller: String, now: Double) -> Int? {
    buckets.withLock { buckets in
      if buckets.count >= Self.callersMax { buckets = buckets.filter { Self.left($0.value, now) < Self.burstRequests } }
      var bucket = buckets[caller] ?? Bucket(left: Self.burstRequests, at: now)
      bucket.left = Self.left(bucket, now)
      bucket.at = now
      let wait = bucket.left >= 1 ? nil : max(1, Int(((1 - bucket.left) / Self.requestsPerSecond).rounded(.up)))
      if wait == nil { bucket.left -= 1 }
      if buckets[caller] != nil || buckets.count < Self.callersMax { buckets[caller] = bucket }
      return wait
    }
  }

  private static func left(_ bucket: Bucket, _ now: Double) -> Double {
    min(burstRequests, bucket.left + max(0, now - bucket.at) * requestsPerSecond)
  }
}
