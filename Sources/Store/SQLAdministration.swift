import Postgres

extension SQL {
  /// Before anything else of these phones is touched: whoever holds a phone's row has the rest of it (rule 1.7).
  static let bumpPhones = Statement(
    "bump_phones",
    """
    with locked as (
      select installation_id from phones where installation_id = any($1::text[])
      order by installation_id for no key update
    )
    update phones p set registration = registration + 1 from locked l where p.installation_id = l.installation_id
    """)

  static let bumpPhonesOfOrder = Statement(
    "bump_phones_of_order",
    """
    with locked as (
      select installation_id from phones
      where installation_id in (select installation_id from cards where order_id = $1 and phase <> 'ended')
      order by installation_id for no key update
    )
    update phones p set registration = registration + 1 from locked l where p.installation_id = l.installation_id
    """)

  /// Nothing is left that a push could be started with; the cards keep their update tokens until their end is told.
  static let unbindInstallations = Statement(
    "unbind_installations",
    """
    with unbound as (
      update installations set user_id = null, credential_hash = null
      where installation_id = any($1::text[]) returning installation_id
    ), dropped as (
      delete from tokens t using unbound u where t.installation_id = u.installation_id and t.kind in ('device', 'start')
    )
    insert into order_phones as q (order_id, installation_id, withdrawn)
    select distinct c.order_id, c.installation_id, true from cards c join unbound u using (installation_id)
    where c.phase <> 'ended'
    on conflict (order_id, installation_id) do update set withdrawn = true
    """)

  static let lockInstallationsOfUser = Statement(
    "lock_installations_of_user",
    "select installation_id from installations where user_id = $1 order by installation_id for no key update")

  static let lockOneInstallation = Statement(
    "lock_one_installation", "select installation_id from installations where installation_id = $1 for no key update")

  static let noteErasedUser = Statement(
    "note_erased_user",
    """
    insert into erased_users as e (user_hash, erased_at) values ($1, $2)
    on conflict (user_hash) do update set erased_at = greatest(e.erased_at, excluded.erased_at)
    """)

  static let forgetUser = Statement("forget_user", "delete from users where user_id = $1")

  static let ordersOfUser = Statement(
    "orders_of_user", "select order_id from orders where user_id = $1 order by order_id")

  static let summarizeInstallations = Statement(
    "summarize_installations",
    """
    select installation_id, registered_at, seen_at from installations where user_id = $1
    order by registered_at desc limit 20
    """)

  static let readActivities = Statement(
    "read_activities",
    """
    select order_id, activity_id, generation, phase, attributes_type, started_by, started_at from cards
    where installation_id = $1 and activity_id is not null order by order_id, generation
    """)

  static let withdrawOrder = Statement(
    "withdraw_order",
    """
    with carrying as (
      select distinct installation_id from cards where order_id = $1 and phase <> 'ended'
    )
    insert into order_phones as q (order_id, installation_id, withdrawn)
    select $1, installation_id, true from carrying
    on conflict (order_id, installation_id) do update set withdrawn = true
    returning installation_id
    """)

  static let forgetTold = Statement(
    "forget_told",
    """
    with forgotten as (
      update cards set told_sequence = null, told_stage = null, told_at = null, refused_sequence = null
      where order_id = $1 and phase <> 'ended' returning installation_id
    )
    select distinct installation_id from forgotten
    """)

  static let orderExists = Statement("order_exists", "select exists (select from orders where order_id = $1)")

  static let readRollout = Statement(
    "read_rollout",
    """
    select mode, starts_paused, array_to_string(allow_list, E'\\n'), array_to_string(paused_apps, E'\\n') from rollout
    """)

  static let writeRollout = Statement(
    "write_rollout",
    """
    insert into rollout (mode, starts_paused, allow_list, paused_apps, set_at)
    values ($1, $2, $3::text[], $4::text[], $5)
    on conflict (only_row) do update set mode = excluded.mode, starts_paused = excluded.starts_paused,
      allow_list = excluded.allow_list, paused_apps = excluded.paused_apps, set_at = excluded.set_at
    """)

  static let writeAudit = Statement(
    "write_audit", "insert into audit_log (at, actor, action, subject) values ($1, $2, $3, $4)")
}
