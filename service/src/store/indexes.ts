/**
 * Indexes by name, beside those in the migrations: each start makes the ones that are missing, without
 * keeping anybody from writing. One for each `where` of a table that grows.
 */
export const INDEXES: Readonly<Record<string, string>> = {
  contacts_of_visitor: "contacts (visitor, created, id) where life <> 'transferred'",
  contacts_past_of_agent: "contacts (agent, created, id) where life = 'cleared'",
  contacts_created: 'contacts (created, id)',
  contacts_in_turn: 'contacts (visitor_away, queued_at, id) where waiting',
  contacts_unprepared: 'contacts (queued_at, id) where waiting and distribution is null',
  contacts_named: 'contacts (queued_at, id) where waiting and only_agent is not null',
  contacts_queued_of_visitor: "contacts (visitor) where life = 'queued'",
  contacts_ended: 'contacts (ended, id) where ended is not null',
  contacts_with_messages: 'contacts (ended, id) where ended is not null and not messages_removed',
  contacts_with_files: 'contacts (ended, id) where ended is not null and not files_removed',
  refresh_tokens_expires: 'refresh_tokens (expires)',
  refresh_tokens_used: 'refresh_tokens (visitor, used)',
  visitors_created: 'visitors (created, id)',
  agents_ready: "agents (last_assigned, id) where state = 'ready' and connected",
  agents_absent: 'agents (last_assigned, id) where not connected',
  agents_connected: 'agents (id) where connected',
  sessions_node: 'sessions (node) where node is not null',
  sessions_contact_node: 'sessions (contact, node) where node is not null',
  timers_by_kind: 'timers (kind, due)',
  revocations_changed: 'revocations (changed, subject)',
  revocations_expires: 'revocations (expires)',
}
