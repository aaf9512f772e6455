/**
 * Gives an offered contact to the agent who accepts it, and takes back the offers to all others. `why`: not_offered, full (as many
 * contacts as the agent's capacity); then nothing has changed. Rows are locked in the order agents, offers, timers.
 */
export const ACCEPT_FUNCTION = `
create function accept_offer(p_contact text, p_agent text, at bigint) returns table (why text, others text[])
language plpgsql set enable_seqscan = off as $$
declare
  room integer;
begin
  select a.capacity into room from agents a where a.id = p_agent for update;
  perform 1 from offers o where o.contact = p_contact order by o.agent for update;
  if room is null or not exists (select 1 from offers o where o.contact = p_contact and o.agent = p_agent) then
    return query select 'not_offered', null::text[];
    return;
  end if;
  if (select count(*) from contacts c where c.agent = p_agent and c.life in ('assigned', 'joined')) >= room then
    return query select 'full', null::text[];
    return;
  end if;
  return query
    with gone as (delete from offers o where o.contact = p_contact returning o.agent)
    select null::text, coalesce(array_agg(g.agent) filter (where g.agent <> p_agent), '{}') from gone g;
  delete from timers t where t.subject = p_contact and t.kind = 'offer';
  delete from refusals r where r.contact = p_contact;
  update agents a set last_assigned = at where a.id = p_agent;
  update contacts c set agent = p_agent, life = 'assigned', waiting = false where c.id = p_contact;
end $$;
`

/** The same for many contacts, one after another. */
export const ACCEPT_ALL_FUNCTION = `
create function accept_offers(p_contacts text[], p_agents text[], at bigint) returns table (contact text, why text, others text[])
language plpgsql as $$
begin
  perform 1 from agents a where a.id = any(p_agents) order by a.id for update;
  for i in 1..cardinality(p_contacts) loop
    return query select p_contacts[i], o.why, o.others from accept_offer(p_contacts[i], p_agents[i], at) o;
  end loop;
end $$;
`
