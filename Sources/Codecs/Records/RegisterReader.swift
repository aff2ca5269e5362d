import Domain

/// Reads registers back, and the marks that they refer to.
struct RegisterReader {
  let root: JSONNode
  private let marks: [Mark]

  init(_ root: JSONNode) throws {
    self.root = root
    let spaces = try (root["spaces"]?.elements).map { try $0.map(Self.space) } ?? []
    marks = try (root["marks"]?.elements).map { try $0.map { try Self.mark($0, spaces) } } ?? []
  }

  private static func space(_ node: JSONNode) throws -> SequenceSpace {
    let parts = Array(node.elements)
    guard parts.count == 2, let name = parts[0].string, let rank = parts[1].int64.flatMap(Int.init(exactly:)) else {
      throw RecordError.missing("spaces", in: "delivery")
    }
    return SequenceSpace(name: name, rank: rank)
  }

  private static func mark(_ node: JSONNode, _ spaces: [SequenceSpace]) throws -> Mark {
    let parts = node.elements.compactMap(\.int64)
    guard parts.count == 4, let space = Int(exactly: parts[0]), spaces.indices.contains(space) else {
      throw RecordError.missing("marks", in: "delivery")
    }
    let stamp = Stamp(space: spaces[space], sequence: parts[1], time: Instant(microseconds: parts[2]))
    return Mark(stamp: stamp, content: UInt64(bitPattern: parts[3]))
  }

  func mark(_ node: JSONNode) throws -> Mark {
    guard let index = node.int64.flatMap(Int.init(exactly:)), marks.indices.contains(index) else {
      throw RecordError.missing("marks", in: "delivery")
    }
    return marks[index]
  }

  func read(into fields: inout DeliveryFields) throws {
    fields.user = try register("user") { $0.string.map(UserID.init) }
    fields.placedBy = try register("placedBy") { $0.string.map(InstallationID.init) }
    fields.app = try register("app", \.string)
    fields.kind = try register("kind", \.string)
    fields.storeID = try register("storeID", \.string)
    fields.storeName = try register("storeName", \.string)
    fields.storeLocation = try register("storeLocation", \.coordinate)
    fields.destination = try register("destination", \.coordinate)
    fields.rider = try register("rider") { $0.isNull ? .some(nil) : $0.string.map { .some(RiderID($0)) } }
    fields.riderDetails = try register("riderDetails", \.riderInfo)
    fields.promisedAt = try register("promisedAt", \.time)
    fields.schedule = try register("schedule", \.window)
    fields.estimatedReadyAt = try register("estimatedReadyAt", \.time)
    fields.stopsBefore = try register("stopsBefore") { $0.int64.flatMap(Int.init(exactly:)) }
    fields.platformArrival = try register("platformArrival", \.time)
    fields.deliveredAt = try register("deliveredAt", \.time)
    fields.reason = try register("reason", \.string)
    fields.cancelledBy = try register("cancelledBy", \.string)
    fields.attributes = try register("attributes", \.texts)
  }

  func read(into happenings: inout DeliveryHappenings) throws {
    let said = try entries("stages", \.stage)
    happenings.stages = Stage.allCases.compactMap { stage in
      let entries = said.filter { $0.value == stage }
      return entries.isEmpty ? nil : Register(entries: entries)
    }
    happenings.reopened = try register("reopened", \.stage)
    happenings.assigned = try register("assigned", \.bool)
    happenings.atStore = try register("atStore", \.bool)
    happenings.newest = try register("newest", \.bool)
  }

  private func register<Value>(_ name: StaticString, _ value: (JSONNode) -> Value?) throws -> Register<Value> {
    Register(entries: try entries(name, value))
  }

  private func entries<Value>(
    _ name: StaticString, _ value: (JSONNode) -> Value?
  ) throws -> [Register<Value>.Entry] {
    guard let nodes = root[name].map({ Array($0.elements) }) else { return [] }
    guard nodes.count.isMultiple(of: 2) else { throw RecordError.missing("\(name)", in: "delivery") }
    return try stride(from: 0, to: nodes.count, by: 2).map { index in
      guard let value = value(nodes[index + 1]) else { throw RecordError.missing("\(name)", in: "delivery") }
      return .init(mark: try mark(nodes[index]), value: value)
    }
  }
}

extension JSONNode {
  fileprivate var time: Instant? { int64.map(Instant.init(microseconds:)) }
  fileprivate var stage: Stage? { string.flatMap(Stage.init(name:)) }

  fileprivate var coordinate: Coordinate? {
    let parts = elements.compactMap(\.double)
    return parts.count == 2 ? Coordinate(latitude: parts[0], longitude: parts[1]) : nil
  }

  fileprivate var window: ScheduleWindow? {
    let parts = elements.compactMap(\.time)
    return parts.count == 2 ? ScheduleWindow(from: parts[0], to: parts[1]) : nil
  }

  fileprivate var riderInfo: RiderInfo? {
    self["id"]?.string.map {
      RiderInfo(
        id: RiderID($0), name: self["name"]?.string, vehicle: self["vehicle"]?.string,
        location: self["location"]?.coordinate)
    }
  }

  fileprivate var texts: [String: String]? {
    guard kind == .object else { return nil }
    var texts: [String: String] = [:]
    for (key, value) in members {
      guard let name = key.string, let text = value.string else { return nil }
      texts[name] = text
    }
    return texts
  }
}
