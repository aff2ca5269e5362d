-- Deliveries, phones and cards (docs/data-model.md, docs/delivery-semantics.md).
--
-- Times are bigint microseconds of business time since 1970 unless the column's comment says otherwise: business time
-- may be scaled in a demo, so none of these columns is a timestamptz and no default is now(). Columns of the database's
-- own clock are timestamptz.
--
-- Rows that change often carry no index on what changes, so that every such update is HOT; fillfactor leaves the room.

create table users (
  user_id text primary key check (octet_length(user_id) between 1 and 200)
);
comment on table users is 'One row per user ever named: what registrations of one user lock first (rule 1.7).';

create table installations (
  installation_id text primary key check (octet_length(installation_id) between 1 and 200),
  user_id text,
  revision bigint not null,
  bundle_id text not null,
  environment text not null check (environment in ('production', 'sandbox')),
  os_major int,
  os_minor int,
  app_version text,
  locale text,
  time_zone text,
  device_id text,
  uses_24_hour_clock bool,
  activities_enabled bool not null,
  frequent_pushes_enabled bool not null,
  notifications text not null check (notifications in ('authorized', 'provisional', 'denied', 'notDetermined')),
  time_sensitive_allowed bool,
  sound_allowed bool,
  credential_hash bytea check (octet_length(credential_hash) = 32),
  registered_at bigint not null,
  seen_at bigint not null
) with (fillfactor = 80);
create index installations_user on installations (user_id) where user_id is not null;
comment on table installations is 'What each app said about itself: wide and stable.';
comment on column installations.revision is 'Kept by the app; an older one is acknowledged and ignored (rule 5.4).';
comment on column installations.credential_hash is 'SHA-256 of the installation credential.';
comment on column installations.registered_at is 'Business time of the first registration of this installation.';
comment on column installations.seen_at is 'Business time of the newest report.';

create table phones (
  installation_id text primary key references installations on delete cascade,
  shard int not null check (shard between 0 and 255),
  attempt bigint not null default 0,
  registration bigint not null default 0,
  reserved_until timestamptz,
  starts text not null default '',
  bucket double precision not null default 10,
  bucket_at bigint not null default 0,
  push_to_start_proven bool not null default false,
  unconfirmed_starts_in_row int not null default 0
) with (fillfactor = 50);
create index phones_shard on phones (shard, installation_id);
comment on table phones is 'The unit of sending: one push in flight, budgets (rule 3.3). Narrow and volatile.';
comment on column phones.attempt is
  'Number of the newest reservation; settling writes only where it is still the same.';
comment on column phones.registration is
  'Moves with every registration of the phone or its cards: a reservation chosen before that loses.';
comment on column phones.reserved_until is 'A push is in flight until then: the database''s clock.';
comment on column phones.starts is 'Push starts of the last 24 hours: business times, comma-separated.';
comment on column phones.bucket_at is 'Business time at which the priority-10 bucket held that much.';

create table tokens (
  installation_id text not null references installations on delete cascade,
  kind text not null check (kind in ('device', 'start', 'update')),
  scope text not null,
  token bytea not null check (octet_length(token) between 1 and 300),
  hash bytea not null check (octet_length(hash) = 32),
  registered_at bigint not null,
  primary key (installation_id, kind, scope)
);
create unique index tokens_hash on tokens (hash, kind);
comment on table tokens is 'One current token per installation, kind and scope: new replaces old.';
comment on column tokens.scope is
  'Empty for a device token; attributes type of a start token; generation/order id of an update token.';
comment on column tokens.hash is 'Finds a token without opening it; the same token moves to its newest registration.';
comment on column tokens.registered_at is 'Business time at which the app last reported this token.';

create table orders (
  order_id text primary key check (octet_length(order_id) between 1 and 200),
  version bigint not null check (version >= 1),
  user_id text,
  placed_by text,
  rider_id text,
  app text,
  kind text,
  life int not null default 0 check (life >= 0),
  schedule_from bigint,
  schedule_to bigint,
  known_since bigint not null,
  heard_at bigint not null,
  finished_at bigint,
  refresh_at bigint,
  cause_fresh_until bigint not null,
  cause_record_at bigint,
  traceparent text,
  state bytea not null,
  desired bytea,
  check ((schedule_from is null) = (schedule_to is null))
) with (fillfactor = 60);
create index orders_user on orders (user_id) where user_id is not null;
create index orders_placed_by on orders (placed_by) where placed_by is not null;
create index orders_rider on orders (rider_id) where rider_id is not null;
create index orders_running on orders (order_id) where finished_at is null;
comment on table orders is 'One row per order: its state, and what its phones should show (rule 3.1).';
comment on column orders.version is 'Moves with every write; a write must find the one that was read (rule 1.7).';
comment on column orders.rider_id is 'Who carries it now; null when nobody does or when it is finished.';
comment on column orders.known_since is 'Business time at which this service first knew the order.';
comment on column orders.heard_at is 'Newest business time at which the platform said anything of it.';
comment on column orders.finished_at is 'Business time of its terminal stage.';
comment on column orders.refresh_at is 'Business time at which the estimate wants a look without any event.';
comment on column orders.cause_fresh_until is 'Business time until which it may cause starts and rings (rule 1.12).';
comment on column orders.cause_record_at is
  'Timestamp of the Kafka record behind the newest visible change: real time, microseconds.';
comment on column orders.state is
  'The delivery as JSON; the database never looks inside. Read it with convert_from(state, ''UTF8'').';
comment on column orders.desired is 'The snapshot as JSON.';

create table riders (
  rider_id text primary key check (octet_length(rider_id) between 1 and 200),
  version bigint not null check (version >= 1),
  state bytea not null
) with (fillfactor = 50);
comment on table riders is 'Last position and filter state of each rider, written at most every 15 s (rule 1.8).';

create table cards (
  order_id text not null,
  installation_id text not null references installations on delete cascade,
  generation int not null check (generation >= 1),
  life int not null,
  phase text not null check (phase in ('reserved', 'unconfirmed', 'active', 'ending', 'ended')),
  started_by text not null check (started_by in ('app', 'push')),
  started_at bigint not null,
  attributes_type text not null,
  activity_id text,
  revision bigint not null default 0,
  attempt bigint not null default 0,
  aps_timestamp bigint not null default 0,
  told_sequence bigint,
  told_life int,
  told_stage smallint check (told_stage between 0 and 11),
  told_arrival bigint,
  told_stale_at bigint,
  told_at bigint,
  refused_sequence bigint,
  known_sequence bigint,
  known_at bigint,
  woken_at bigint,
  ends_told int not null default 0 check (ends_told >= 0),
  end_told_at bigint,
  primary key (order_id, installation_id, generation),
  check ((told_sequence is null) = (told_stage is null) and (told_sequence is null) = (told_at is null))
) with (fillfactor = 60);
create index cards_installation on cards (installation_id);
comment on table cards is
  'One Live Activity of one order on one phone (rule 3.1). Its key is the at-most-once of starts (rule 4.2).';
comment on column cards.attempt is 'Attempt of the phone that last reserved a push of this card.';
comment on column cards.aps_timestamp is 'Newest aps.timestamp given out: whole seconds, strictly increasing.';
comment on column cards.told_at is 'Business time at which APNs accepted the newest content.';
comment on column cards.refused_sequence is 'APNs refused this content for good: only a newer one is sent.';
comment on column cards.known_at is 'Business time at which the app reported known_sequence.';
comment on column cards.woken_at is 'Business time at which the app was asked to report this card (rule 4.4).';
comment on column cards.end_told_at is 'Business time at which APNs accepted the newest end (rule 3.6).';

create table order_phones (
  order_id text not null,
  installation_id text not null references installations on delete cascade,
  suppressed bool not null default false,
  intent_until bigint,
  rung_life int not null default 0,
  rung int not null default 0,
  primary key (order_id, installation_id)
) with (fillfactor = 80);
comment on table order_phones is 'What was rung, suppressed or announced for one order on one phone.';
comment on column order_phones.rung is 'One bit per stage that rang in life rung_life: at most once each (rule 5.3).';
comment on column order_phones.intent_until is 'Business time at which the app''s start intent lapses (rule 4.1).';

create table shards (
  shard int primary key check (shard between 0 and 255),
  epoch bigint not null,
  owner text not null,
  taken_at timestamptz not null
);
comment on table shards is 'The fence of rule 3.4: a reservation passes only with the current epoch.';
comment on column shards.taken_at is 'The database''s clock.';

create table consumer_offsets (
  consumer_group text not null,
  topic text not null,
  partition int not null,
  next_offset bigint not null check (next_offset >= 0),
  primary key (consumer_group, topic, partition)
) with (fillfactor = 50);
comment on table consumer_offsets is 'Written in the transaction of the data that they stand for (rule 1.9).';

create table tombstones (
  order_hash bytea primary key check (octet_length(order_hash) = 32),
  stage smallint not null check (stage between 8 and 11),
  finished_at bigint not null
);
comment on table tombstones is
  'Finished orders whose rows are gone: a replay of their events changes nothing (rule 1.11).';
comment on column tombstones.finished_at is 'Business time.';

create table provider_tokens (
  team_id text not null,
  key_id text not null,
  fingerprint text not null,
  token bytea not null,
  issued_at bigint not null,
  primary key (team_id, key_id, fingerprint)
);
comment on table provider_tokens is 'One APNs provider token per signing key, for all replicas (docs/apns.md).';
comment on column provider_tokens.issued_at is 'Unix seconds of the database''s clock.';
