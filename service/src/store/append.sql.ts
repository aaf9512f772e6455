import { typesWith } from '../../../protocol/index.ts'

const MESSAGES = typesWith('isMessage')
  .map((type) => `'${type}'`)
  .join(', ')

/**
 * Appends a batch of entries to the logs of any number of contacts: locks the contacts in the order of their
 * ids, judges each draft in the order given, numbers what is new, and stores it. One statement is one fsync,
 * however many drafts it carries.
 *
 * `fault` of a draft: not_found, unknown (session not announced by this principal), left, taken (message id
 * of another writer), replaced (only where the draft has an epoch: another opening of its session counts),
 * counter.
 * `refused` drafts are not stored but use up their counter. The planner's settings guard against plans made
 * on empty tables; they make every join a nested loop, so drafts are never joined with drafts.
 */
const TEXT = `
create or replace function NAME(
  at bigint, p_contact text[], p_id text[], p_type text[], p_slot text[], p_session text[], p_counter bigint[],
  p_principal text[], p_nick text[], p_body text[], p_ref text[], p_refused boolean[]EPOCHS
) returns table (n bigint, seq bigint, fault text, expected bigint, is_new boolean, lag bigintNODES)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
  set plan_cache_mode = force_generic_plan as $$
declare held text[];
begin
  LOCK;GUARD
  return query
  with drafts as materialized (
    select d.* from unnest(p_contact, p_id, p_type, p_slot, p_session, p_counter, p_principal, p_nick, p_body,
      p_ref, p_refusedEPOCH_VALUES)
      with ordinality as d(contact, id, type, slot, session, counter, principal, nick, body, ref, refusedEPOCH_NAME, n)
  ), judged as materialized (
    select d.*, c.head, c.state_seq, s.counter as base, e.seq as old_seq, a.seq as ack_seq,
      case
        when c.id is null then 'not_found' LOCKED
        when e.seq is not null and (d.slot = 'service' or e.from_id is distinct from d.principal
          or e.slot <> d.slot) then 'taken'
        when e.seq is not null or d.slot = 'service' then null
        when s.session is null or s.principal <> d.principal or s.slot <> d.slot then 'unknown'
        when s.ended or c.life in ('cleared', 'transferred')
          or (d.slot = 'agent' and c.agent is distinct from d.principal) then 'left'FENCE
      end as why
    from drafts d
    left join contacts c on c.id = d.contact
    left join sessions s on s.contact = d.contact and s.session = d.session
    left join entries e on e.contact = d.contact and e.id = d.id
    left join entries a on d.type = 'ack' and a.type = 'ack' and a.contact = d.contact and a.slot = d.slot and a.ref = d.ref
  ), wanted as (
    select j.*, j.why is null and j.old_seq is null as fresh,
      j.base + count(*) filter (where j.why is null
        and j.old_seq is null) over (partition by j.contact, j.session order by j.n) as wanted
    from judged j
  ), ordered as (
    select w.*, w.fresh and (w.slot = 'service' or bool_and(w.counter = w.wanted) filter (where w.fresh) over (partition by w.contact, w.session order by w.n)) as in_order
    from wanted w
  ), placed as materialized (
    select o.*, o.in_order and not o.refused and o.ack_seq is null as is_new,
      o.head + count(*) filter (where o.in_order and not o.refused
        and o.ack_seq is null) over (partition by o.contact order by o.n) as new_seq
    from ordered o
  ), inserted as (
    insert into entries (contact, seq, id, type, slot, session, counter, from_id, from_nick, body, ref, time)
    select s.contact, s.new_seq, s.id, s.type, s.slot, s.session, s.counter, s.principal, s.nick, s.body,
      s.ref, at from placed s where s.is_new
  ), bumped as (
    update contacts c set head = m.head, messages = c.messages + m.messages, last_message =
      case when m.messages > 0 then at else c.last_message end
    from (select s.contact, max(s.new_seq) as head,
      count(*) filter (where s.type in (${MESSAGES})) as messages from placed s where s.is_new
        group by s.contact) m
    where c.id = m.contact
  ), counted as (
    update sessions s set counter = m.counter
    from (select o.contact, o.session, max(o.counter) as counter from placed o where o.in_order
      and o.slot <> 'service' group by o.contact, o.session) m
    where s.contact = m.contact and s.session = m.session
  )
  select p.n, case when p.is_new then p.new_seq
    else coalesce(p.old_seq, case when p.in_order then p.ack_seq end) end,
    coalesce(p.why, case when p.fresh and not p.in_order then 'counter' end),
    case when p.fresh then p.wanted end, p.is_new,
    case when p.is_new then p.new_seq else p.head end - p.state_seqOPEN_AT
  from placed p order by p.n;
end $$;
`

/** Parts of the text by name. */
const PLAIN = { EPOCHS: '', NODES: '', EPOCH_VALUES: '', EPOCH_NAME: '', FENCE: '', OPEN_AT: '', GUARD: '' }

/**
 * For several nodes. `p_epoch`: the opening of the session whose channel took the draft (null: whichever).
 * `nodes`: where the draft's contact is open, for the first draft of each contact.
 */
const FENCED: typeof PLAIN = {
  EPOCHS: ', p_epoch bigint[]',
  NODES: ', nodes text[]',
  EPOCH_VALUES: ', p_epoch',
  EPOCH_NAME: ', epoch',
  FENCE: "\n        when s.epoch <> d.epoch or (d.epoch is not null and s.node is null) then 'replaced'",
  GUARD: '',
  OPEN_AT: `,
    case when row_number() over (partition by p.contact order by p.n) = 1 then
      array(select distinct o.node from sessions o where o.contact = p.contact and o.node is not null) end`,
}

/**
 * For a process of before beside nodes: what comes late on a connection whose page has gone to one of them is
 * refused, and `offline` (57P03) to that process.
 */
const BESIDE_NODES: typeof PLAIN = {
  ...PLAIN,
  GUARD: `
  if exists (select from unnest(p_contact, p_session) as d(contact, session)
    join sessions s on s.contact = d.contact and s.session = d.session and s.node is not null) then
    raise exception 'this session is at a node' using errcode = '57P03';
  end if;`,
}

/** Waits for contacts that somebody else has locked. */
const WAITS = {
  LOCKED: '',
  LOCK: 'perform 1 from contacts c where c.id = any(p_contact) order by c.id for update',
}

/**
 * Waits for nobody: what is for a contact that somebody else has locked is not stored, and has the fault
 * `locked`.
 */
const WAITS_FOR_NOBODY = {
  LOCKED: "when not c.id = any(held) then 'locked'",
  LOCK: 'held := array(select c.id from contacts c where c.id = any(p_contact) order by c.id for update skip locked)',
}

const appendFunction = (name: string, parts: Readonly<Record<string, string>>): string =>
  TEXT.replaceAll(
    /\b(NAME|LOCKED|LOCK)\b|EPOCHS|NODES|EPOCH_VALUES|EPOCH_NAME|FENCE|OPEN_AT|GUARD/g,
    (part) => (part === 'NAME' ? name : (parts[part] ?? part)),
  )

export const APPEND_FUNCTION = appendFunction('append_entries', { ...PLAIN, ...WAITS })
export const APPEND_FREE_FUNCTION = appendFunction('append_free', { ...PLAIN, ...WAITS_FOR_NOBODY })
export const APPEND_FUNCTIONS_BESIDE_NODES =
  appendFunction('append_entries', { ...BESIDE_NODES, ...WAITS }) +
  appendFunction('append_free', { ...BESIDE_NODES, ...WAITS_FOR_NOBODY })
export const FENCED_APPEND_FUNCTIONS =
  appendFunction('append_entries_2', { ...FENCED, ...WAITS }) +
  appendFunction('append_free_2', { ...FENCED, ...WAITS_FOR_NOBODY })
