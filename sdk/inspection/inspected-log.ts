import { createActor } from 'xstate'
import type { Entry, Fact, VoidReason } from '../../protocol/index.ts'
import type { Inspect } from '../api/client.ts'
import type { ReadEntry } from '../log/log-reader.ts'
import { lastShown } from './last-shown.ts'

/**
 * An entry as an inspection observer sees it: what it is and did, and of a negotiation also its body. Never
 * what a message says.
 */
interface InspectedEntry {
  readonly type: 'log.entry'
  readonly seq: number
  readonly entry: Entry['type']
  readonly slot: Entry['slot']
  readonly session: string | null
  readonly sizeBytes: number
  readonly fact: Fact['kind']
  readonly void: VoidReason | null
  readonly body: Entry['body'] | null
}

const SHOWN: ReadonlySet<Entry['type']> = new Set([
  'offer',
  'direct',
  'answer',
  'withdraw',
  'ready',
  'failed',
  'left',
  'transferred',
  'cleared',
])

const position = lastShown(({ seq }: InspectedEntry) => ({ seq }), { seq: 0 })

/** Shows what is read of the log of a contact to an observer, as the events of an actor `log <contact>`. */
export const showsLog =
  (inspect: Inspect) =>
  (contact: string): ((read: ReadEntry) => void) => {
    const actor = createActor(position, { id: `log ${contact}`, inspect }).start()
    return ({ entry, fact }) =>
      actor.send({
        type: 'log.entry',
        seq: entry.seq,
        entry: entry.type,
        slot: entry.slot,
        session: entry.slot === 'service' ? null : entry.session,
        sizeBytes: JSON.stringify(entry.body).length,
        fact: fact.kind,
        void: fact.kind === 'void' ? fact.reason : null,
        body: SHOWN.has(entry.type) ? entry.body : null,
      })
  }
