import * as v from 'valibot'
import { ContactError } from '../../protocol/index.ts'
import type { Calls, ErrorCode, Slot } from '../../protocol/index.ts'
import type { KeyValueStore } from '../api/client.ts'
import type { ServiceLink } from '../link/service-link.ts'

/** A session that its user has ended. */
export type Leave = Calls['contact.leave']['args']

const leavesSchema = v.array(
  v.object({
    party: v.string(),
    contact: v.string(),
    session: v.string(),
    reason: v.exactOptional(v.string()),
  }),
)
type PendingLeave = v.InferOutput<typeof leavesSchema>[number]

/** Tells the service of a leave, once `first` has settled. It is noted at once. */
export type TellLeave = (leave: Leave, first: Promise<unknown>) => Promise<void>
const MOST = 32
/** After these the service may not have carried it out. */
const UNHEARD: ReadonlySet<ErrorCode> = new Set([
  'offline',
  'timeout',
  'internal',
  'rate_limited',
  'protocol',
  'unauthorized',
])

/** Where a tab keeps what its visitor, or its agent, has left. */
export const leavesKey = (service: string, role: Slot): string => `duolog:${service}:leaves:${role}`

/**
 * Sessions that were left and of which the service has not heard: told on the next connection of their party,
 * by this page or a later one in the tab.
 */
export class PendingLeaves {
  readonly #store: KeyValueStore
  readonly #key: string
  readonly #onTold: (contact: string) => Promise<void>
  readonly #telling = new Set<Promise<void>>()

  /** `onTold`: the service has heard of it, or knows of no such session. */
  constructor({
    store,
    key,
    onTold,
  }: {
    readonly store: KeyValueStore
    readonly key: string
    readonly onTold: (contact: string) => Promise<void>
  }) {
    this.#store = store
    this.#key = key
    this.#onTold = onTold
  }

  has = (contact: string): boolean => this.#all().some((leave) => leave.contact === contact)

  /** Whose they are. */
  get parties(): ReadonlySet<string> {
    return new Set(this.#all().map(({ party }) => party))
  }

  /** Null, or resolves when those that are being told are told, or cannot be now. */
  get telling(): Promise<unknown> | null {
    return this.#telling.size > 0 ? Promise.allSettled(this.#telling) : null
  }

  /** Notes one and tells the service of it, once `first` has settled, where there is a connection. */
  async tell(link: ServiceLink, leave: PendingLeave, first: Promise<unknown>): Promise<void> {
    this.#save([...this.#all(), leave].slice(-MOST))
    const telling = first.catch(() => {}).then(() => this.#say(link, leave))
    this.#telling.add(telling)
    await telling.finally(() => this.#telling.delete(telling))
  }

  /**
   * Tells the service of those of a party, on a connection of that one. Where it is not known whose
   * connection it is: of all, and those of others stay.
   */
  async tellAll(link: ServiceLink, of?: string): Promise<void> {
    for (const leave of this.#all())
      if (of === undefined || leave.party === of) await this.#say(link, leave, of === undefined)
  }

  /** Those of a party can be told no more. */
  drop(of: string): void {
    this.#save(this.#all().filter(({ party }) => party !== of))
  }

  async #say(
    link: ServiceLink,
    { party: _whose, ...leave }: PendingLeave,
    mayBeAnothers = false,
  ): Promise<void> {
    if (!link.isConnected) return
    try {
      await link.call('contact.leave', leave)
    } catch (thrown) {
      if (
        !(thrown instanceof ContactError) ||
        UNHEARD.has(thrown.code) ||
        (mayBeAnothers && thrown.code === 'not_assigned')
      )
        return
    }
    this.#save(this.#all().filter(({ session }) => session !== leave.session))
    await this.#onTold(leave.contact)
  }

  #save(leaves: readonly PendingLeave[]): void {
    if (leaves.length > 0) this.#store.setItem(this.#key, JSON.stringify(leaves))
    else this.#store.removeItem(this.#key)
  }

  #all(): readonly PendingLeave[] {
    try {
      return v.parse(leavesSchema, JSON.parse(this.#store.getItem(this.#key) ?? '[]'))
    } catch {
      return []
    }
  }
}
