/** A page of a party on a walk, and what must hold of it at the end. */
import { algebra } from '../../protocol/index.ts'
import type { MediaAnswerCallback, MediaOffer } from '../../protocol/index.ts'
import type { AgentImpl } from '../../sdk/agent/create-agent.ts'
import type { KeyValueStore } from '../../sdk/api/client.ts'
import type { VisitorClient } from '../../sdk/client/create-client.ts'
import type { Contact } from '../../sdk/index.ts'
import type { Party } from '../../testing/index.ts'
import { LedgerEngine } from './ledgers.ts'
import type { EngineName } from './walk-steps.ts'

export interface Tab {
  readonly client: VisitorClient | AgentImpl
  readonly party: Party
  readonly contact: Contact
  readonly engines: Readonly<Record<EngineName, LedgerEngine>>
  readonly storage: KeyValueStore
  readonly offers: { readonly offer: MediaOffer; readonly callback: MediaAnswerCallback }[]
  /** Media whose device went away. */
  readonly unplugged: Set<string>
}

export function ledgerOf(contact: Contact, id: EngineName): LedgerEngine {
  const engine = contact.getMediaEngine(id)
  if (!(engine instanceof LedgerEngine)) throw new Error('the engine keeps no ledger')
  return engine
}

/**
 * The engine carries what the contact says, and captures what it transmits. Turning off what went away is
 * tried once: an engine may fail at it.
 */
export const carriedWrong = (tab: Tab): string[] => [...carriedBy(tab, 'WebRTC'), ...carriedBy(tab, 'Other')]

function carriedBy({ contact, engines, unplugged }: Tab, engine: EngineName): string[] {
  const media = Object.fromEntries(
    Object.entries(contact.data().mediaState).filter(([, details]) => details?.engine === engine),
  )
  const transmits = Object.keys(media).filter((medium) => media[medium]?.tx)
  const { carried, devices } = engines[engine]
  return [
    ...(algebra.sameMedia(media, carried)
      ? []
      : [
          `${engine} of the ${contact.role} carries ${JSON.stringify(carried)}, the contact has ${JSON.stringify(media)}`,
        ]),
    ...devices.inUse
      .filter((medium) => !transmits.includes(medium))
      .map((medium) => `the ${contact.role} captures ${medium} and does not transmit it`),
    ...transmits
      .filter((medium) => !devices.inUse.includes(medium) && !unplugged.has(`${engine} ${medium}`))
      .map((medium) => `the ${contact.role} transmits ${medium} without capturing it`),
  ]
}
