import Postgres

extension SQL {
  static let takeShards = Statement(
    "take_shards",
    """
    insert into shards as s (shard, epoch, owner, taken_at)
    select shard, 1, $2::text, clock_timestamp() from unnest($1::int4[]) as given (shard) order by shard
    on conflict (shard) do update set epoch = s.epoch + 1, owner = excluded.owner, taken_at = excluded.taken_at
    returning shard, epoch
    """)

  /// Phones of woken orders - their users', the placing ones, those that carry a card - and woken phones.
  static let wokenPhones = Statement(
    "woken_phones",
    """
    select i.installation_id from orders o join installations i on i.user_id = o.user_id
      where o.order_id = any($1::text[])
    union select o.placed_by from orders o where o.order_id = any($1) and o.placed_by is not null
    union select c.installation_id from cards c where c.order_id = any($1)
    union select unnest($2::text[])
    """)

  static let readPhones = Statement(
    "read_phones",
    """
    select i.installation_id, i.user_id, i.bundle_id, i.environment, i.os_major, i.os_minor, i.app_version, i.locale,
      i.activities_enabled, i.frequent_pushes_enabled, i.notifications, i.seen_at,
      p.shard, p.attempt, p.registration, extract(epoch from p.reserved_until - clock_timestamp())::float8,
      p.starts, p.bucket, p.bucket_at, p.push_to_start_proven, p.unconfirmed_starts_in_row
    from installations i join phones p using (installation_id) where i.installation_id = any($1::text[])
    """)

  static let readTokens = Statement(
    "read_tokens",
    "select installation_id, kind, scope, token from tokens where installation_id = any($1::text[])")

  /// Orders of these phones that still matter: running, finished not long ago, or with a card that is not gone.
  static let readOrders = Statement(
    "read_orders",
    """
    with mine as (
      select i.installation_id, o.order_id from installations i join orders o on o.user_id = i.user_id
        where i.installation_id = any($1::text[]) and (o.finished_at is null or o.finished_at > $2::int8)
      union select o.placed_by, o.order_id from orders o
        where o.placed_by = any($1) and (o.finished_at is null or o.finished_at > $2)
      union select c.installation_id, c.order_id from cards c
        where c.installation_id = any($1) and c.phase <> 'ended'
    )
    select m.installation_id, o.order_id, o.version, o.desired, o.cause_fresh_until,
      greatest(o.known_since, i.registered_at),
      o.placed_by is not distinct from m.installation_id, o.schedule_from, o.schedule_to, o.finished_at, o.heard_at,
      o.app, o.kind, o.traceparent, o.cause_record_at, coalesce(q.suppressed, false), q.intent_until, q.rung_life,
      coalesce(q.rung, 0), o.user_id, coalesce(q.withdrawn, false), o.placed_by is not null
    from mine m join orders o on o.order_id = m.order_id
      join installations i on i.installation_id = m.installation_id
      left join order_phones q on q.order_id = m.order_id and q.installation_id = m.installation_id
    order by m.installation_id, o.order_id
    """)

  static let readCards = Statement(
    "read_cards",
    """
    select installation_id, order_id, generation, phase, started_by, started_at, attributes_type, attempt,
      told_sequence, told_life, told_stage, told_arrival, told_stale_at, told_at, refused_sequence, known_sequence,
      known_at, life, woken_at, ends_told, end_told_at
    from cards where installation_id = any($1::text[]) order by installation_id, order_id, generation
    """)

  static let livePhones = Statement(
    "live_phones",
    """
    select p.installation_id from phones p join installations i using (installation_id)
    where p.shard = any($1::int4[]) and p.installation_id > $2::text and (
      exists (select from cards c where c.installation_id = p.installation_id and c.phase <> 'ended')
      or exists (select from orders o where o.user_id = i.user_id and o.finished_at is null)
      or exists (select from orders o where o.placed_by = p.installation_id and o.finished_at is null))
    order by p.installation_id limit $3
    """)

  /// The reservation: one statement, HOT updates only. A request is lost where anything it was chosen on has moved.
  static let reserve = Statement(
    "reserve",
    """
    with asked as (
      select * from unnest($1::text[], $2::int4[], $3::int8[], $4::int8[], $5::int8[], $6::text[], $7::int8[],
        $8::int4[], $9::text[], $10::int4[], $11::int4[], $12::text[], $13::text[], $14::float8[], $15::int8[],
        $16::float8[]) as a (phone, shard, epoch, attempt, registration, order_id, order_version, generation, event,
        life, ring, attributes_type, starts, bucket, bucket_at, lease)
    ), clock as (
      select floor($17::float8 + (extract(epoch from clock_timestamp()) - $17) * $18::float8)::int8 as seconds
    ), won as (
      update phones p set attempt = p.attempt + 1, starts = a.starts, bucket = a.bucket, bucket_at = a.bucket_at,
        reserved_until = clock_timestamp() + make_interval(secs => a.lease)
      from asked a join shards s on s.shard = a.shard and s.epoch = a.epoch
        join orders o on o.order_id = a.order_id and o.version = a.order_version
      where p.installation_id = a.phone and p.attempt = a.attempt and p.registration = a.registration
        and (p.reserved_until is null or p.reserved_until <= clock_timestamp())
        and (a.event <> 'start' or not exists (select from cards c where c.order_id = a.order_id
          and c.installation_id = a.phone and c.generation = a.generation))
      returning a.phone, a.order_id, a.generation, a.event, a.life, a.ring, a.attributes_type, p.attempt
    ), started as (
      insert into cards (order_id, installation_id, generation, life, phase, started_by, started_at, attributes_type,
        attempt, aps_timestamp)
      select w.order_id, w.phone, w.generation, w.life, 'reserved', 'push', $19::int8, w.attributes_type, w.attempt,
        c.seconds
      from won w, clock c where w.event = 'start'
    ), stamped as (
      update cards k set aps_timestamp = greatest(k.aps_timestamp + 1, c.seconds), attempt = w.attempt,
        woken_at = case when w.event = 'wakeApp' then $19 else k.woken_at end
      from won w, clock c
      where k.order_id = w.order_id and k.installation_id = w.phone and k.generation = w.generation
        and w.event <> 'start'
      returning k.installation_id, k.aps_timestamp
    ), marked as (
      insert into order_phones as q (order_id, installation_id, rung_life, rung)
      select order_id, phone, life, ring from won where ring <> 0
      on conflict (order_id, installation_id) do update set rung_life = excluded.rung_life,
        rung = case when q.rung_life = excluded.rung_life then q.rung | excluded.rung else excluded.rung end
    )
    select w.phone, w.attempt, coalesce(s.aps_timestamp, c.seconds)
    from won w cross join clock c left join stamped s on s.installation_id = w.phone
    """)

  /// Frees the phones whose attempt is still this one; a start that was not processed gives its budget back.
  static let free = Statement(
    "free_phones",
    """
    update phones p set reserved_until = null,
      starts = case when a.refund then regexp_replace(p.starts, ',?[0-9-]+$', '') else p.starts end,
      unconfirmed_starts_in_row = p.unconfirmed_starts_in_row + a.unconfirmed,
      push_to_start_proven = p.push_to_start_proven and p.unconfirmed_starts_in_row + a.unconfirmed < 3
    from unnest($1::text[], $2::int8[], $3::bool[], $4::int4[]) as a (phone, attempt, refund, unconfirmed)
    where p.installation_id = a.phone and p.attempt = a.attempt and p.reserved_until is not null
    returning p.installation_id
    """)

  /// Accepted content, unless the card's token was rotated since it was reserved. A start's card becomes unconfirmed
  /// unless the app has registered it meanwhile.
  static let tell = Statement(
    "tell",
    """
    update cards k set told_sequence = a.sequence, told_life = a.life, told_stage = a.stage,
      told_arrival = a.arrival, told_stale_at = a.stale_at, told_at = a.at,
      phase = case
        when a.event = 'start' and k.phase = 'reserved' then 'unconfirmed'
        when a.event = 'end' and k.phase <> 'ended' then 'ending'
        else k.phase end,
      ends_told = k.ends_told + case when a.event = 'end' then 1 else 0 end,
      end_told_at = case when a.event = 'end' then a.at else k.end_told_at end
    from unnest($1::text[], $2::text[], $3::int4[], $4::text[], $5::int8[], $6::int4[], $7::int2[], $8::int8[],
      $9::int8[], $10::int8[], $11::int8[])
      as a (order_id, phone, generation, event, sequence, life, stage, arrival, stale_at, at, attempt)
    where k.order_id = a.order_id and k.installation_id = a.phone and k.generation = a.generation
      and k.attempt = a.attempt
    """)

  static let releaseStarts = Statement(
    "release_starts",
    """
    delete from cards k using unnest($1::text[], $2::text[], $3::int4[]) as a (order_id, phone, generation)
    where k.order_id = a.order_id and k.installation_id = a.phone and k.generation = a.generation
      and k.phase = 'reserved'
    """)

  static let releaseRings = Statement(
    "release_rings",
    """
    update order_phones q set rung = q.rung & ~a.ring
    from unnest($1::text[], $2::text[], $3::int4[], $4::int4[]) as a (order_id, phone, life, ring)
    where q.order_id = a.order_id and q.installation_id = a.phone and q.rung_life = a.life
    """)

  static let refuse = Statement(
    "refuse",
    """
    update cards k set refused_sequence = a.sequence,
      phase = case when k.phase = 'reserved' then 'ended' else k.phase end
    from unnest($1::text[], $2::text[], $3::int4[], $4::int8[]) as a (order_id, phone, generation, sequence)
    where k.order_id = a.order_id and k.installation_id = a.phone and k.generation = a.generation
    """)

  /// Compare and delete: only this token, and only when it was not registered anew after the verdict.
  static let retireTokens = Statement(
    "retire_tokens",
    """
    delete from tokens t using unnest($1::text[], $2::text[], $3::bytea[], $4::int8[])
      as a (phone, kind, hash, since)
    where t.hash = a.hash and t.kind = a.kind and t.installation_id = a.phone
      and (a.since is null or t.registered_at <= a.since + 60000000)
    returning t.installation_id, t.kind, t.scope
    """)

  /// A card whose token died is gone; in mid-order that is taken as a dismissal (rule 5.1).
  static let endCards = Statement(
    "end_cards",
    """
    with gone as (
      update cards k set phase = 'ended'
      from unnest($1::text[], $2::text[], $3::int4[]) as a (order_id, phone, generation)
      where k.order_id = a.order_id and k.installation_id = a.phone and k.generation = a.generation
        and not exists (select from tokens t where t.installation_id = a.phone and t.kind = 'update'
          and t.scope = a.generation || '/' || a.order_id)
      returning k.order_id, k.installation_id
    )
    insert into order_phones (order_id, installation_id, suppressed)
    select g.order_id, g.installation_id, true from gone g join orders o using (order_id) where o.finished_at is null
    on conflict (order_id, installation_id) do update set suppressed = true
    """)
}
