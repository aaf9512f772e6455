import type { Contact, ErrorCode, MediaAnswerCallback, MediaOffer, Slot } from 'duolog'
import { NativeEngine } from 'duolog/engines'
import { FakeEngine, createTestContact, settled } from 'duolog/testing'
import type { TestContact } from 'duolog/testing'
import { Changes } from '../../ui/src/index.ts'
import type { Observable } from '../../ui/src/index.ts'
import { recorder } from './recorder.ts'
import type { Step } from './recording.ts'
import { SLOTS } from './timeline.ts'

export type Behaviour = 'succeed' | 'engine_failed' | 'hang'
interface Asked {
  readonly offer: MediaOffer
  readonly callback: MediaAnswerCallback
}

/**
 * Two parties of one contact in this page's memory, their service between them, and time that stands still
 * until it is moved.
 */
export class Demo implements Observable {
  readonly #changes = new Changes()
  readonly #engines: Record<Slot, FakeEngine | null> = { visitor: null, agent: null }
  readonly #contacts: Record<Slot, Contact>
  readonly #asked: Record<Slot, Asked | null> = { visitor: null, agent: null }
  readonly #parts: TestContact
  #news = 'Both parties have joined.'

  static async start(onStep: (step: Step) => void): Promise<Demo> {
    const engines: Record<Slot, FakeEngine | null> = { visitor: null, agent: null }
    const parts = await createTestContact({
      contact: { nick: 'Robin' },
      inspect: (slot) => recorder(slot, onStep),
      engines: (slot) => {
        const engine = new FakeEngine({ id: 'WebRTC', media: ['Voice', 'Video', 'Screen'] })
        engines[slot] = engine
        return [new NativeEngine(), engine]
      },
    })
    return new Demo(parts, engines)
  }

  constructor(parts: TestContact, engines: Record<Slot, FakeEngine | null>) {
    this.#parts = parts
    this.#engines = engines
    this.#contacts = { visitor: parts.visitor, agent: parts.agent }
    for (const slot of SLOTS) this.#listen(slot)
  }

  subscribe(listener: () => void): () => void {
    return this.#changes.subscribe(listener)
  }

  /** What came of the last thing that was done. */
  get news(): string {
    return this.#news
  }

  get nowMs(): number {
    return this.#parts.clock.now()
  }

  /** What a party's application is asked at the moment. */
  asked = (slot: Slot): readonly string[] | null => {
    const asked = this.#asked[slot]
    return asked && Object.keys(asked.offer)
  }

  stateOf = (slot: Slot): string => this.#contacts[slot].mediaState

  offer(slot: Slot, medium: string): void {
    const contact = this.#contacts[slot]
    this.#tell(slot, `offers ${medium}`, async () =>
      contact.offerMedia({
        ...(await contact.getMediaOffer()),
        [medium]: { tx: 'required', rx: 'required' },
      }),
    )
  }

  /** Both make an offer before either has read the other's. */
  glare(): void {
    for (const [slot, medium] of [['visitor', 'Voice'] as const, ['agent', 'Video'] as const])
      this.offer(slot, medium)
  }

  answer(slot: Slot, isAccepted: boolean): void {
    const asked = this.#asked[slot]
    this.#asked[slot] = null
    if (!asked) return this.#say(`${slot}: nothing is asked`)
    if (isAccepted)
      asked.callback(
        null,
        Object.fromEntries(
          Object.entries(asked.offer).map(([medium, details]) => [
            medium,
            { tx: details?.tx !== 'off', rx: details?.rx !== 'off' },
          ]),
        ),
      )
    else asked.callback(new Error('declined'))
    this.#say(`${slot} ${isAccepted ? 'accepts' : 'rejects'}`)
  }

  withdraw(slot: Slot): void {
    this.#tell(slot, 'withdraws', () => Promise.resolve(this.#contacts[slot].withdrawOffer()))
  }

  hangUp(slot: Slot): void {
    const off = { tx: false, rx: false }
    this.#tell(slot, 'hangs up', async () => {
      const on = Object.keys(await this.#contacts[slot].getMedia()).filter(
        (medium) => medium !== 'Sharing' && medium !== 'Chat',
      )
      return this.#contacts[slot].mergeAndTransitMedia(Object.fromEntries(on.map((medium) => [medium, off])))
    })
  }

  write(slot: Slot): void {
    this.#tell(slot, 'writes', () => this.#contacts[slot].sendText('Good morning'))
  }

  /** The connection breaks; it comes back when time goes on. */
  cut(slot: Slot): void {
    this.#parts.link.cut(slot)
    this.#say(`the link of the ${slot} is cut`)
  }

  reload(slot: Slot): void {
    this.#tell(slot, 'loads the page anew', async () => {
      this.#asked[slot] = null
      this.#contacts[slot] = await this.#parts.reload(slot)
      this.#listen(slot)
    })
  }

  /** How the next operation of the engine goes. */
  script(slot: Slot, behaviour: Behaviour): void {
    this.#engines[slot]?.script('transit', behaviour)
    this.#say(
      `the ${slot}'s engine will ${
        behaviour === 'succeed' ? 'work' : behaviour === 'hang' ? 'hang' : 'fail'
      } next`,
    )
  }

  async advance(ms: number): Promise<void> {
    await this.#parts.clock.advance(ms)
    await settled()
    this.#say(`${ms / 1_000} s later`)
  }

  #listen(slot: Slot): void {
    const contact = this.#contacts[slot]
    contact.on('mediaoffer', (asked) => {
      this.#asked[slot] = asked
      this.#changes.announce()
    })
    contact.on('mediachange', () => this.#settle(slot))
  }

  #settle(slot: Slot): void {
    if (this.#contacts[slot].mediaState !== 'offered') this.#asked[slot] = null
    this.#changes.announce()
  }

  #tell(slot: Slot, what: string, run: () => Promise<unknown>): void {
    this.#say(`${slot} ${what}`)
    run().then(
      () => this.#say(`${slot} ${what}: done`),
      (thrown: unknown) => this.#say(`${slot} ${what}: ${codeOf(thrown)}`),
    )
  }

  #say(news: string): void {
    for (const slot of SLOTS) if (this.#contacts[slot].mediaState !== 'offered') this.#asked[slot] = null
    this.#news = news
    this.#changes.announce()
  }
}

/** By its shape: the test kit brings its own copy of the SDK. */
const codeOf = (thrown: unknown): string =>
  (thrown as { readonly code?: ErrorCode } | null)?.code ?? String(thrown)
