/// Where an order truly stands, as all its events together say.
public struct Standing: Equatable, Sendable {
  public var stage: Stage
  /// The event that put it there; nil when none said any stage.
  public var mark: Mark?
  /// The newest reopening, while the order runs because of it.
  public var reopening: Mark?
}

extension Delivery {
  /// Rule 1.5: the highest terminal event that no higher reopening undoes; else the newest of progress and reopening.
  public var standing: Standing {
    let reopenings = happenings.reopened.entries
    let terminals = happenings.stages.lazy.filter { $0.value?.isTerminal ?? false }.flatMap(\.entries)
      .newestOfEachSpace.filter { terminal in !reopenings.contains { $0.mark.beats(terminal.mark) } }
    if let end = terminals.winner { return Standing(stage: end.value, mark: end.mark) }
    let progress = happenings.stages.lazy.filter { !($0.value?.isTerminal ?? true) }.flatMap(\.entries)
    let newest = (Array(progress) + reopenings).winner
    return Standing(stage: newest?.value ?? .placed, mark: newest?.mark, reopening: reopenings.winner?.mark)
  }

  /// True once an event said anything that a phone could show.
  public var isShowable: Bool {
    !happenings.stages.isEmpty || !happenings.reopened.isEmpty || !happenings.assigned.isEmpty
      || !happenings.atStore.isEmpty
  }
}
