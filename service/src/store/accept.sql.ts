/**
 * Gives offered contacts to the agents who accept them, and takes back the offers to all others. `why`:
 * not_offered, full (as many contacts as the agent's capacity, those before it in the list included); then
 * nothing has changed. Rows are locked in the order agents, offers, timers. The planner's settings guard
 * against plans made on empty tables.
 */
export const ACCEPT_FUNCTION = `
create or replace function accept_offers(p_contacts text[], p_agents text[], at bigint)
returns table (contact text, why text, others text[])
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
  set plan_cache_mode = force_generic_plan as $$
begin
  perform 1 from agents a where a.id = any(p_agents) order by a.id for update;
  perform 1 from offers o where o.contact = any(p_contacts) order by o.contact, o.agent for update;
  return query
  with asked as materialized (
    select q.contact, q.agent, q.n, o.agent is not null as offered
    from unnest(p_contacts, p_agents) with ordinality as q(contact, agent, n) left join offers o
      on o.contact = q.contact and o.agent = q.agent
  ), loads as materialized (
    select a.id, a.capacity, (select count(*) from contacts c where c.agent = a.id
      and c.life in ('assigned', 'joined')) as load
    from agents a where a.id = any(p_agents)
  ), judged as materialized (
    select q.contact, q.agent,
      case when not q.offered then 'not_offered'
        when l.load + count(*) filter (where q.offered) over (partition by q.agent order by q.n) > l.capacity
          then 'full' end as why
    from asked q join loads l on l.id = q.agent
  ), given as materialized (
    select j.contact, j.agent from judged j where j.why is null
  ), gone as (
    delete from offers o using given g where o.contact = g.contact returning o.contact, o.agent
  ), unset as (
    delete from timers t using given g where t.subject = g.contact and t.kind = 'offer'
  ), forgiven as (
    delete from refusals r using given g where r.contact = g.contact
  ), noted as (
    update agents a set last_assigned = at where a.id in (select g.agent from given g)
  ), taken as (
    update contacts c set agent = g.agent, life = 'assigned', waiting = false from given g
      where c.id = g.contact
  ), withdrawn as (
    select o.contact, array_agg(o.agent) as agents from gone o group by o.contact
  )
  select j.contact, j.why, array_remove(w.agents, j.agent) from judged j left join withdrawn w
    on w.contact = j.contact;
end $$;
`
