import { algebra } from '../../protocol/index.ts'
import type { UnsentEntry } from '../../protocol/index.ts'

/** An entry as the other party reads it: the one place where `tx` and `rx` are swapped. */
export function relativeToRemote(entry: UnsentEntry): UnsentEntry {
  switch (entry.type) {
    case 'offer':
      return { ...entry, body: { ...entry.body, offer: algebra.swapOffer(entry.body.offer) } }
    case 'direct':
      return { ...entry, body: { ...entry.body, target: algebra.swap(algebra.stripData(entry.body.target)) } }
    case 'answer':
      return { ...entry, body: { ...entry.body, answer: algebra.swap(algebra.stripData(entry.body.answer)) } }
    default:
      return entry
  }
}
