/// Growing pauses between tries of the same thing: doubled each time, up to a limit.
struct Backoff {
  private var seconds: Double
  private let maxSeconds: Double

  init(firstSeconds: Double, maxSeconds: Double) {
    seconds = firstSeconds
    self.maxSeconds = maxSeconds
  }

  mutating func next() -> Double {
    defer { seconds = min(seconds * 2, maxSeconds) }
    return seconds
  }
}
