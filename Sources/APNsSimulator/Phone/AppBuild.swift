import FoundationEssentials

/// An app build: the Swift types that a phone decodes pushes into, exactly as ActivityKit would, with `JSONDecoder`
/// and its defaults. These types are the app's, not the sender's.
public enum AppBuild: String, Codable, Sendable, CaseIterable {
  /// The built-in shape, version 1.
  case builtIn
  /// An older build in the field: it does not know `returning`, `failed` and `returned` and fails to decode them.
  case builtInOld
  /// `{stage, estimatedArrivalTimestamp, remainingMeters}`
  case compact
  /// `{driverName, estimatedDeliveryTime: ClosedRange<Date>, currentStep}`
  case timer
  /// `{status, estimatedArrivalMinutes}`
  case minutes
  /// `{emoji, title, body, progress?}`: its stage cannot be told from the content.
  case texts

  public var attributesType: String {
    switch self {
    case .builtIn, .builtInOld: "DeliveryAttributes"
    case .compact: "CompactDeliveryAttributes"
    case .timer: "TimerDeliveryAttributes"
    case .minutes: "MinutesDeliveryAttributes"
    case .texts: "TextsDeliveryAttributes"
    }
  }

  func content(from decoder: any Decoder) throws -> ShownContent {
    switch self {
    case .builtIn: try BuiltInState(from: decoder).content
    case .builtInOld: try OldBuiltInState(from: decoder).content
    case .compact: try CompactState(from: decoder).content
    case .timer: try TimerState(from: decoder).content
    case .minutes: try MinutesState(from: decoder).content
    case .texts: try TextsState(from: decoder).content
    }
  }

  /// The order that a pushed card belongs to.
  func order(from decoder: any Decoder) throws -> String {
    switch self {
    case .builtIn, .builtInOld: try BuiltInAttributes(from: decoder).orderID
    case .compact, .timer, .minutes, .texts: try PlainAttributes(from: decoder).orderID
    }
  }
}

/// What a card shows, as far as the measure is concerned.
struct ShownContent: Equatable, Sendable {
  var stage: Steps
  /// Nil in apps that have none.
  var sequence: Int64?
  /// Unix seconds.
  var arrival: Int64?
}

private struct BuiltInAttributes: Decodable {
  var orderID: String
  var storeName: String
  var startedAtTimestamp: Int
}

private struct PlainAttributes: Decodable {
  var orderID: String
  var storeName: String
}

private enum StageWord: String, Decodable {
  case placed, accepted, preparing, ready, pickedUp, delivering, arriving, returning
  case delivered, cancelled, failed, returned

  var step: Steps { Step(name: rawValue).map(Steps.init) ?? [] }
}

private enum OldStageWord: String, Decodable {
  case placed, accepted, preparing, ready, pickedUp, delivering, arriving, delivered, cancelled

  var step: Steps { Step(name: rawValue).map(Steps.init) ?? [] }
}

private enum RiderPhase: String, Decodable {
  case none, assigned, atStore, carrying
}

private struct BuiltInState: Decodable {
  var sequence: Int
  var stage: StageWord
  var stageStartedTimestamp: Int
  var snapshotTimestamp: Int
  var riderPhase: RiderPhase
  var stopsBefore: Int?
  var estimatedArrivalTimestamp: Int?
  var estimatedArrivalEarliestTimestamp: Int?
  var estimatedArrivalLatestTimestamp: Int?
  var remainingMeters: Int?
  var progress: Double
  var riderName: String?
  var isDelayed: Bool

  var content: ShownContent {
    ShownContent(stage: stage.step, sequence: Int64(sequence), arrival: estimatedArrivalTimestamp.map(Int64.init))
  }
}

private struct OldBuiltInState: Decodable {
  var sequence: Int
  var stage: OldStageWord
  var estimatedArrivalTimestamp: Int?
  var remainingMeters: Int?
  var progress: Double

  var content: ShownContent {
    ShownContent(stage: stage.step, sequence: Int64(sequence), arrival: estimatedArrivalTimestamp.map(Int64.init))
  }
}

private struct CompactState: Decodable {
  var stage: StageWord
  var estimatedArrivalTimestamp: Int?
  var remainingMeters: Int?

  var content: ShownContent {
    ShownContent(stage: stage.step, sequence: nil, arrival: estimatedArrivalTimestamp.map(Int64.init))
  }
}

private struct TimerState: Decodable {
  var driverName: String?
  var estimatedDeliveryTime: ClosedRange<Date>?
  var currentStep: StageWord

  var content: ShownContent {
    let end = estimatedDeliveryTime.flatMap { Int64(exactly: $0.upperBound.timeIntervalSince1970.rounded()) }
    return ShownContent(stage: currentStep.step, sequence: nil, arrival: end)
  }
}

private struct MinutesState: Decodable {
  var status: StageWord
  var estimatedArrivalMinutes: Int?

  var content: ShownContent { ShownContent(stage: status.step, sequence: nil, arrival: nil) }
}

private struct TextsState: Decodable {
  var emoji: String
  var title: String
  var body: String
  var progress: Double?

  var content: ShownContent { ShownContent(stage: .any, sequence: nil, arrival: nil) }
}
