import APNs
import Domain
import Runtime
import Service

/// Does what the dispatcher does around a push, without its database: chooses, shapes, pushes no more than there are
/// credits, and takes note of the outcome.
struct BenchPushDriver {
  private static let inFlightMax = 8192

  let gateway: APNsGateway
  private(set) var answered = 0
  private(set) var accepted = 0
  private(set) var longestSeconds = 0.0
  private var sent = 0
  private var workload: BenchPushWorkload
  private var phoneOfTicket = [Int](repeating: 0, count: inFlightMax)
  private let inbox = BenchInbox()
  private let deadlineSeconds: Double

  init(
    options: BenchPushOptions, target: String, connections: ClosedRange<Int>, tokens: Int, deadlineSeconds: Double = 5
  ) throws {
    self.deadlineSeconds = deadlineSeconds
    workload = try BenchPushWorkload(tokens: tokens)
    let key = APNsConfiguration.Key(
      teamID: "BENCH00000", keyID: "BENCH00001", file: "\(options.folder)/key.p8", environments: [.production])
    var configuration = APNsConfiguration(apps: [BenchPushWorkload.lane.bundleID: [key]])
    configuration.productionURL = "https://\(target)"
    configuration.caFile = options.caFile
    (configuration.connectionsMin, configuration.connectionsMax) = (connections.lowerBound, connections.upperBound)
    let clock = SystemClock()
    gateway = try APNsGateway(configuration, tokenStore: MemoryProviderTokenStore { clock.wall().seconds })
  }

  /// Takes what was answered and sends what there are credits for, `total` pushes in all; waits when there is nothing.
  mutating func turn(upTo total: Int) async throws {
    for answer in inbox.takeAll() { take(answer) }
    let credits = gateway.credits(for: BenchPushWorkload.lane)
    let count = min(credits, total - sent, Self.inFlightMax - (sent - answered))
    guard count > 0 else { return await inbox.wait() }
    var batch: [Push] = []
    batch.reserveCapacity(count)
    for _ in 0..<count {
      var (phone, push) = try workload.next(ticket: UInt64(sent))
      push.deadlineSeconds = deadlineSeconds
      phoneOfTicket[sent % Self.inFlightMax] = phone
      batch.append(push)
      sent += 1
    }
    gateway.send(batch, answersTo: inbox)
  }

  private mutating func take(_ answer: PushAnswer) {
    answered += 1
    longestSeconds = max(longestSeconds, answer.seconds)
    guard answer.outcome == .accepted else { return }
    accepted += 1
    workload.accepted(phone: phoneOfTicket[Int(answer.ticket % UInt64(Self.inFlightMax))])
  }
}

/// Takes answers in batches.
private final class BenchInbox: PushAnswerSink {
  private let held = Lock<[PushAnswer]>([])
  private let arrived = TimedSignal()

  func answered(_ answers: [PushAnswer]) {
    held.withLock { $0 += answers }
    arrived.raise()
  }

  func takeAll() -> [PushAnswer] {
    held.withLock { held in
      defer { held.removeAll(keepingCapacity: true) }
      return held
    }
  }

  func wait() async { await arrived.wait(seconds: 0.1) }
}
