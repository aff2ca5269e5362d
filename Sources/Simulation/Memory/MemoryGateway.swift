import Domain
import Service

/// The way to APNs, in memory: keeps what was sent and answers when told to.
public final class MemoryGateway: PushGateway, @unchecked Sendable {
  // Unchecked: used from one executor only.
  public struct Sent {
    public var push: Push
    public var sink: any PushAnswerSink
  }

  public var creditsPerLane = 1_000
  /// Pushes not answered yet, in the order of sending.
  public private(set) var waiting: [Sent] = []
  /// Every push ever sent.
  public private(set) var history: [Push] = []

  public init() {}

  public func credits(for lane: PushLane) -> Int { max(creditsPerLane - waiting.count, 0) }

  public func send(_ pushes: [Push], answersTo sink: any PushAnswerSink) {
    history += pushes
    waiting += pushes.map { Sent(push: $0, sink: sink) }
  }

  /// Answers everything that waits.
  public func answerAll(_ outcome: (Push) -> PushOutcome = { _ in .accepted }) {
    let answering = waiting
    waiting = []
    for sent in answering { sent.sink.answered([PushAnswer(ticket: sent.push.ticket, outcome: outcome(sent.push))]) }
  }
}
