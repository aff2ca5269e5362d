-- What operators and log-outs do to the rows (docs/data-model.md).

alter table order_phones add column withdrawn bool not null default false;
comment on column order_phones.withdrawn is
  'Cards of this order on this phone are to be ended at once: logged out, erased, or ended by an operator (rule 5.8).';

create table audit_log (
  entry_id bigint generated always as identity primary key,
  at bigint not null,
  actor text not null,
  action text not null,
  subject text not null
);
comment on table audit_log is 'What operators did, for good. Holds no personal data: an erased user stands as a hash.';
comment on column audit_log.at is 'Business time.';
comment on column audit_log.actor is 'Id of the service key.';

create table rollout (
  only_row bool primary key default true check (only_row),
  mode text not null,
  allow_list text[] not null,
  starts_paused bool not null,
  paused_apps text[] not null,
  set_at bigint not null
);
comment on table rollout is 'The mode and kill switches that operators last set, for all replicas.';
comment on column rollout.set_at is 'Business time.';

create table erased_users (
  user_hash bytea primary key check (octet_length(user_hash) = 32),
  erased_at bigint not null
);
comment on table erased_users is 'Users whose data was erased, as a hash (rule 1.11).';
comment on column erased_users.erased_at is 'Business time.';
