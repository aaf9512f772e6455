import * as v from '../../protocol/checks.ts'
import { readAs } from '../values/stored.ts'
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
  'internal',
  'rate_limited',
  'protocol',
  'offline',
  'timeout',
])

/** Where a tab keeps what its visitor, or its agent, has left. */
export const leavesKey = (service: string, role: Slot): string => `duolog:${service}:leaves:${role}`

interface PendingLeavesOptions {
  readonly store: KeyValueStore
  readonly key: string
  /** The service has heard of one, or knows of no such session. Where this fails it stays. */
  readonly onTold: (contact: string) => Promise<void>
  /** One is forgotten. */
  readonly onDone: () => void
  /** The service could not carry one out: {@link PendingLeaves.tellAll} is due. */
  readonly onFailed: () => void
}

/**
 * Sessions that were left and of which the service has not heard: told as soon as it can be reached on a
 * connection of their party, by this page or a later one in the tab.
 */
export class PendingLeaves {
  readonly #options: PendingLeavesOptions
  readonly #telling = new Set<Promise<void>>()

  constructor(options: PendingLeavesOptions) {
    this.#options = options
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

  /** Notes one and tells the service of it, once `first` has settled. Never fails. */
  async tell(link: ServiceLink, leave: PendingLeave, first: Promise<unknown>): Promise<void> {
    this.#save([...this.#all(), leave].slice(-MOST))
    const telling = first.catch(() => {}).then(() => this.#say(link, leave))
    await this.#underWay(telling).catch(() => this.#options.onFailed())
  }

  /**
   * Tells the service of those of a party, on a connection of that one. Where it is not known whose
   * connection it is: of all, and those of others stay.
   * @throws what kept one of them from being told
   */
  async tellAll(link: ServiceLink, of?: string): Promise<void> {
    const due = this.#all().filter(({ party }) => of === undefined || party === of)
    await Promise.all(due.map((leave) => this.#underWay(this.#say(link, leave, of === undefined))))
  }

  async #underWay(telling: Promise<void>): Promise<void> {
    this.#telling.add(telling)
    await telling.finally(() => this.#telling.delete(telling))
  }

  /** Those of a party can be told no more. */
  drop(of: string): void {
    this.#save(this.#all().filter(({ party }) => party !== of))
  }

  async #say(
    link: ServiceLink,
    { party: _whose, ...leave }: PendingLeave,
    mayBelongToAnother = false,
  ): Promise<void> {
    if (!link.isConnected) return
    try {
      await link.callHere('contact.leave', leave)
    } catch (thrown) {
      if (link.isLost(thrown)) return
      if (!(thrown instanceof ContactError) || UNHEARD.has(thrown.code)) throw thrown
      if (mayBelongToAnother && (thrown.code === 'not_assigned' || thrown.code === 'not_found')) return
    }
    await this.#options.onTold(leave.contact)
    this.#save(this.#all().filter(({ session }) => session !== leave.session))
    this.#options.onDone()
  }

  #save(leaves: readonly PendingLeave[]): void {
    if (leaves.length > 0) this.#options.store.setItem(this.#options.key, JSON.stringify(leaves))
    else this.#options.store.removeItem(this.#options.key)
  }

  #all(): readonly PendingLeave[] {
    return readAs(leavesSchema, this.#options.store.getItem(this.#options.key)) ?? []
  }
}
