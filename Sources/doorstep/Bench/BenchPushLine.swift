import Runtime

/// The whole way of a push on the sending side over one connection: choose, shape, push, outcome.
struct BenchPushLine {
  let options: BenchPushOptions

  func run() async throws {
    var driver = try BenchPushDriver(
      options: options, target: options.target ?? "", connections: 1...1, tokens: options.tokens)
    try await driver.gateway.start()
    var residentThird = 0
    let began = MonotonicClock.now
    while driver.answered < options.requests {
      try await driver.turn(upTo: options.requests)
      if residentThird == 0, driver.answered > options.requests / 3 { residentThird = BenchProcess.residentKiB() }
    }
    let rate = (Double(driver.answered) / (MonotonicClock.now - began)).rounded()
    Terminal.print(
      "succeeded=\(driver.accepted) perSecond=\(rate) residentThirdKiB=\(residentThird)"
        + " residentKiB=\(BenchProcess.residentKiB())")
    await driver.gateway.drain()
  }
}
