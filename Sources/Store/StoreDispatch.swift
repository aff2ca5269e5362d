import Domain
import Postgres
import Service

extension PostgresStore: DispatchStore {
  /// A finished order without a card stays in view so long, for its last alert.
  static let finishedSeconds = 3_600.0

  public func take(shards: [Int32], owner: String) async throws -> [ShardLease] {
    try await Self.guarding {
      let rows = try await dispatch.run(Call(SQL.takeShards, [.int32s(shards), .text(owner)]))
      return (0..<rows.count).compactMap { row in
        guard let shard = rows.int32(row, 0), let epoch = rows.int64(row, 1) else { return nil }
        return ShardLease(shard: shard, epoch: epoch)
      }
    }
  }

  public func phones(for wakes: Wakes, now: Instant) async throws -> [LoadedPhone] {
    try await Self.guarding {
      let woken = try await dispatch.run(
        Call(SQL.wokenPhones, [.texts(wakes.orders.map(\.text)), .texts(wakes.phones.map(\.text))]))
      let ids = (0..<woken.count).compactMap { woken.text($0, 0) }
      let finishedAfter = now.advanced(by: -Self.finishedSeconds).microseconds
      let answers = try await dispatch.run([
        Call(SQL.readPhones, [.texts(ids)]), Call(SQL.readTokens, [.texts(ids)]),
        Call(SQL.readOrders, [.texts(ids), .int64(finishedAfter)]), Call(SQL.readCards, [.texts(ids)]),
      ])
      return try PhoneReader(vault: vault, answers: answers).phones()
    }
  }

  public func livePhones(shards: [Int32], after last: InstallationID?, limit: Int) async throws -> [InstallationID] {
    try await Self.guarding {
      let rows = try await dispatch.run(
        Call(SQL.livePhones, [.int32s(shards), .text(last?.text ?? ""), .int32(Int32(clamping: limit))]))
      return (0..<rows.count).compactMap { rows.text($0, 0).map { InstallationID($0) } }
    }
  }

  public func reserve(_ requests: [ReservationRequest], now: Instant) async throws -> [Reservation] {
    let parameters =
      Self.parameters(of: requests) + [
        .double(scale.origin), .double(scale.factor), .int64(now.microseconds),
      ]
    return try await Self.guarding {
      let rows = try await dispatch.run(Call(SQL.reserve, parameters))
      return (0..<rows.count).compactMap { row in
        guard let phone = rows.text(row, 0), let attempt = rows.int64(row, 1), let timestamp = rows.int64(row, 2)
        else { return nil }
        return Reservation(phone: InstallationID(phone), attempt: attempt, apsTimestamp: timestamp)
      }
    }
  }

  private static func parameters(of requests: [ReservationRequest]) -> [Parameter] {
    let plans = requests.map(\.plan)
    return [
      .texts(requests.map(\.phone.text)), .int32s(requests.map(\.lease.shard)), .int64s(requests.map(\.lease.epoch)),
      .int64s(requests.map(\.attempt)), .int64s(requests.map(\.registration)), .texts(plans.map(\.order.text)),
      .int64s(requests.map(\.orderVersion)), .int32s(plans.map(\.generation)), .texts(plans.map(\.event.column)),
      .int32s(requests.map { $0.desired?.life ?? 0 }), .int32s(plans.map { ringBit($0.ring) }),
      .texts(plans.map { $0.attributesType ?? "" }), .texts(requests.map { StartTimes.text($0.budget.starts) }),
      .doubles(requests.map(\.budget.bucket)), .int64s(requests.map(\.budget.bucketAt.microseconds)),
      .doubles(requests.map(\.leaseSeconds)),
    ]
  }

  static func ringBit(_ stage: Stage?) -> Int32 { stage.map { 1 << Int32($0.rawValue) } ?? 0 }
}

extension PushPlan.Event {
  /// The word in statements.
  var column: String {
    switch self {
    case .start: "start"
    case .update: "update"
    case .end: "end"
    case .alert: "alert"
    case .wakeApp: "wakeApp"
    }
  }
}

/// The `starts` column: microseconds, comma-separated, oldest first.
enum StartTimes {
  static func text(_ times: [Instant]) -> String { times.map { String($0.microseconds) }.joined(separator: ",") }

  static func times(_ text: String) -> [Instant] {
    text.split(separator: ",").compactMap { Int64($0) }.map { Instant(microseconds: $0) }
  }
}
