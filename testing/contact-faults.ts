import type { Contact } from '../sdk/api/contact.ts'
import { otherSlot } from '../protocol/index.ts'
import type { Calls, MediaOffer, Slot } from '../protocol/index.ts'
import type { FakeDevices } from './fake-devices.ts'
import type { MemoryService } from './memory-service.ts'
import { settled } from './test-clock.ts'

/** What a user is asked for. */
export type TestDevice = 'microphone' | 'camera' | 'screen'

const MEDIUM: Readonly<Record<TestDevice, string>> = {
  microphone: 'Voice',
  camera: 'Video',
  screen: 'Screen',
}
const MESSAGES: ReadonlySet<string> = new Set(['text', 'link', 'action'])
const VOICE: MediaOffer = {
  Chat: { tx: 'required', rx: 'required' },
  Voice: { tx: 'required', rx: 'required' },
}

/**
 * How many messages are in a `log.append`: several go in one call where they come fast, acknowledgements
 * among them.
 */
const messagesIn = (body: unknown): number =>
  (body as Calls['log.append']['args']).drafts.filter(({ type }) => MESSAGES.has(type)).length

interface FaultParts {
  readonly link: MemoryService
  readonly devices: Readonly<Record<Slot, FakeDevices>>
  /** The contact of a party's page as it is now. */
  readonly contactOf: (slot: Slot) => Contact
}

/**
 * What goes wrong in a {@link createTestContact}, as one would say it. Each names the party that it happens
 * to; default is the visitor.
 *
 * @example
 * ```ts
 * const { visitor, agent, faults, clock } = await createTestContact()
 * faults.dropMessage({ nth: 3 }) // drop the third message
 * faults.deny('microphone') // deny the microphone
 * await faults.glare() // glare: the other side has offered first
 * faults.unplug('microphone') // unplug the headset
 * ```
 */
export class ContactFaults {
  readonly #parts: FaultParts
  readonly #cut = new Set<Slot>()

  constructor(parts: FaultParts) {
    this.#parts = parts
  }

  /**
   * The `nth` text, link or action to come of a party (1, the default: the next one) is lost, with what goes
   * in the same call, and its connection with it.
   * `answerOnly`: it arrives, and what is lost is the service's word about it. The SDK sends it again once it
   * is connected again: move the clock.
   */
  dropMessage({
    by = 'visitor',
    nth = 1,
    answerOnly = false,
  }: { readonly by?: Slot; readonly nth?: number; readonly answerOnly?: boolean } = {}): void {
    this.#parts.link.lose({ name: 'log.append', slot: by, nth, answerOnly, counts: messagesIn })
  }

  /** The connection of a party breaks, and none can be made until {@link ContactFaults.reconnect}. */
  disconnect(slot: Slot = 'visitor'): void {
    this.#cut.add(slot)
    this.#parts.link.faults = {
      ...this.#parts.link.faults,
      onConnect: (party) => (this.#cut.has(party.slot) ? 'drop' : 'pass'),
    }
    this.#parts.link.cut(slot)
  }

  /** Connections can be made again. The SDK tries by itself after a while: move the clock. */
  reconnect(slot: Slot = 'visitor'): void {
    this.#cut.delete(slot)
  }

  /** The user says no when asked for the device the next time: `media_denied`. */
  deny(device: TestDevice, slot: Slot = 'visitor'): void {
    this.#parts.devices[slot].refuseMedium(MEDIUM[device], 'media_denied')
  }

  /** The user closes the question without an answer the next time: `media_dismissed`. */
  dismiss(device: TestDevice, slot: Slot = 'visitor'): void {
    this.#parts.devices[slot].refuseMedium(MEDIUM[device], 'media_dismissed')
  }

  /** There is no such device when it is needed the next time: `media_not_found`. */
  remove(device: TestDevice, slot: Slot = 'visitor'): void {
    this.#parts.devices[slot].refuseMedium(MEDIUM[device], 'media_not_found')
  }

  /** A device in use goes away; of a screen: the user ends the sharing with the browser's own button. */
  unplug(device: TestDevice, slot: Slot = 'visitor'): void {
    this.#parts.devices[slot].end(MEDIUM[device])
  }

  /**
   * The other side makes an offer that the party does not see before it has made one itself: that one ends
   * with `glare`.
   */
  async glare(slot: Slot = 'visitor', offer: MediaOffer = VOICE): Promise<void> {
    this.#parts.link.holdUntilOffer(slot)
    this.#parts
      .contactOf(otherSlot(slot))
      .offerMedia(offer)
      .catch(() => {})
    await settled()
  }
}
