/// One field of an order: the newest value of each sequence space, so that it converges whatever the arrival order.
public struct Register<Value: Hashable & Sendable>: Equatable, Sendable {
  public struct Entry: Hashable, Sendable {
    public var mark: Mark
    public var value: Value

    public init(mark: Mark, value: Value) {
      self.mark = mark
      self.value = value
    }
  }

  /// One per space, in the order of the spaces' names.
  public private(set) var entries: [Entry] = []

  public init() {}

  /// Takes entries in any order, as a record gives them.
  public init(entries: [Entry]) {
    for entry in entries { offer(entry.value, at: entry.mark) }
  }

  /// Takes the value if its mark beats the one held for its space.
  @discardableResult
  public mutating func offer(_ value: Value, at mark: Mark) -> Offer {
    guard let index = entries.firstIndex(where: { $0.mark.stamp.space.name >= mark.stamp.space.name }) else {
      entries.append(Entry(mark: mark, value: value))
      return .taken
    }
    let held = entries[index].mark
    guard held.isSameSpace(as: mark) else {
      entries.insert(Entry(mark: mark, value: value), at: index)
      return .taken
    }
    if held == mark { return .known }
    if mark.beats(held) { entries[index] = Entry(mark: mark, value: value) }
    if mark.conflicts(with: held) { return .conflicting }
    return entries[index].mark == mark ? .taken : .outdated
  }

  public var winner: Entry? { entries.winner }
  public var value: Value? { entries.winner?.value }
  public var isEmpty: Bool { entries.isEmpty }
}

/// What became of a value offered to a register.
public enum Offer: Equatable, Sendable {
  case taken
  /// The register holds exactly this event's value already.
  case known
  case outdated
  /// Another event with the same sequence said something else; the register holds the one that content decides for.
  case conflicting
}

/// Something with a place among events.
protocol Marked {
  var mark: Mark { get }
}

extension Register.Entry: Marked {}

extension Sequence where Element: Marked {
  /// First the newest within each space, then the winner among spaces: in that order the result is the same for every
  /// order of arrival, although marks of different spaces are compared by other things than marks of one.
  var winner: Element? {
    var best: Element?
    for candidate in newestOfEachSpace where best.map({ candidate.mark.beats($0.mark) }) ?? true { best = candidate }
    return best
  }

  var newestOfEachSpace: [Element] {
    var newest: [Element] = []
    for candidate in self {
      if let index = newest.firstIndex(where: { $0.mark.isSameSpace(as: candidate.mark) }) {
        if candidate.mark.beats(newest[index].mark) { newest[index] = candidate }
      } else {
        newest.append(candidate)
      }
    }
    return newest
  }
}
