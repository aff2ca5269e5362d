import Postgres

extension SQL {
  static let readOwner = Statement(
    "read_owner", "select user_id, credential_hash from installations where installation_id = $1")

  static let insertUser = Statement(
    "insert_user", "insert into users (user_id) values ($1) on conflict do nothing")

  static let lockUser = Statement("lock_user", "select user_id from users where user_id = $1 for update")

  static let countInstallations = Statement(
    "count_installations",
    "select count(*)::int8 from installations where user_id = $1 and installation_id <> $2")

  /// Not `for update`: a reservation that inserts a card holds the phone's row and looks at the installation's key.
  static let lockInstallation = Statement(
    "lock_installation",
    """
    select revision, bundle_id, environment, user_id from installations where installation_id = $1
    for no key update
    """)

  static let insertInstallation = Statement(
    "insert_installation",
    """
    insert into installations (installation_id, revision, bundle_id, environment, activities_enabled,
      frequent_pushes_enabled, notifications, registered_at, seen_at)
    values ($1, $2, $3, $4, true, false, 'notDetermined', $5, $5) on conflict do nothing
    """)

  static let insertPhone = Statement(
    "insert_phone", "insert into phones (installation_id, shard) values ($1, $2) on conflict do nothing")

  /// Columns whose `set` flag is false keep their values.
  static let updateInstallation = Statement(
    "update_installation",
    """
    update installations set revision = $2, bundle_id = coalesce($3, bundle_id),
      environment = coalesce($4, environment),
      user_id = case when $5 then $6 else user_id end,
      os_major = case when $7 then $8 else os_major end, os_minor = case when $7 then $9 else os_minor end,
      app_version = case when $10 then $11 else app_version end, locale = case when $12 then $13 else locale end,
      time_zone = case when $14 then $15 else time_zone end, device_id = case when $16 then $17 else device_id end,
      uses_24_hour_clock = coalesce($18, uses_24_hour_clock), activities_enabled = coalesce($19, activities_enabled),
      frequent_pushes_enabled = coalesce($20, frequent_pushes_enabled), notifications = coalesce($21, notifications),
      time_sensitive_allowed = coalesce($22, time_sensitive_allowed), sound_allowed = coalesce($23, sound_allowed),
      credential_hash = coalesce($24, credential_hash), seen_at = $25
    where installation_id = $1
    """)

  static let bumpRegistration = Statement(
    "bump_registration",
    "update phones set registration = registration + 1 where installation_id = $1 returning attempt")

  /// A change of environment, bundle or user drops the tokens that are not in the body (rule 5.4).
  static let dropTokens = Statement(
    "drop_tokens", "delete from tokens where installation_id = $1 and kind in ('device', 'start')")

  static let clearTokens = Statement(
    "clear_tokens",
    """
    delete from tokens t using unnest($2::text[], $3::text[]) as a (kind, scope)
    where t.installation_id = $1 and t.kind = a.kind and t.scope = a.scope
    """)

  /// The same token elsewhere moves here.
  static let moveTokens = Statement(
    "move_tokens",
    """
    delete from tokens t using unnest($2::text[], $3::text[], $4::bytea[]) as a (kind, scope, hash)
    where t.hash = a.hash and t.kind = a.kind and (t.installation_id, t.scope) <> ($1, a.scope)
    """)

  static let writeTokens = Statement(
    "write_tokens",
    """
    insert into tokens (installation_id, kind, scope, token, hash, registered_at)
    select $1, kind, scope, token, hash, $6::int8
    from unnest($2::text[], $3::text[], $4::bytea[], $5::bytea[]) as a (kind, scope, hash, token)
    on conflict (installation_id, kind, scope) do update set token = excluded.token, hash = excluded.hash,
      registered_at = excluded.registered_at
    """)

  static let touchInstallation = Statement(
    "touch_installation",
    "update installations set seen_at = greatest(seen_at, $2) where installation_id = $1 returning user_id")

  static let insertStub = Statement(
    "insert_stub",
    """
    insert into orders (order_id, version, known_since, heard_at, cause_fresh_until, state)
    values ($1, 1, $2, $2, -9223372036854775808, $3) on conflict do nothing
    """)

  static let lockOrder = Statement(
    "lock_order",
    "select user_id, placed_by, desired from orders where order_id = $1 for no key update")

  static let readSnapshot = Statement(
    "read_snapshot", "select user_id, desired from orders where order_id = $1")

  static let lockCards = Statement(
    "lock_cards",
    """
    select generation, activity_id, phase, revision from cards where order_id = $1 and installation_id = $2
    order by generation for update
    """)

  static let insertCard = Statement(
    "insert_card",
    """
    insert into cards (order_id, installation_id, generation, life, phase, started_by, started_at, attributes_type)
    values ($1, $2, $3, $4, 'active', $5, $6, $7)
    """)

  static let updateCard = Statement(
    "update_card",
    """
    update cards set activity_id = $4, revision = $5,
      phase = case when $6 then 'ended' when phase in ('reserved', 'unconfirmed') then 'active' else phase end,
      known_sequence = coalesce($7, known_sequence),
      known_at = case when $7 is null then known_at else $8::int8 end,
      told_sequence = case when $9 then null else told_sequence end,
      told_stage = case when $9 then null else told_stage end,
      told_at = case when $9 then null else told_at end,
      attempt = case when $9 then 0 else attempt end
    where order_id = $1 and installation_id = $2 and generation = $3
    """)

  static let readCardToken = Statement(
    "read_card_token",
    "select hash from tokens where installation_id = $1 and kind = 'update' and scope = $2")

  static let markPair = Statement(
    "mark_pair",
    """
    insert into order_phones as q (order_id, installation_id, suppressed) values ($1, $2, coalesce($3, false))
    on conflict (order_id, installation_id) do update set suppressed = coalesce($3, q.suppressed),
      intent_until = case when $4 then null else q.intent_until end
    """)

  static let provePushStart = Statement(
    "prove_push_start",
    "update phones set push_to_start_proven = true, unconfirmed_starts_in_row = 0 where installation_id = $1")

  static let claimIntent = Statement(
    "claim_intent",
    """
    insert into order_phones as q (order_id, installation_id, intent_until) values ($1, $2, $3)
    on conflict (order_id, installation_id) do update set intent_until = coalesce(q.intent_until, excluded.intent_until)
    """)

  static let pushStartClaimed = Statement(
    "push_start_claimed",
    """
    select exists (select from cards where order_id = $1 and installation_id = $2
      and phase in ('reserved', 'unconfirmed'))
    """)
}
