/// Computes the figures of docs/delivery-semantics.md 7 from the truth log and the published stream, and from nothing
/// else: a stand-alone script recounts them from the same two files.
struct Oracle {
  private struct Key: Hashable {
    var phone: String
    var order: String
  }

  private var lanes: [Key: Lane] = [:]
  private var byOrder: [String: [Key]] = [:]
  private var truths: [String: TruthChange] = [:]
  private var permission: [String: Bool] = [:]
  private var online: [Key: Bool] = [:]
  private var grace = Span.zero
  private var excluded = ExcludedWindows()
  private var figures = Figures()

  static let mustNotice: Set<Step> = [.arriving, .cancelled, .failed]

  static func figures(_ log: TruthLog, at: Moment, real: Moment) -> Figures {
    var oracle = Oracle()
    return oracle.run(log, at: at, real: real)
  }

  private mutating func run(_ log: TruthLog, at end: Moment, real: Moment) -> Figures {
    let changes = TruthChange.all(in: log.published)
    let deliveredAt = Dictionary(
      changes.filter { $0.step == .delivered }.map { ($0.order, $0.at) }, uniquingKeysWith: { first, _ in first })
    log.visit { record in
      if record.kind == .excluded { excluded.add(from: record.at, until: Moment(micros: record.number ?? 0)) }
    }
    figures.orders = Set(changes.map(\.order)).count
    figures.events = log.published.count
    var next = 0
    log.visit { record in
      while next < changes.count, changes[next].at <= record.at {
        apply(changes[next])
        next += 1
      }
      apply(record, deliveredAt: deliveredAt[record.order])
    }
    for change in changes[next...] where change.at <= end { apply(change) }
    close(at: end, real: real)
    return figures
  }

  private mutating func apply(_ change: TruthChange) {
    truths[change.order] = change
    for key in byOrder[change.order] ?? [] { update(key, at: change.at) { $0.truthChanged(change) } }
  }

  private mutating func update(_ key: Key, at: Moment, _ body: (inout Lane) -> Void) {
    guard var lane = lanes[key] else { return }
    lane.advance(to: at, excluded: excluded)
    body(&lane)
    lanes[key] = lane
  }

  private mutating func apply(_ record: TruthRecord, deliveredAt: Moment?) {
    switch record.kind {
    case .clock: if let number = record.number { grace = Span(micros: number) }
    case .violation: figures.violations[record.word, default: 0] += 1
    case .phone: permission[record.phone] = record.text == "authorized" || record.text == "provisional"
    case .push: figures.count(record)
    case .dropped: figures.dropped[record.word, default: 0] += 1
    default: break
    }
    guard !record.order.isEmpty, !record.phone.isEmpty else { return }
    let key = Key(phone: record.phone, order: record.order)
    if lanes[key] == nil { open(key, at: record.at) }
    update(key, at: record.at) { lane in
      switch record.kind {
      case .follows: lane.follow(placing: record.word == "placing")
      case .push: lane.pushed(record)
      case .lag: lane.lagged(record)
      case .dropped: lane.dropped(record)
      case .card: lane.cardChanged(record)
      case .shown: lane.showed(record, deliveredAt: deliveredAt)
      case .reach: lane.reached(record.word)
      case .ring: lane.rang(record)
      default: break
      }
    }
    if record.kind == .reach { online[key] = !["offline", "loggedOut"].contains(record.word) }
  }

  private mutating func open(_ key: Key, at: Moment) {
    var lane = Lane(grace: grace, at: at)
    if let truth = truths[key.order] { lane.truthChanged(truth) }
    lanes[key] = lane
    byOrder[key.order, default: []].append(key)
  }

  private mutating func close(at end: Moment, real: Moment) {
    var lost: Set<String> = []
    for (key, opened) in lanes {
      var lane = opened
      lane.advance(to: end, excluded: excluded)
      lane.finish(real: real)
      if let truth = truths[key.order], Self.mustNotice.contains(truth.step), !lane.hasRung(truth.step),
        permission[key.phone] == true, online[key] == true, end - truth.at > Lane.safety
      {
        lane.sums.ringsMissed += 1
      }
      if lane.sums.isLost { lost.insert(key.order) }
      figures.sums += lane.sums
    }
    figures.eventsLost = lost.count
  }
}
