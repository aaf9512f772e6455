import { firstOf } from '../../../protocol/index.ts'
import type { ContactRequest, Entry } from '../../../protocol/index.ts'
import { isVisitorGone } from '../contacts/index.ts'
import type { ContactStore, StoredLife } from '../contacts/index.ts'

/** Entries after which a contact may want a call, or want it no more. */
export const MOVING: ReadonlySet<Entry['type']> = new Set([
  'answer',
  'direct',
  'ready',
  'failed',
  'present',
  'left',
  'transferred',
  'cleared',
])

/**
 * What a contact wants: to be called for a transition, or to keep what it has; `gone`: its media are on, and
 * nobody is there for them.
 */
export type Want =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'ring'
      readonly ref: number
      readonly number: string | null
      readonly agent: string
      readonly before: string | null
    }
  | { readonly kind: 'keep' }
  | { readonly kind: 'gone' }

export type Ring = Extract<Want, { kind: 'ring' }>

/** What the log of a contact wants of the telephone. */
export async function wantOf(store: Pick<ContactStore, 'read'>, contact: string): Promise<Want> {
  const read = await store.read(contact)
  if (read?.row.life !== 'joined' || read.state.keys) return { kind: 'none' }
  const { phase, media } = read.state.shared
  if (media.Voice?.via === 'pstn')
    return { kind: isVisitorGone(JSON.parse(read.row.machine) as StoredLife) ? 'gone' : 'keep' }
  if (phase.name !== 'transiting' || phase.target.Voice?.via !== 'pstn') return { kind: 'none' }
  return {
    kind: 'ring',
    ref: phase.ref,
    number: firstOf((JSON.parse(read.row.details) as ContactRequest).data ?? [], 'phone') ?? null,
    agent: read.row.agent ?? '',
    before: read.row.transferred_from,
  }
}
