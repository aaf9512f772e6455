/**
 * Each is applied once, in order, in one transaction with the note that it was. Processes of before and after
 * one may work on the store side by side unless it says otherwise.
 */
import { ACCEPT_FUNCTION } from './accept.sql.ts'
import {
  APPEND_FREE_FUNCTION,
  APPEND_FUNCTION,
  APPEND_FUNCTIONS_BESIDE_NODES,
  FENCED_APPEND_FUNCTIONS,
} from './append.sql.ts'
import { KEEP_CONNECTED } from './beside-nodes.sql.ts'
import { RATED_WEBHOOKS, WEBHOOKS } from './webhooks.sql.ts'
import { WHOLE_FILES } from './whole-files.sql.ts'

/** How long a revocation holds that does not say: no token is taken for longer. */
const REVOKED_FOR_MS = 30 * 86_400_000

export interface Migration {
  readonly id: number
  readonly sql: string
  /**
   * A process that does not know it cannot work with the store any more. Without it, it only adds: columns
   * with defaults, tables, functions under new names. What is to go, goes in a later one that says so, when
   * no process that needs it is left.
   */
  readonly breaks?: boolean
  /**
   * The lowest level of nodes that can live with it. It waits for a start at which no lower one is alive, and
   * none enters after it. It breaks what older processes rest on.
   */
  readonly level?: number
}

const TABLES = `
create table secrets (name text primary key, value text not null);
create table signing_keys (kid text primary key, private_jwk text not null, created bigint not null);
create table visitors (id text primary key, origin text not null, created bigint not null);
create table refresh_tokens (
  hash text primary key, family text not null, visitor text not null, origin text not null,
  expires bigint not null, used bigint, revoked boolean not null default false
);
create index refresh_tokens_family on refresh_tokens (family);
create table agents (
  id text primary key, nick text not null, state text not null default 'paused', capacity integer not null default 3, media text not null default '{}',
  tags text[] not null default '{}', connected boolean not null default false, last_assigned bigint not null default 0
);
create table contacts (
  id text primary key, visitor text not null, request text not null, created bigint not null,
  life text not null, waiting boolean not null default false, queued_at bigint, agent text, tags text[] not null default '{}',
  machine text not null, details text not null, nick text,
  head bigint not null default 0, messages integer not null default 0, last_message bigint,
  state text not null, state_seq bigint not null default 0, transferred_from text, only_agent text, ended bigint, leave_reason text,
  unique (visitor, request)
) with (fillfactor = 70);
create index contacts_successor on contacts (transferred_from) where transferred_from is not null;
create index contacts_waiting on contacts (queued_at) where waiting;
create index contacts_agent on contacts (agent) where life in ('assigned', 'joined');
create table sessions (
  contact text not null references contacts on delete cascade, session text not null, slot text not null, principal text not null,
  counter bigint not null default 0, connected boolean not null default true, ended boolean not null default false,
  primary key (contact, session)
) with (fillfactor = 70);
create index sessions_connected on sessions (contact) where connected;
create table entries (
  contact text not null, seq bigint not null, id text not null, type text not null, slot text not null, session text, counter bigint,
  from_id text, from_nick text, body text not null, ref text, time bigint not null,
  primary key (contact, seq), unique (contact, id)
);
create index entries_assigned on entries (time) where type = 'assigned';
create unique index entries_ack on entries (contact, slot, ref) where type = 'ack';
create table timers (subject text not null, kind text not null, key text not null, due bigint not null, primary key (subject, kind, key));
create index timers_due on timers (due);
create table offers (contact text not null, agent text not null, due bigint not null, primary key (contact, agent));
create index offers_agent on offers (agent);
create table refusals (contact text not null, agent text not null, until bigint not null, primary key (contact, agent));
`

const ATTACHMENTS = `
create table attachments (
  id text primary key, contact text not null references contacts on delete cascade, request text not null, slot text not null, principal text not null,
  nick text, name text not null, mimetype text not null, size bigint not null, description text, reference text, created bigint not null,
  touched bigint not null, seq bigint, sha256 text, width integer, height integer,
  unique (contact, principal, request)
);
create index attachments_principal on attachments (principal, created);
create index attachments_open on attachments (touched) where seq is null;
`

const REVOCATIONS = 'create table revocations (subject text primary key, at bigint not null);'

/** What agents are shown of a contact, from all that the visitor said. */
export const DISTRIBUTION_OF_DETAILS =
  "json_strip_nulls(json_build_object('lang', details::json -> 'lang', 'initialOffer', details::json -> 'initialOffer', 'secure', details::json -> 'secure'))::text"

const BOUNDED_WORK = `
alter table contacts add column distribution text, add column handed_by text, add column handed_at bigint,
  add column messages_removed boolean not null default false, add column files_removed boolean not null default false;
update contacts set distribution = ${DISTRIBUTION_OF_DETAILS}
  where life in ('queued', 'assigned');
alter table timers add column failures integer not null default 0;
alter table revocations add column expires bigint not null default 0, add column changed xid8 not null default pg_current_xact_id();
update revocations set expires = at + ${REVOKED_FOR_MS};
create function note_revocation() returns trigger language plpgsql as $$
begin
  new.changed = pg_current_xact_id();
  if new.expires < new.at or (tg_op = 'UPDATE' and new.expires = old.expires) then new.expires = new.at + ${REVOKED_FOR_MS}; end if;
  return new;
end $$;
create trigger revocations_noted before insert or update on revocations for each row execute function note_revocation();
`

/** Of no name that a function of before uses for something else: in it, that would mean both. */
const HOLDS = 'alter table contacts add column legal_hold bigint;'

const UPLOAD_TOKENS = "alter table attachments add column tokens text[] not null default '{}';"

/** For several nodes. Sessions of a process that does not use it have no node, and the epoch 0. */
const NODES = `
create table nodes (
  node text primary key, name text not null, address text not null, level integer not null,
  state text not null default 'up', beat bigint not null default 0, died bigint
);
alter table sessions add column node text, add column epoch bigint not null default 0;
`

/**
 * What several nodes share the work by. A process that does not use it leaves `made` and `owner` null, and takes
 * no job.
 */
const SHARED_WORK = `
create table agent_connections (
  id text primary key, agent text not null references agents on delete cascade, node text not null
);
create index agent_connections_agent on agent_connections (agent);
create index agent_connections_node on agent_connections (node);
alter table agents add column passed_until bigint not null default 0;
alter table offers add column made bigint, add column told boolean not null default false, add column seen boolean not null default false;
alter table timers add column owner text;
create table jobs (name text primary key, node text, round bigint not null default 0);
insert into jobs (name) values ('match');
create table phone_calls (contact text primary key, call text not null, ref bigint not null, node text not null);
alter table attachments add column lock text, add column lock_node text, add column lock_beat bigint not null default 0;
`

/** What agents wrote for agents. */
const NOTES = `
create table notes (
  n bigint generated always as identity primary key, contact text not null references contacts on delete cascade,
  agent text not null, nick text not null, body text not null, time bigint not null, is_for_next boolean not null default false
);
create index notes_contact on notes (contact, n);
`

/** Contacts for later. Processes of before offer them in the order in which they came. */
const FOR_LATER = 'alter table contacts add column visitor_away boolean not null default false;'

/**
 * Processes of before kept those of all visitors for as long as the service's own token lives, which identities of the
 * site outlive. What a revocation is about cannot be read from its digest. A day is for what clocks differ by.
 */
const LONGER_REVOCATIONS = `
update revocations set expires = at + ${REVOKED_FOR_MS + 86_400_000} where expires < at + ${REVOKED_FOR_MS};
`

export const MIGRATIONS: readonly Migration[] = [
  { id: 1, sql: TABLES + APPEND_FUNCTION },
  { id: 2, sql: ATTACHMENTS },
  { id: 3, sql: ACCEPT_FUNCTION },
  { id: 4, sql: REVOCATIONS },
  { id: 5, sql: APPEND_FUNCTION },
  { id: 6, sql: `${ACCEPT_FUNCTION}drop function if exists accept_offer(text, text, bigint);` },
  { id: 7, sql: BOUNDED_WORK },
  { id: 8, sql: APPEND_FREE_FUNCTION },
  { id: 9, sql: HOLDS },
  { id: 10, sql: UPLOAD_TOKENS },
  { id: 11, sql: NODES + FENCED_APPEND_FUNCTIONS },
  { id: 12, sql: SHARED_WORK },
  { id: 13, sql: NOTES },
  { id: 14, sql: APPEND_FUNCTIONS_BESIDE_NODES + KEEP_CONNECTED },
  { id: 15, sql: WEBHOOKS },
  { id: 16, sql: WHOLE_FILES },
  { id: 17, sql: APPEND_FUNCTIONS_BESIDE_NODES + FENCED_APPEND_FUNCTIONS + RATED_WEBHOOKS },
  { id: 18, sql: FOR_LATER },
  { id: 19, sql: LONGER_REVOCATIONS },
]
