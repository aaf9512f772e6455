/**
 * The agreement on a key, as a part of the fold (`docs/negotiation.md`): the session that holds the visitor's
 * slot commits, the agent's shares, the visitor's reveals.
 *
 *   none ──keyCommit──▶ committed ──keyShare──▶ shared ──keyReveal──▶ agreed
 */
import { definitionOf } from './entries/list.ts'
import type { SharedState, VoidReason } from './fold.ts'
import type { Entry, PartyEntry } from './log.ts'
import type { Slot } from './media.ts'

/** Where the agreement stands. `ref` is the sequence number of the step before. */
export type KeyPhase =
  | { readonly name: 'none' }
  | { readonly name: 'committed'; readonly ref: number }
  | { readonly name: 'shared'; readonly ref: number }
  | {
      readonly name: 'agreed'
      /** Id of the key, as `seal.key` names it. */
      readonly id: string
      /** Sequence number of the `keyReveal`. */
      readonly since: number
    }

/** Of a contact that is not secure: null. */
export type Keys = KeyPhase | null

type Holders = SharedState['session']
/** The phase after an entry, or why the entry is void. */
type Judged = { readonly keys: Keys; readonly reason?: never } | { readonly reason: VoidReason }

/** What the fold of a contact asks of the agreement on a key. */
export interface KeyRules {
  /** What an entry does to the agreement, or why it is void. */
  readonly judgeKeys: (keys: Keys, holders: Holders, entry: Entry) => Judged
  /** The agreement after the sessions that hold the slots have changed. */
  readonly keysOfSessions: (keys: Keys, before: Holders, after: Holders) => Keys
}

function judgeKeys(keys: Keys, holders: Holders, entry: Entry): Judged {
  if (entry.type === 'keyCommit' || entry.type === 'keyShare' || entry.type === 'keyReveal')
    return agree(keys, holders, entry)
  if (!keys || entry.type === 'ack' || !definitionOf(entry.type)?.isSealed) return { keys }
  const { seal } = (entry as Extract<PartyEntry, { type: 'text' }>).body
  return keys.name === 'agreed' && seal?.key === keys.id ? { keys } : { reason: 'other_key' } // §3
}

function agree(
  keys: Keys,
  holders: Holders,
  entry: Extract<PartyEntry, { type: 'keyCommit' | 'keyShare' | 'keyReveal' }>,
): Judged {
  const { slot, seq: ref } = entry
  const isNext = (phase: KeyPhase['name'], writer: Slot): boolean =>
    keys?.name === phase && slot === writer && entry.session === holders[writer]
  const isAnswer = keys && 'ref' in keys && 'ref' in entry.body && keys.ref === entry.body.ref
  if (entry.type === 'keyCommit' && isNext('none', 'visitor')) return { keys: { name: 'committed', ref } } // §3
  if (entry.type === 'keyShare' && isAnswer && isNext('committed', 'agent'))
    // §3
    return { keys: { name: 'shared', ref } }
  if (entry.type === 'keyReveal' && isAnswer && isNext('shared', 'visitor'))
    // §3
    return { keys: { name: 'agreed', id: entry.body.seal.key, since: ref } }
  return { reason: 'over' }
}

/** A key belongs to a pair of sessions. A commit belongs to the visitor's: nothing was revealed for it. */
function keysOfSessions(keys: Keys, before: Holders, after: Holders): Keys {
  const isVisitorNew = before.visitor !== after.visitor // §3
  const isAgentNew = before.agent !== after.agent && keys?.name !== 'committed' // §3
  return keys && (isVisitorNew || isAgentNew) ? { name: 'none' } : keys
}

/** The agreement in a secure contact. */
export const keyRules: KeyRules = { judgeKeys, keysOfSessions }
