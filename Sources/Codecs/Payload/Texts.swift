import Domain

/// A text in a notification: said by us, or looked up by the app in its own strings.
public enum Text: Equatable, Sendable {
  case literal(String)
  /// `loc-key` with `loc-args`; the phone picks the language.
  case localized(key: String, arguments: [String] = [])
}

/// What a notification says: title and body, never blank.
public struct Announcement: Equatable, Sendable {
  public var title: Text
  public var body: Text

  public init(title: Text, body: Text) {
    self.title = title
    self.body = body
  }
}

/// The texts for each milestone. The built-in ones are neutral English and name nobody.
public struct Texts: Sendable {
  public var announcements: [Stage: Announcement]

  public init(announcements: [Stage: Announcement] = [:]) { self.announcements = announcements }

  public static let neutral = Texts()

  /// The announcement of a stage; the built-in one where none was given or a given one is blank.
  public func announcement(of stage: Stage) -> Announcement {
    let builtIn = Self.builtIn(stage)
    guard let given = announcements[stage] else { return builtIn }
    return Announcement(
      title: given.title.isBlank ? builtIn.title : given.title, body: given.body.isBlank ? builtIn.body : given.body)
  }

  private static func builtIn(_ stage: Stage) -> Announcement {
    let (title, body) =
      switch stage {
      case .placed: ("Order placed", "We will keep you posted here.")
      case .accepted: ("Order accepted", "The store has your order.")
      case .preparing: ("In preparation", "Your order is being prepared.")
      case .ready: ("Ready for pickup", "Your order is waiting for its rider.")
      case .pickedUp: ("Picked up", "The rider has your order.")
      case .delivering: ("On the way", "Your order is on its way to you.")
      case .arriving: ("Almost there", "Your order is about to arrive.")
      case .returning: ("Going back", "Your order is on its way back to the store.")
      case .delivered: ("Delivered", "Your order has arrived.")
      case .cancelled: ("Order cancelled", "Your order was called off.")
      case .failed: ("Delivery failed", "Your order could not be delivered.")
      case .returned: ("Order returned", "Your order is back at the store.")
      }
    return Announcement(title: .literal(title), body: .literal(body))
  }
}

extension Text {
  var isBlank: Bool {
    switch self {
    case .literal(let text): text.allSatisfy(\.isWhitespace)
    case .localized(let key, _): key.allSatisfy(\.isWhitespace)
    }
  }
}
