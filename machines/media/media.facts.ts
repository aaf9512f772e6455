import type { Entry, Fact, SharedState, Slot } from '../../protocol/index.ts'
import type { MediaFact } from './media.types.ts'

/** Who reads: a session under its slot. */
interface Reader {
  readonly slot: Slot
  readonly session: string
}

/** An entry, and the fold before and after it. */
interface Reading {
  readonly before: SharedState
  readonly entry: Entry
  readonly fact: Fact
  readonly shared: SharedState
}

const isMine = (entry: Entry, me: Reader): boolean => entry.slot !== 'service' && entry.session === me.session

/** What an entry means to this party; null where it means nothing to its media. */
export function mediaFact({ before, entry, fact, shared }: Reading, me: Reader): MediaFact | null {
  if (entry.type === 'cleared' || (entry.type === 'transferred' && me.slot === 'agent'))
    return { type: 'log.closed', shared }
  switch (fact.kind) {
    case 'none':
      return null
    case 'void':
      return isMine(entry, me) ? { type: 'log.voided', id: entry.id, reason: fact.reason, shared } : null
    case 'present':
      if (fact.slot !== me.slot) return { type: 'log.partyChanged', shared }
      if (fact.session === me.session) return { type: 'log.slotHeld', shared }
      return { type: before.session[me.slot] === me.session ? 'log.slotLost' : 'log.partyChanged', shared }
    case 'absent':
      if (!fact.slots.includes(me.slot)) return { type: 'log.partyChanged', shared }
      return { type: before.session[me.slot] === me.session ? 'log.slotLost' : 'log.slotFreed', shared }
    case 'offered':
      return fact.by === me.slot
        ? { type: 'log.offering', id: entry.id, ref: fact.ref, shared }
        : { type: 'log.offered', ref: fact.ref, shared }
    case 'transiting':
      return { type: 'log.transiting', id: entry.id, ref: fact.ref, shared }
    case 'ready':
      return { type: 'log.readied', ref: fact.ref, shared }
    case 'committed':
      return { type: 'log.committed', ref: fact.ref, answer: fact.answer, shared }
    case 'ended':
      return { type: 'log.ended', ref: fact.ref, ending: fact.ending, shared }
  }
}
