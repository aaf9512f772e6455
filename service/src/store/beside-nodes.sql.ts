/**
 * Keeps a process that knows nothing of nodes from undoing what they have written, while it is drained onto
 * them: one that loses a session or an agent's connection writes only that nobody is connected.
 */
export const KEEP_CONNECTED = `
create function keep_connected() returns trigger language plpgsql as $$
begin
  new.connected = true;
  return new;
end $$;
create trigger sessions_kept before update of connected on sessions for each row
  when (old.connected and not new.connected and not new.ended and old.node is not null
    and new.node is not distinct from old.node and new.epoch = old.epoch)
  execute function keep_connected();
create function keep_agent_connected() returns trigger language plpgsql as $$
begin
  new.connected = exists (select from agent_connections c where c.agent = new.id);
  return new;
end $$;
create trigger agents_kept before update of connected on agents for each row
  when (old.connected and not new.connected) execute function keep_agent_connected();
`
