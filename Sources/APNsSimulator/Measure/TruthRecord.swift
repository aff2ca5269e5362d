/// One line of the truth log: what the simulator saw or a phone showed. `docs/simulator.md` documents each kind.
public struct TruthRecord: Equatable, Sendable {
  public enum Kind: String, Sendable, CaseIterable {
    /// First line: `number` = grace in microseconds of card time.
    case clock
    /// A phone was switched on or its permission changed; `word` = its app build, `text` = notification permission.
    case phone
    /// The phone belongs to the order's customer; `word` = `placing` or `other`.
    case follows
    /// An answer to a push; `word` = start, update, end, alert or background.
    case push
    /// Why an accepted push is not on the screen yet: `word`.
    case lag
    /// A push that will never be shown; `word` = why.
    case dropped
    /// A card changed; `word` = started, pushStarted, tokenKnown, registered, stale, ended, removed or dismissed.
    case card
    /// What the card shows from now on.
    case shown
    /// What a perfect server could do for this order on this phone; `word` = card, start, or the cause of not.
    case reach
    /// The phone rang; `word` = card or alert.
    case ring
    /// A request that Apple would refuse; `word` = reason, `text` = detail.
    case violation
    /// A fault was set or ended; `word` = its id.
    case fault
    /// From here until `number` (microseconds of card time) truth is not counted.
    case excluded
  }

  public var kind: Kind
  /// Card time and real time.
  public var at = Moment(micros: 0)
  public var real = Moment(micros: 0)
  /// Installation id.
  public var phone = ""
  public var order = ""
  /// Number of the card in this run; 0 = none.
  public var card = 0
  public var word = ""
  public var stage: Steps = []
  /// The content's sequence, or another number that the kind documents.
  public var number: Int64?
  /// Estimated arrival that is shown, Unix seconds.
  public var arrival: Int64?
  /// Number of the push in this run; 0 = none.
  public var push = 0
  public var status = 0
  public var priority = 0
  /// Of a push: it carries an alert with text.
  public var rings = false
  public var text: String?

  public init(_ kind: Kind) {
    self.kind = kind
  }

  /// One JSON object without a line end.
  public var line: [UInt8] {
    var json = JSONText()
    json.add("kind", kind.rawValue)
    json.add("at", at.micros)
    json.add("real", real.micros)
    if !phone.isEmpty { json.add("phone", phone) }
    if !order.isEmpty { json.add("order", order) }
    if card != 0 { json.add("card", Int64(card)) }
    if !word.isEmpty { json.add("word", word) }
    if !stage.isEmpty { json.add("stage", stage.text) }
    if let number { json.add("number", number) }
    if let arrival { json.add("arrival", arrival) }
    if push != 0 { json.add("push", Int64(push)) }
    if status != 0 { json.add("status", Int64(status)) }
    if priority != 0 { json.add("priority", Int64(priority)) }
    if rings { json.add("rings", true) }
    if let text { json.add("text", text) }
    return json.closed()
  }
}
