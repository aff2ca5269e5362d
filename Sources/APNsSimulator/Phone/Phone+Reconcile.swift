import FoundationEssentials

/// What the API answers when the app comes to the foreground: one instruction per order.
struct ReconcileAnswer: Decodable {
  enum Action: String, Decodable { case start, update, end, keep }

  struct Instruction: Decodable {
    var action: Action
    var orderId: String
    var activityId: String?
    var snapshot: Snapshot?
  }

  /// The content in the app's own shape, decoded by the installed build.
  struct Snapshot: Decodable {
    var content: ShownContent?

    private enum Key: String, CodingKey { case contentState }

    init(from decoder: any Decoder) throws {
      let build = PushPayload.build.flatMap { decoder.userInfo[$0] as? AppBuild } ?? .builtIn
      let keyed = try decoder.container(keyedBy: Key.self)
      if keyed.contains(.contentState) { content = try build.content(from: keyed.superDecoder(forKey: .contentState)) }
    }
  }

  var orders: [Instruction]

  /// Nil when it is not what was expected.
  static func decode(_ body: [UInt8], for build: AppBuild) -> ReconcileAnswer? {
    let decoder = JSONDecoder()
    if let key = PushPayload.build { decoder.userInfo[key] = build }
    return try? decoder.decode(ReconcileAnswer.self, from: Data(body))
  }
}

extension Phone {
  /// The app runs: it makes its cards what the API says.
  func follow(_ answer: ReconcileAnswer, _ hands: inout Hands) {
    for instruction in answer.orders {
      let at = cards.firstIndex { $0.activityID == instruction.activityId && $0.isActive }
      switch instruction.action {
      case .keep: break
      case .start:
        if let content = instruction.snapshot?.content { startOwnCard(instruction.orderId, content: content, &hands) }
      case .update:
        if let at, let content = instruction.snapshot?.content { updateFromApp(at, content, &hands) }
      case .end:
        guard let at else { continue }
        if let content = instruction.snapshot?.content { updateFromApp(at, content, &hands) }
        finish(at, dismissal: 0, &hands)
        uploadActivity(cards[at], state: "ended", cause: "app", &hands)
      }
    }
  }

  private func updateFromApp(_ at: Int, _ content: ShownContent, _ hands: inout Hands) {
    if let old = cards[at].content.sequence, let new = content.sequence, new <= old { return }
    cards[at].content = content
    cards[at].drawn = content
    cards[at].drawnAt = hands.now
    cards[at].pendingDraw = 0
    writeShown(cards[at], push: 0, &hands)
  }
}
