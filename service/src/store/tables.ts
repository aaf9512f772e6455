/**
 * Columns of the store, as kysely sees them. Times are milliseconds since the epoch; JSON is kept as text,
 * exactly as it came.
 */
import type { Generated } from 'kysely'
import type { Slot } from '../../../protocol/index.ts'
import type { NodeState } from '../cluster/session-rules.ts'

export interface Tables {
  secrets: { name: string; value: string }
  signing_keys: { kid: string; private_jwk: string; created: number }
  visitors: { id: string; origin: string; created: number }
  refresh_tokens: {
    hash: string
    family: string
    visitor: string
    origin: string
    expires: number
    used: number | null
    revoked: boolean
  }
  revocations: { subject: string; at: number; expires: Generated<number>; changed: Generated<string> }
  agents: AgentRow & { passed_until: Generated<number> }
  agent_connections: { id: string; agent: string; node: string }
  contacts: ContactRow
  sessions: SessionRow & SessionPlaceColumns
  nodes: NodeTableRow
  entries: EntryRow
  timers: TimerColumns
  offers: OfferColumns
  jobs: { name: string; node: string | null; round: Generated<number> }
  phone_calls: { contact: string; call: string; ref: number; node: string }
  attachments: AttachmentRow & UploadLockColumns
  notes: NoteTableRow
  webhook: { name: string; seen: number }
  webhook_notes: WebhookNoteRow
  webhook_queues: {
    contact: string
    added: Generated<number>
    due: Generated<number>
    failures: Generated<number>
  }
  refusals: { contact: string; agent: string; until: number }
}

interface TimerColumns {
  subject: string
  kind: string
  key: string
  due: number
  failures: Generated<number>
  /** The node that carries it out. */
  owner: Generated<string | null>
}

interface OfferColumns {
  contact: string
  agent: string
  due: number
  /** Null where it is not noted whether the agent was told: several are asked at a time. */
  made: Generated<number | null>
  /** Pushed to a connection of the agent. */
  told: Generated<boolean>
  /** A connection that lives has read it. */
  seen: Generated<boolean>
}

/** Who takes bytes of an upload. */
interface UploadLockColumns {
  lock: Generated<string | null>
  lock_node: Generated<string | null>
  lock_beat: Generated<number>
}

export interface AgentRow {
  id: string
  nick: string
  state: 'ready' | 'paused'
  capacity: number
  /** JSON: switches by medium. */
  media: string
  tags: string[]
  connected: boolean
  /** When the last contact was given to this agent. */
  last_assigned: number
}

export interface ContactRow {
  id: string
  visitor: string
  /** The visitor's own id of the creation: repeating it gives the same contact. */
  request: string
  created: number
  /** `queued`, `assigned`, `joined`, `cleared`, `transferred`: the machine's word, for queries. */
  life: string
  /** Agents may be offered it: in the queue with its visitor there, or for later. */
  waiting: boolean
  /** The visitor has no connection: offered after those whose visitor waits. */
  visitor_away: boolean
  queued_at: number | null
  agent: string | null
  tags: string[]
  /** JSON: the snapshot of the contact's machine. */
  machine: string
  /** JSON: what the visitor said at creation. */
  details: string
  nick: string | null
  head: number
  messages: number
  last_message: number | null
  /** JSON: the folded contact at `state_seq`, seen by the visitor. */
  state: string
  state_seq: number
  transferred_from: string | null
  /** Where it was transferred to one agent: nobody else is offered it. */
  only_agent: string | null
  ended: number | null
  /** An own reason that a party gave to `leave`. */
  leave_reason: string | null
  /**
   * JSON: what agents are shown before they accept, and matching looks at. Null in rows of before it was
   * kept: it is in `details`.
   */
  distribution: string | null
  /**
   * The agent who handed it on: asked for it only while nobody else fits, and told where who was named does
   * not take it.
   */
  handed_by: string | null
  /** When, or when it came into the queue since then, where that is for one agent alone. */
  handed_at: number | null
  /** What parties wrote is gone; its files are. */
  messages_removed: boolean
  files_removed: boolean
  /** Since when a legal hold keeps it from being removed. */
  legal_hold: number | null
}

/** All columns of a contact. */
export const CONTACT_COLUMNS = Object.keys({
  id: true,
  visitor: true,
  request: true,
  created: true,
  life: true,
  waiting: true,
  visitor_away: true,
  queued_at: true,
  agent: true,
  tags: true,
  machine: true,
  details: true,
  nick: true,
  head: true,
  messages: true,
  last_message: true,
  state: true,
  state_seq: true,
  transferred_from: true,
  only_agent: true,
  ended: true,
  leave_reason: true,
  distribution: true,
  handed_by: true,
  handed_at: true,
  messages_removed: true,
  files_removed: true,
  legal_hold: true,
} satisfies Record<keyof ContactRow, true>)

export interface SessionRow {
  contact: string
  session: string
  slot: Slot
  principal: string
  counter: number
  connected: boolean
  ended: boolean
}

/** What only several nodes use. */
interface SessionPlaceColumns {
  /** The node that has its connection; null: none, or a process that does not note it. */
  node: Generated<string | null>
  /** Which opening of the page counts. */
  epoch: Generated<number>
}

export interface NodeTableRow {
  /** Of one process life, never used again. */
  node: string
  name: string
  address: string
  /** What its program understands of the store and the bus. */
  level: number
  state: Generated<NodeState>
  beat: Generated<number>
  /** When it was declared dead. */
  died: number | null
}

export interface AttachmentRow {
  id: string
  contact: string
  /** The sender's own id of the announcement: repeating it gives the same file. */
  request: string
  slot: Slot
  principal: string
  nick: string | null
  name: string
  mimetype: string
  size: number
  description: string | null
  reference: string | null
  created: number
  /** When its upload was last heard of. */
  touched: number
  /** Digests of the tokens that its sender has asked for the upload with. */
  tokens: string[]
  /** Number of its entry; null while it is not whole. */
  seq: number | null
  sha256: string | null
  width: number | null
  height: number | null
}

export interface NoteTableRow {
  n: Generated<number>
  contact: string
  agent: string
  nick: string
  body: string
  time: number
  /** Written at a transfer, for who takes the contact. */
  is_for_next: Generated<boolean>
}

/** Something that the organisation's back end is to be told of. */
export interface WebhookNoteRow {
  n: Generated<number>
  contact: string
  type: 'created' | 'queued' | 'joined' | 'ended' | 'message' | 'rating'
  /** Number of its entry; null where none says it. */
  seq: number | null
  time: number
}

export interface EntryRow {
  contact: string
  seq: number
  id: string
  type: string
  slot: string
  session: string | null
  counter: number | null
  from_id: string | null
  from_nick: string | null
  body: string
  time: number
}
