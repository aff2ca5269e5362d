import Codecs
import Crypto
import Domain
import Postgres
import Service

/// The statements, each prepared once per session under its name.
enum SQL {}

func orderHash(_ order: OrderID) -> [UInt8] { sha256(Array(order.text.utf8)) }

extension SQL {
  static let loadOrders = Statement(
    "load_orders",
    """
    select version, state, cause_fresh_until, traceparent, cause_record_at
    from orders where order_id = any($1) or rider_id = any($2)
    order by order_id
    """)

  static let loadRiders = Statement(
    "load_riders",
    """
    select version, state from riders
    where rider_id = any($2) or rider_id in (select o.rider_id from orders o where o.order_id = any($1))
    """)

  static let loadTombstones = Statement(
    "load_tombstones", "select order_hash from tombstones where order_hash = any($1)")

  static let lockRiders = Statement(
    "lock_riders", "select rider_id, version from riders where rider_id = any($1) order by rider_id for update")

  static let lockOrders = Statement(
    "lock_orders", "select order_id, version from orders where order_id = any($1) order by order_id for update")

  static let insertRiders = Statement(
    "insert_riders",
    """
    insert into riders (rider_id, version, state)
    select id, 1, state from unnest($1::text[], $2::bytea[]) as given (id, state)
    on conflict do nothing returning rider_id
    """)

  static let updateRiders = Statement(
    "update_riders",
    """
    update riders r set version = r.version + 1, state = given.state
    from unnest($1::text[], $2::bytea[]) as given (id, state) where r.rider_id = given.id
    """)

  static func parameters(of riders: [Versioned<RiderState>]) -> [Parameter] {
    [.texts(riders.map(\.value.id.text)), .byteStrings(riders.map { RiderRecord.encode($0.value) })]
  }

  private static let orderColumns = """
    unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int4[], $8::int8[], $9::int8[],
      $10::int8[], $11::int8[], $12::int8[], $13::int8[], $14::int8[], $15::text[], $16::bytea[], $17::bytea[])
      as given (order_id, user_id, placed_by, rider_id, app, kind, life, schedule_from, schedule_to, heard_at,
        finished_at, refresh_at, cause_fresh_until, cause_record_at, traceparent, state, desired)
    """

  static let insertOrders = Statement(
    "insert_orders",
    """
    insert into orders (order_id, version, user_id, placed_by, rider_id, app, kind, life, schedule_from, schedule_to,
      known_since, heard_at, finished_at, refresh_at, cause_fresh_until, cause_record_at, traceparent, state, desired)
    select order_id, 1, user_id, placed_by, rider_id, app, kind, life, schedule_from, schedule_to,
      $18::int8, heard_at, finished_at, refresh_at, cause_fresh_until, cause_record_at, traceparent, state,
      desired
    from \(orderColumns)
    on conflict do nothing returning order_id
    """)

  static let updateOrders = Statement(
    "update_orders",
    """
    update orders o set version = o.version + 1, user_id = given.user_id, placed_by = given.placed_by,
      rider_id = given.rider_id, app = given.app, kind = given.kind, life = given.life,
      schedule_from = given.schedule_from, schedule_to = given.schedule_to, heard_at = given.heard_at,
      finished_at = given.finished_at, refresh_at = given.refresh_at, cause_fresh_until = given.cause_fresh_until,
      cause_record_at = given.cause_record_at, traceparent = given.traceparent, state = given.state,
      desired = given.desired
    from \(orderColumns) where o.order_id = given.order_id
    """)

  static func parameters(of orders: [Versioned<OrderRow>]) -> [Parameter] {
    let rows = orders.map(\.value)
    let deliveries = rows.map(\.delivery)
    return [
      .texts(deliveries.map(\.id.text)), .texts(deliveries.map(\.user?.text)), .texts(deliveries.map(\.placedBy?.text)),
      .texts(deliveries.map { $0.finishedAt == nil ? $0.rider?.text : nil }), .texts(deliveries.map(\.app)),
      .texts(deliveries.map(\.kind)), .int32s(deliveries.map { $0.snapshot?.life ?? 0 }),
      .int64s(deliveries.map(\.schedule?.from.microseconds)), .int64s(deliveries.map(\.schedule?.to.microseconds)),
      .int64s(deliveries.map(\.heardAt.microseconds)), .int64s(deliveries.map(\.finishedAt?.microseconds)),
      .int64s(deliveries.map(\.refreshAt?.microseconds)), .int64s(rows.map(\.causeFreshUntil.microseconds)),
      .int64s(rows.map(\.causeRecordAt?.microseconds)), .texts(rows.map(\.traceparent)),
      .byteStrings(deliveries.map { DeliveryRecord.encode($0) }),
      .byteStrings(deliveries.map { $0.snapshot.map(SnapshotRecord.encode) }),
    ]
  }

  static let nextOffsets = Statement(
    "next_offsets", "select topic, partition, next_offset from consumer_offsets where consumer_group = $1")

  static let writeOffsets = Statement(
    "write_offsets",
    """
    insert into consumer_offsets (consumer_group, topic, partition, next_offset)
    select $1::text, topic, partition, next_offset
    from unnest($2::text[], $3::int4[], $4::int8[]) as given (topic, partition, next_offset)
    on conflict (consumer_group, topic, partition) do update set next_offset = excluded.next_offset
    """)

  static let refreshTimes = Statement(
    "refresh_times",
    """
    select order_id, coalesce(refresh_at, 9223372036854775807) from orders
    where finished_at is null and order_id > $1::text order by order_id limit $2
    """)
}
