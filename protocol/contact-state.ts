/** Everything that both parties and the service know of a contact, as a fold over its log. */
import type { MediaCapabilities } from './capabilities.ts'
import type { ContactLife } from './contact-data.ts'
import { definitionOf } from './entries/list.ts'
import { fold, initialSharedState } from './fold.ts'
import type { Fact, Folded, SharedState } from './fold.ts'
import type { KeyRules, Keys } from './key-phase.ts'
import type { AgentCard } from './agent-card.ts'
import type { ChannelCounts } from './channel-counts.ts'
import type { EndReason } from './end-reason.ts'
import type { Entry } from './log.ts'
import type { MediaOffer, Slot } from './media.ts'

/** The state of a contact after a number of entries. */
export interface ContactState {
  /** Sequence number of the last entry folded. */
  readonly seq: number
  readonly life: ContactLife
  readonly reason: EndReason | null
  readonly agent: AgentCard | null
  readonly shared: SharedState
  /** Where the agreement on a key stands; null in a contact that is not secure. */
  readonly keys: Keys
  /** Capabilities that the holder of each slot announced last. */
  readonly capabilities: Readonly<Record<Slot, MediaCapabilities | null>>
  /** Sessions that announced themselves and have not left: a party's channels. */
  readonly channels: Readonly<Record<Slot, readonly string[]>>
  /** Messages that are void as their key is over: their authors write them again. Absent: none. */
  readonly repeated?: number
}

/** What of a contact's record its fold begins with. */
export interface ContactStart {
  /** Relative to the agent. */
  readonly initialOffer?: MediaOffer | undefined
  readonly secure?: boolean | undefined
}

/** The state before the first entry of the log. */
export const initialContactState = (
  reader: Slot,
  { initialOffer, secure }: ContactStart = {},
): ContactState => ({
  seq: 0,
  life: 'queued',
  reason: null,
  agent: null,
  shared: initialSharedState(reader, initialOffer),
  keys: secure ? { name: 'none' } : null,
  capabilities: { visitor: null, agent: null },
  channels: { visitor: [], agent: [] },
})

/** A contact after one more entry, and what that was. */
export interface FoldedContact {
  readonly state: ContactState
  readonly fact: Fact
}

/** A contact that is not secure has no agreement. */
const NO_KEYS: KeyRules = {
  judgeKeys: (keys, _holders, { type }) => (type.startsWith('key') ? { reason: 'over' } : { keys }),
  keysOfSessions: (keys) => keys,
}

/** Folds one entry into a contact that is not secure; with the rules of secure ones, into any. */
export function foldEntry(state: ContactState, entry: Entry, rules: KeyRules = NO_KEYS): FoldedContact {
  const { session } = state.shared
  const judged = rules.judgeKeys(state.keys, session, entry)
  const { state: shared, fact }: Folded =
    judged.reason === undefined
      ? fold(state.shared, entry)
      : { state: state.shared, fact: { kind: 'void', reason: judged.reason } }
  return {
    state: {
      ...state,
      seq: entry.seq,
      shared,
      keys: rules.keysOfSessions(
        judged.reason === undefined ? judged.keys : state.keys,
        session,
        shared.session,
      ),
      ...membership(state, entry),
      capabilities: announced(state, entry, fact),
      // §3
      ...(judged.reason === 'other_key' &&
        definitionOf(entry.type)?.isMessage && { repeated: (state.repeated ?? 0) + 1 }),
    },
    fact,
  }
}

function membership(state: ContactState, entry: Entry): Partial<ContactState> {
  switch (entry.type) {
    case 'present':
      return state.channels[entry.slot].includes(entry.session)
        ? {}
        : { channels: { ...state.channels, [entry.slot]: [...state.channels[entry.slot], entry.session] } }
    case 'left':
      return {
        channels: {
          ...state.channels,
          [entry.body.slot]: state.channels[entry.body.slot].filter(
            (session) => session !== entry.body.session,
          ),
        },
      }
    case 'assigned':
      return { life: 'assigned', agent: entry.body }
    case 'joined':
      return { life: 'joined', agent: entry.body }
    case 'declined':
      return state.life === 'assigned' ? { life: 'queued', agent: null } : {}
    case 'transferred':
      return { agent: null, channels: { ...state.channels, agent: [] } }
    case 'cleared':
      return { life: 'cleared', reason: entry.body.reason ?? null, channels: { visitor: [], agent: [] } }
    default:
      return {}
  }
}

function announced(state: ContactState, entry: Entry, fact: Fact): ContactState['capabilities'] {
  if (fact.kind === 'void') return state.capabilities
  if (entry.type !== 'present' && entry.type !== 'capabilities') return state.capabilities
  return { ...state.capabilities, [entry.slot]: entry.body.capabilities }
}

/** Numbers of open channels, as `left` carries them. */
export function countChannels(channels: ContactState['channels']): ChannelCounts {
  const [vvcu, user] = [channels.visitor.length, channels.agent.length]
  return { total: vvcu + user, vvcu, user }
}
