import {
  ContactError,
  LIMITS,
  algebra,
  deferred,
  otherSlot,
  parseCapabilities,
  withCapability,
} from '../../protocol/index.ts'
import type { Clock, ContactState, Deferred, MediaCapabilities, Slot } from '../../protocol/index.ts'
import type { Log } from '../api/client.ts'
import type { Delivery } from '../contact/event-queue.ts'
import type { Membership } from '../contact/membership.ts'
import type { Outbox } from '../log/outbox.ts'
import { plainJson } from '../values/plain-json.ts'
import { randomName } from '../values/random-id.ts'
import { requireText } from '../values/arguments.ts'

type Availability = NonNullable<MediaCapabilities['MediaAvailability']>

/** How long to wait for the capabilities of a remote that is not there yet, milliseconds. */
const REMOTE_LIMIT_MS = 10_000
const SIZE = { name: 'capabilities', bytes: LIMITS.capabilitiesBytes }

/** What the capabilities need of their contact. */
export interface CapabilitiesHost {
  readonly role: Slot
  readonly clock: Clock
  readonly log: Log
  readonly delivery: Pick<Delivery, 'emit'>
  readonly outbox: Pick<Outbox, 'add'>
  readonly membership: Pick<Membership, 'isOver' | 'requireInside' | 'requireOpen'>
  /** Id of the contact now. */
  readonly contact: () => string
  /** What the log says now. */
  readonly state: () => ContactState
  /** Whether this page's session holds its party's slot. */
  readonly holdsSlot: () => boolean
  /** The own capabilities have changed. */
  readonly onSet: (capabilities: MediaCapabilities) => void
}

/**
 * What the two parties can do. The own capabilities are told at every change; those of the remote stand in
 * the log.
 */
export class Capabilities {
  readonly #host: CapabilitiesHost
  readonly #waiting = new Set<Deferred>()
  #local: MediaCapabilities
  /** What could be sent when the devices were looked at last. */
  #found: Availability
  /**
   * The remote's as the application was told last, and under which id of the contact: after a transfer it is
   * another party.
   */
  #told: { readonly contact: string; readonly capabilities: MediaCapabilities } | null = null

  constructor(host: CapabilitiesHost, local: MediaCapabilities) {
    this.#host = host
    this.#local = local
    this.#found = local.MediaAvailability ?? {}
  }

  get local(): MediaCapabilities {
    return this.#local
  }

  /** As last told; null where nobody has been there yet. */
  get remote(): MediaCapabilities | null {
    return this.#host.state().capabilities[otherSlot(this.#host.role)]
  }

  /** Adds what an engine carries; told with the next {@link Capabilities.announce}. */
  addEngine(engine: string, media: readonly string[]): void {
    this.#local = withEngine(this.#local, engine, media)
  }

  /** Changes one capability. @throws {@link ContactError} `invalid_argument`, `too_large`, `left` */
  setAt(path: unknown, value: unknown): MediaCapabilities {
    const operation = 'set the capability'
    requireText(operation, path, { name: 'path' })
    return this.#set(
      operation,
      withCapability(this.#local, path, plainJson(operation, value, { ...SIZE, name: 'value' })),
    )
  }

  /** Replaces all of them. @throws {@link ContactError} `invalid_argument`, `too_large`, `left` */
  setAll(capabilities: unknown): MediaCapabilities {
    return this.#set('set the capabilities', capabilities)
  }

  /**
   * Devices came or went: what can be sent is told, but for media that the application has set itself since.
   */
  available(found: Availability): void {
    const now = this.#local.MediaAvailability ?? {}
    const changes = Object.entries(found).filter(
      ([medium, there]) => there !== this.#found[medium] && now[medium] === this.#found[medium],
    )
    this.#found = found
    if (changes.length === 0 || this.#host.membership.isOver()) return
    this.#local = { ...this.#local, MediaAvailability: { ...now, ...Object.fromEntries(changes) } }
    this.announce()
  }

  /** Tells both applications and the media machine what has changed here. */
  announce(): void {
    this.#host.onSet(this.#local)
    this.#host.delivery.emit('localcapabilities', structuredClone(this.#local))
    if (this.#host.holdsSlot()) this.#tellRemote()
  }

  /** This session holds its slot from now on: what was set after its `present` was written is not in it. */
  slotHeld(): void {
    const { state, role } = this.#host
    if (!algebra.sameValue(state().capabilities[role], this.#local)) this.#tellRemote()
  }

  /**
   * Tells the remote, and gives what it has told.
   * @throws {@link ContactError} `not_joined`, `peer_left`, `left`
   */
  async exchange(): Promise<MediaCapabilities> {
    this.#host.membership.requireInside('exchange capabilities')
    await this.#send()
    return this.fetch()
  }

  /**
   * Those of the remote; where it has told none yet, those of the next one to come.
   * @throws {@link ContactError} `not_joined`, `peer_left`, `left`
   */
  async fetch(): Promise<MediaCapabilities> {
    if (!this.remote) {
      this.#host.membership.requireInside('read the capabilities')
      await this.#arrival()
    }
    if (!this.remote)
      throw new ContactError('peer_left', 'unable to read the capabilities; the other party is not there')
    return structuredClone(this.remote)
  }

  /** The log holds news of the remote. */
  heard(): void {
    const { remote } = this
    if (!remote) return
    const id = this.#host.contact()
    for (const { resolve } of this.#waiting) resolve()
    if (this.#told?.contact === id && algebra.sameValue(this.#told.capabilities, remote)) return
    this.#told = { contact: id, capabilities: remote }
    this.#host.delivery.emit('capabilities', structuredClone(remote))
  }

  /**
   * This page has entered: what an earlier page was told of a remote that is there, this one is told as well.
   */
  entered(): void {
    const { role, state } = this.#host
    if (state().shared.session[otherSlot(role)] !== null) this.heard()
  }

  end(left: ContactError): void {
    for (const { reject } of this.#waiting) reject(left)
  }

  #set(operation: string, given: unknown): MediaCapabilities {
    this.#host.membership.requireOpen(operation)
    const capabilities = parseCapabilities(plainJson(operation, given, SIZE), operation)
    if (JSON.stringify(capabilities) !== JSON.stringify(this.#local)) {
      this.#local = capabilities
      this.announce()
    }
    return structuredClone(capabilities)
  }

  #tellRemote(): void {
    this.#send().catch((error: ContactError) =>
      this.#host.log.warn('capabilities were refused', { code: error.code }),
    )
  }

  #send(): Promise<number> {
    return this.#host.outbox.add({
      id: randomName(),
      type: 'capabilities',
      body: { capabilities: this.#local },
    })
  }

  async #arrival(): Promise<void> {
    const { clock } = this.#host
    const arrival = deferred()
    const timer = clock.setTimeout(arrival.resolve, REMOTE_LIMIT_MS)
    this.#waiting.add(arrival)
    try {
      await arrival.promise
    } finally {
      clock.clearTimeout(timer)
      this.#waiting.delete(arrival)
    }
  }
}

/** Capabilities with the media of an engine added. */
function withEngine(
  capabilities: MediaCapabilities,
  engine: string,
  media: readonly string[],
): MediaCapabilities {
  const Media: Record<string, MediaCapabilities['Media'][string]> = { ...capabilities.Media }
  for (const medium of media)
    Media[medium] = { ...Media[medium], Engines: { ...Media[medium]?.Engines, [engine]: true } }
  return { ...capabilities, Media }
}
