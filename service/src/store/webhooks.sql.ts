import { typesWith } from '../../../protocol/index.ts'

const MESSAGES = typesWith('isMessage')
  .map((type) => `'${type}'`)
  .join(', ')

/** What could not be told for so long is given up. */
export const WEBHOOK_KEEP_MS = 3 * 86_400_000

/** Notes the entries that were added. Made anew by each migration that adds a type of message. */
const NOTE_ENTRIES = `create or replace function note_webhook_entries() returns trigger language plpgsql as $$
declare noted text[];
begin
  if not webhook_is_told((select max(time) from added_entries)) then return null; end if;
  with kinds as (
    select contact, seq, time, case when type in (${MESSAGES}) then 'message' when type = 'joined' then 'joined'
      when type in ('cleared', 'transferred') then 'ended' end as kind from added_entries
  ), made as (
    insert into webhook_notes (contact, type, seq, time)
      select contact, kind, seq, time from kinds where kind is not null order by contact, seq returning contact
  ) select array_agg(contact) into noted from made;
  if noted is not null then perform note_webhook_queues(noted); end if;
  return null;
end $$;
`

/**
 * What the organisation's back end is to be told of. The store itself notes it, in the transaction in which it
 * happens, whichever node it happens at; nothing where no node has told any for three days (`webhook.seen`). A note
 * names its entry, and holds nothing of it: what is removed or erased meanwhile is not told any more.
 *
 * `webhook_queues` has a row for each contact with notes: one node at a time takes it, until `due`. `added` counts
 * the notes, so that who empties the queue sees that another note has come.
 */
export const WEBHOOKS = `
create table webhook (name text primary key, seen bigint not null);
create table webhook_notes (
  n bigint generated always as identity primary key, contact text not null references contacts on delete cascade,
  type text not null, seq bigint, time bigint not null
);
create index webhook_notes_contact on webhook_notes (contact, n);
create index webhook_notes_time on webhook_notes (time);
create table webhook_queues (
  contact text primary key references contacts on delete cascade, added bigint not null default 1, due bigint not null default 0,
  failures integer not null default 0
) with (fillfactor = 70);
create index webhook_queues_due on webhook_queues (due);

create function webhook_is_told(p_at bigint) returns boolean language sql stable as $$
  select exists (select from webhook where seen > p_at - ${WEBHOOK_KEEP_MS})
$$;
create function note_webhook_queues(p_contacts text[]) returns void language sql as $$
  insert into webhook_queues (contact) select distinct c from unnest(p_contacts) c order by c
    on conflict (contact) do update set added = webhook_queues.added + 1
$$;
${NOTE_ENTRIES}create trigger entries_noted after insert on entries referencing new table as added_entries
  for each statement execute function note_webhook_entries();

create function note_webhook_contact() returns trigger language plpgsql as $$
begin
  if not webhook_is_told(coalesce(new.queued_at, new.created)) then return null; end if;
  insert into webhook_notes (contact, type, time) values (new.id, tg_argv[0], coalesce(new.queued_at, new.created));
  perform note_webhook_queues(array[new.id]);
  return null;
end $$;
create trigger contacts_created after insert on contacts for each row execute function note_webhook_contact('created');
create trigger contacts_queued after update of waiting on contacts for each row
  when (new.waiting and old.queued_at is null) execute function note_webhook_contact('queued');
`

/** Ratings, and messages of the service: where the functions of before were made without that type. */
export const RATED_WEBHOOKS = `${NOTE_ENTRIES}
create function note_webhook_rating(p_contact text, p_at bigint) returns void language plpgsql as $$
begin
  if not webhook_is_told(p_at) then return; end if;
  insert into webhook_notes (contact, type, time) values (p_contact, 'rating', p_at);
  perform note_webhook_queues(array[p_contact]);
end $$;
`
