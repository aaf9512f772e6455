import { algebra } from '../../protocol/index.ts'
import type { UnsentEntry } from '../../protocol/index.ts'

const { stripData, swap, swapOffer } = algebra

/** An entry as the other party reads it: the one place where `tx` and `rx` are swapped. */
export function relativeToRemote(entry: UnsentEntry): UnsentEntry {
  switch (entry.type) {
    case 'offer':
      return { ...entry, body: { ...entry.body, offer: swapOffer(entry.body.offer) } }
    case 'direct':
      return { ...entry, body: { ...entry.body, target: swap(stripData(entry.body.target)) } }
    case 'answer':
      return { ...entry, body: { ...entry.body, answer: swap(stripData(entry.body.answer)) } }
    default:
      return entry
  }
}
