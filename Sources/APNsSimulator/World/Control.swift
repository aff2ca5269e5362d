import FoundationEssentials

/// The control port's requests, apart from its sockets: path and body in, status and JSON out.
public struct Control {
  /// Real time to card time.
  public var toCardTime: (Moment) -> Moment

  public init(toCardTime: @escaping (Moment) -> Moment) {
    self.toCardTime = toCardTime
  }

  public struct Reply: Equatable, Sendable {
    public var status: Int
    public var body: [UInt8]
  }

  private struct Phones: Decodable { var phones: [PhoneSpec] }
  private struct Orders: Decodable { var orders: [OrderSpec] }
  private struct Actions: Decodable { var actions: [ActionSpec] }
  private struct Keys: Decodable { var keys: [KeySpec] }
  private struct Faults: Decodable { var faults: [Fault] }
  private struct Events: Decodable { var events: [Published] }
  private struct Windows: Decodable { var windows: [Window] }

  private struct Published: Decodable {
    var atMicros: Int64
    var topic: String?
    var event: JSONValue
  }

  private struct Window: Decodable {
    var fromMicros: Int64
    var untilMicros: Int64
  }

  public func handle(_ method: String, _ path: String, _ body: [UInt8], in world: World) -> Reply {
    let parts = path.split(separator: "/").map(String.init)
    do {
      switch (method, parts.first ?? "", parts.count) {
      case ("POST", "phones", 1):
        let phones = try decode(Phones.self, body).phones
        try world.switchOn(phones)
        return count("phones", phones.count)
      case ("POST", "orders", 1):
        let orders = try decode(Orders.self, body).orders
        try world.place(orders)
        return count("orders", orders.count)
      case ("POST", "actions", 1):
        let actions = try decode(Actions.self, body).actions
        try world.act(actions)
        return count("actions", actions.count)
      case ("POST", "published", 1): return try published(body, world)
      case ("POST", "excluded", 1): return try exclude(body, world)
      case ("POST", "keys", 1): return encoded(["keys": try world.change(try decode(Keys.self, body).keys)])
      case ("POST", "faults", 1): return encoded(["faults": world.add(try decode(Faults.self, body).faults)])
      case ("DELETE", "faults", 1), ("DELETE", "faults", 2):
        world.endFault(parts.count > 1 ? parts[1] : nil)
        return count("faults", world.faults.count)
      case ("GET", "health", 1): return encoded(world.health)
      case ("GET", "phones", 2): return encoded(try world.screen(of: parts[1]))
      case ("GET", "report", 1): return Reply(status: 200, body: world.report().json)
      case ("POST", "finish", 1): return Reply(status: 200, body: world.finish().json)
      default: return failure(404, "no \(method) \(path); the documented requests are in docs/simulator.md")
      }
    } catch let error as CommandRefused {
      return failure(400, error.description)
    } catch {
      return failure(400, "\(method) \(path): \(Self.explain(error))")
    }
  }

  private func published(_ body: [UInt8], _ world: World) throws -> Reply {
    let events: [Published]
    if let list = try? decode(Events.self, body) {
      events = list.events
    } else {
      events = try body.split(separator: UInt8(ascii: "\n")).map { try decode(Published.self, Array($0)) }
    }
    world.heard(
      events.map { event in
        let real = Moment(micros: event.atMicros)
        return PublishedEvent(at: toCardTime(real), real: real, topic: event.topic ?? "", event: event.event)
      })
    return count("events", events.count)
  }

  private func exclude(_ body: [UInt8], _ world: World) throws -> Reply {
    let windows = try decode(Windows.self, body).windows
    for window in windows {
      world.excludeTruth(
        from: toCardTime(Moment(micros: window.fromMicros)), until: toCardTime(Moment(micros: window.untilMicros)))
    }
    return count("windows", windows.count)
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ body: [UInt8]) throws -> Value {
    try JSONDecoder().decode(type, from: Data(body))
  }

  private func encoded(_ value: some Encodable) -> Reply {
    guard let data = try? JSONEncoder().encode(value) else { return failure(500, "the answer could not be encoded") }
    return Reply(status: 200, body: Array(data))
  }

  private func count(_ name: StaticString, _ value: Int) -> Reply {
    var json = JSONText()
    json.add(name, Int64(value))
    return Reply(status: 200, body: json.closed())
  }

  private func failure(_ status: Int, _ text: String) -> Reply {
    var json = JSONText()
    json.add("error", text)
    return Reply(status: status, body: json.closed())
  }

  private static func explain(_ error: any Error) -> String {
    switch error as? DecodingError {
    case .keyNotFound(let key, let context): "\(path(context.codingPath)): \(key.stringValue) is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      "\(path(context.codingPath)): \(context.debugDescription)"
    default: "the body is not the JSON that was expected"
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    keys.isEmpty ? "body" : keys.map(\.stringValue).joined(separator: ".")
  }
}
