/// What one event did to a delivery.
public struct Applied: Equatable, Sendable {
  public enum Verdict: String, Sendable, CaseIterable {
    case applied
    /// Everything that it says was said by a higher sequence already.
    case stale
    /// The very same event again.
    case duplicate
    /// Another event claims the same sequence with other content; the content decided, so the delivery may have
    /// changed.
    case conflict
  }

  /// Remarks for metrics and `explain`; none of them changes the state.
  public struct Flags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let illegalTransition = Flags(rawValue: 1)
    /// Sequences between this event and the newest one before it are missing, so far.
    public static let gap = Flags(rawValue: 2)
    public static let futureTime = Flags(rawValue: 4)
    /// A terminal stage replaced by another one.
    public static let correction = Flags(rawValue: 8)
    public static let reopened = Flags(rawValue: 16)
  }

  public var verdict: Verdict
  public var flags: Flags

  public init(verdict: Verdict, flags: Flags = []) {
    self.verdict = verdict
    self.flags = flags
  }
}

/// Adds events to an order's state (docs/delivery-semantics.md 1.1 to 1.5).
public enum Tracker {
  /// Adds one event. The delivery changes at most on the verdicts `applied` and `conflict`.
  public static func apply(_ event: OrderEvent, to delivery: inout Delivery, now: Instant) -> Applied {
    if event.what == .forgotten { return forget(&delivery) }
    let mark = event.mark
    let before = delivery.standing
    var flags: Applied.Flags = event.stamp.time > now ? .futureTime : []
    if leavesGap(after: delivery.happenings.newest, mark) { flags.insert(.gap) }

    var tally = Tally()
    tally.count(delivery.happenings.newest.offer(true, at: mark))
    note(event, at: mark, in: &delivery, &tally)
    delivery.fields.take(event.changes, at: mark, isForgotten: delivery.isForgotten, &tally)
    if event.stamp.time > delivery.heardAt { delivery.heardAt = event.stamp.time }

    flags.formUnion(remarks(on: event, at: mark, from: before, to: delivery.standing))
    return Applied(verdict: tally.verdict, flags: flags)
  }

  private static func leavesGap(after newest: Register<Bool>, _ mark: Mark) -> Bool {
    guard let held = newest.entries.first(where: { $0.mark.isSameSpace(as: mark) })?.mark.stamp.sequence,
      mark.stamp.sequence != mark.stamp.time.microseconds
    else { return false }
    return mark.stamp.sequence > held && mark.stamp.sequence - held > 1
  }

  private static func note(_ event: OrderEvent, at mark: Mark, in delivery: inout Delivery, _ tally: inout Tally) {
    switch event.what {
    case .stage(let stage): tally.count(delivery.happenings.note(stage, at: mark))
    case .reopened(let stage):
      tally.count(delivery.happenings.reopened.offer(stage.isTerminal ? .placed : stage, at: mark))
    case .riderAssigned: tally.count(delivery.happenings.assigned.offer(true, at: mark))
    case .riderUnassigned:
      tally.count(delivery.happenings.assigned.offer(false, at: mark))
      tally.count(delivery.fields.rider.offer(nil, at: mark))
    case .riderAtStore: tally.count(delivery.happenings.atStore.offer(true, at: mark))
    case .updated, .forgotten: break
    }
  }

  /// Judges only the step that the order really takes: a late event that moves nothing is no step.
  private static func remarks(on event: OrderEvent, at mark: Mark, from: Standing, to: Standing) -> Applied.Flags {
    var flags: Applied.Flags = []
    switch event.what {
    case .stage(let stage):
      guard from.mark.map({ mark.beats($0) }) ?? false else { break }
      if Transitions.isCorrection(from: from.stage, to: stage) { flags.insert(.correction) }
      if !Transitions.isLegal(from: from.stage, to: stage) { flags.insert(.illegalTransition) }
    case .reopened:
      if to.reopening == mark { flags.insert(.reopened) }
      if !from.stage.isTerminal { flags.insert(.illegalTransition) }
    default: break
    }
    return flags
  }

  private static func forget(_ delivery: inout Delivery) -> Applied {
    guard !delivery.isForgotten else { return Applied(verdict: .duplicate) }
    delivery.isForgotten = true
    delivery.fields.dropPersonalData()
    return Applied(verdict: .applied)
  }

  /// Folds what became of an event's parts into one verdict.
  struct Tally {
    private var taken = false
    private var known = false
    private var conflicting = false

    mutating func count(_ offer: Offer) {
      switch offer {
      case .taken: taken = true
      case .known: known = true
      case .conflicting: conflicting = true
      case .outdated: break
      }
    }

    var verdict: Applied.Verdict {
      if conflicting { return .conflict }
      if taken { return .applied }
      return known ? .duplicate : .stale
    }
  }
}

extension DeliveryFields {
  mutating func take(_ changes: OrderChanges, at mark: Mark, isForgotten: Bool, _ tally: inout Tracker.Tally) {
    Self.take(changes.user, into: &user, mark, &tally)
    Self.take(changes.placedBy, into: &placedBy, mark, &tally)
    Self.take(changes.app, into: &app, mark, &tally)
    Self.take(changes.kind, into: &kind, mark, &tally)
    Self.take(changes.store?.id, into: &storeID, mark, &tally)
    Self.take(changes.store?.name, into: &storeName, mark, &tally)
    Self.take(changes.store?.location, into: &storeLocation, mark, &tally)
    Self.take(changes.rider.map { Optional($0.id) }, into: &rider, mark, &tally)
    Self.take(changes.promisedAt, into: &promisedAt, mark, &tally)
    Self.take(changes.schedule, into: &schedule, mark, &tally)
    Self.take(changes.estimatedReadyAt, into: &estimatedReadyAt, mark, &tally)
    Self.take(changes.stopsBefore, into: &stopsBefore, mark, &tally)
    Self.take(changes.platformArrival, into: &platformArrival, mark, &tally)
    Self.take(changes.deliveredAt, into: &deliveredAt, mark, &tally)
    Self.take(changes.cancelledBy, into: &cancelledBy, mark, &tally)
    if !isForgotten { takePersonal(changes, at: mark, &tally) }
  }

  private mutating func takePersonal(_ changes: OrderChanges, at mark: Mark, _ tally: inout Tracker.Tally) {
    Self.take(changes.destination, into: &destination, mark, &tally)
    Self.take(changes.reason, into: &reason, mark, &tally)
    Self.take(changes.attributes, into: &attributes, mark, &tally)
    if let rider = changes.rider, rider.name != nil || rider.vehicle != nil {
      Self.take(rider, into: &riderDetails, mark, &tally)
    }
  }

  mutating func dropPersonalData() {
    destination = Register()
    reason = Register()
    attributes = Register()
    riderDetails = Register()
  }

  private static func take<Value>(
    _ value: Value?, into register: inout Register<Value>, _ mark: Mark, _ tally: inout Tracker.Tally
  ) {
    if let value { tally.count(register.offer(value, at: mark)) }
  }
}
