import * as v from 'valibot'
import type { ContactData, Letter, Slot } from '../protocol/index.ts'
import { ContactCore } from './contact-core.ts'
import type { Environment } from './environment.ts'
import type { ServiceLink } from './link/service-link.ts'
import { LiveContact } from './live-contact.ts'
import { KEPT_TYPES } from './outbox.ts'
import { randomName } from './settle.ts'

export interface OpenContactOptions {
  readonly link: ServiceLink
  readonly role: Slot
  readonly record: ContactData
  readonly environment: Environment
  /** The contact was open on an earlier page of this tab or another. */
  readonly resumed: boolean
  readonly onEnd: () => void
}

const keptSchema = v.object({
  cursor: v.exactOptional(v.number()),
  letters: v.exactOptional(v.array(v.object({ id: v.string(), type: v.picklist(KEPT_TYPES), body: v.record(v.string(), v.unknown()) }))),
})
type Kept = { readonly cursor?: number; readonly letters?: readonly Letter[] }

/** Puts a contact together: its core, its engines and its documented face. It is not entered yet. */
export async function openContact({ link, role, record, environment, resumed, onEnd }: OpenContactOptions): Promise<{ readonly core: ContactCore; readonly contact: LiveContact }> {
  const { tab, clock, log, inspect } = environment
  const key = `parley:${record.id}`
  let kept = readKept(tab.getItem(key))
  let over = false
  const core = new ContactCore({
    link,
    role,
    session: randomName(),
    record,
    capabilities: environment.capabilities(),
    clock,
    log,
    inspect,
    cursor: kept.cursor ?? (resumed ? null : 0),
    keep: (more) => {
      if (over) return
      kept = { ...kept, ...more }
      tab.setItem(key, JSON.stringify(kept))
    },
    onEnd: (how) => {
      over = how === 'over'
      if (over) tab.removeItem(key)
      onEnd()
    },
  })
  for (const engine of await environment.engines()) await core.addEngine(engine)
  const inherited = kept.letters ?? []
  for (const letter of inherited) core.write(letter)
  return { core, contact: new LiveContact(core) }
}

function readKept(text: string | null): Kept {
  try {
    return v.parse(keptSchema, JSON.parse(text ?? '{}')) as unknown as Kept
  } catch {
    return {}
  }
}
