import * as v from 'valibot'
import { ContactError } from '../protocol/index.ts'
import type { Calls, ErrorCode } from '../protocol/index.ts'
import type { KeyValueStore } from './client.ts'
import type { ServiceLink } from './link/service-link.ts'

/** A session that its user has ended. */
export type Leave = Calls['contact.leave']['args']

const leavesSchema = v.array(v.object({ contact: v.string(), session: v.string(), reason: v.exactOptional(v.string()) }))
const MOST = 32
/** After these the service may not have carried it out. */
const UNHEARD: ReadonlySet<ErrorCode> = new Set(['offline', 'timeout', 'internal', 'rate_limited', 'protocol', 'unauthorized'])

/** Where a tab keeps what it has left. */
export const leavesKey = (service: string): string => `parley:${service}:leaves`

/** Sessions that were left and of which the service has not heard: told on the next connection of this page, or of a later one in the tab. */
export class PendingLeaves {
  readonly #store: KeyValueStore
  readonly #key: string
  readonly #onTold: (contact: string) => Promise<void>

  /** `onTold`: the service has heard of it, or knows of no such session. */
  constructor({ store, key, onTold }: { readonly store: KeyValueStore; readonly key: string; readonly onTold: (contact: string) => Promise<void> }) {
    this.#store = store
    this.#key = key
    this.#onTold = onTold
  }

  has = (contact: string): boolean => this.#all().some((leave) => leave.contact === contact)

  get isEmpty(): boolean {
    return this.#all().length === 0
  }

  /** Tells the service of one: now, where there is a connection. */
  async tell(link: ServiceLink, leave: Leave): Promise<void> {
    this.#save([...this.#all(), leave].slice(-MOST))
    await this.#say(link, leave)
  }

  /** Tells the service of all. */
  async tellAll(link: ServiceLink): Promise<void> {
    for (const leave of this.#all()) await this.#say(link, leave)
  }

  async #say(link: ServiceLink, leave: Leave): Promise<void> {
    try {
      await link.call('contact.leave', leave)
    } catch (thrown) {
      if (!(thrown instanceof ContactError) || UNHEARD.has(thrown.code)) return
    }
    this.#save(this.#all().filter(({ session }) => session !== leave.session))
    await this.#onTold(leave.contact)
  }

  #save(leaves: readonly Leave[]): void {
    if (leaves.length > 0) this.#store.setItem(this.#key, JSON.stringify(leaves))
    else this.#store.removeItem(this.#key)
  }

  #all(): readonly Leave[] {
    try {
      return v.parse(leavesSchema, JSON.parse(this.#store.getItem(this.#key) ?? '[]'))
    } catch {
      return []
    }
  }
}
