/** What must hold of the two parties in each world, whatever the service does. */
import type { Slot } from '../../../protocol/index.ts'
import { derived } from './load.ts'
import type { PageView, View } from './worlds.ts'

/** Whether the service can work out a key, by its id. */
type Knows = (id: string) => boolean

interface Parties {
  readonly visitor: View
  readonly agent: View
}

/** What does not hold; null: nothing. */
export function faultOf({ visitor, agent }: Parties, knows: Knows, isSigned: boolean): string | null {
  for (const [party, other] of [
    [visitor, agent],
    [agent, visitor],
  ] as const) {
    const fault = tabsFault(party) ?? first(party.pages, (page) => pageFault(page, party, other))
    if (fault) return fault
    const known = first(party.pages, (page) => knownFault(page, party.slot, { knows, isSigned }))
    if (known) return known
  }
  return first(visitor.pages, (here) =>
    first(agent.pages, (there) => pairFault([here, there], visitor.keys, knows)),
  )
}

const first = <T>(all: readonly T[], faultIn: (one: T) => string | null): string | null =>
  all.reduce<string | null>((found, one) => found ?? faultIn(one), null)

/** Of a page by itself, and of what its users have said. */
function pageFault(page: PageView, { slot, accepted, compared }: View, other: View): string | null {
  const { key, state, isSecured } = page
  if (page.mayRelay && page.holders[slot] !== page.session)
    return `a tab of the ${slot} without the slot relays`
  if (key === null) return null
  if (derived.get(key)?.secret.every((byte) => byte === 0)) return `the ${slot} counts a key that all know`
  if (derived.get(key)?.contact !== page.contact) return `the ${slot} uses a key of another contact`
  if (state === 'changed' && goesOnFrom(key, accepted))
    return `the ${slot} is asked again about a key that goes on from one that was accepted`
  if (isSecured && compared.length > 0 && accepted.length === 0 && !goesOnFrom(key, compared))
    return `the ${slot} goes on with another key than was verified`
  return isSecured && isOldKept(page, slot, other) ? `the ${slot} keeps what its key was made of` : null
}

/** Of a key that the service can work out. */
function knownFault(
  { key, state, isSecured }: PageView,
  slot: Slot,
  { knows, isSigned }: { readonly knows: Knows; readonly isSigned: boolean },
): string | null {
  if (key === null || !knows(key)) return null
  if (state === 'verified') return `the ${slot} takes a key of the service for verified`
  return isSecured && slot === 'visitor' && isSigned
    ? 'the visitor goes on with a key of the service where the organisation has to sign'
    : null
}

/** Of a page of either party. */
function pairFault(
  [visitor, agent]: readonly [PageView, PageView],
  keys: readonly string[],
  knows: Knows,
): string | null {
  const [here, there] = [visitor.key, agent.key]
  if (there !== null && !knows(there) && !keys.includes(there))
    return 'the agent counts a key that nobody else has'
  if (here === null || there === null || visitor.code !== agent.code) return null
  if (knows(here) || knows(there)) return 'the codes are equal, and the service knows a key'
  const isResumed = derived.get(here)?.resumed !== null || derived.get(there)?.resumed !== null
  return isResumed || here === there ? null : 'the codes are equal, and the keys are not'
}

/** Tabs of a party that use the same key are of one mind about it. */
function tabsFault({ slot, pages }: View): string | null {
  const differ = pages.some(({ key, state }) =>
    pages.some((other) => key !== null && other.key === key && other.state !== state),
  )
  return differ ? `tabs of the ${slot} differ about a key` : null
}

/** Whether a key is one of these, or goes on from one of them. */
function goesOnFrom(id: string, ids: readonly string[]): boolean {
  if (ids.includes(id)) return true
  const before = derived.get(id)?.resumed ?? null
  return before !== null && goesOnFrom(before, ids)
}

/** Whether a tab still has the secret that went into its key, though both parties have that key. */
function isOldKept({ key, ring, read }: PageView, slot: Slot, other: View): boolean {
  const old = derived.get(key ?? '')?.resumed
  const isKept = ring.some(({ id, resume }) => id === old && resume !== null)
  const isConfirmed = other.written.some(
    ({ id, type, body }) => type === 'ack' && read.includes(id) && 'seal' in body && body.seal?.key === key,
  )
  return isKept && (slot === 'agent' || isConfirmed)
}
