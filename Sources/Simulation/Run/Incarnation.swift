/// One life of the service's process. When it has crashed nothing that it still does has any effect: a crash is the
/// rest of the work dropped, not an error that code could catch.
final class Incarnation {
  private(set) var isDead = false
  /// Effects and gaps between them until it crashes; nil when it is to live.
  private var stepsToLive: Int?

  init(stepsToLive: Int?) { self.stepsToLive = stepsToLive }

  /// It will die after so many more gaps between effects.
  func end(afterSteps steps: Int) { stepsToLive = steps }

  /// Passes one gap between two effects; true when the process is dead after it.
  private func passes() -> Bool {
    if let steps = stepsToLive {
      stepsToLive = steps - 1
      if steps <= 0 { isDead = true }
    }
    return isDead
  }

  /// Does one effect unless the process died before it; the result is lost when it dies right after it.
  func effect<Result>(else nothing: Result, _ body: () async throws -> Result) async rethrows -> Result {
    if passes() { return nothing }
    let result = try await body()
    return passes() ? nothing : result
  }

  func effect(_ body: () -> Void) {
    if passes() { return }
    body()
    _ = passes()
  }
}
