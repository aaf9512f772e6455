/**
 * Two parties under a random sequence of steps, the ledgers of what must end, and what must hold when all has
 * come to rest.
 */
import { algebra } from '../../protocol/index.ts'
import type { MediaOffer, Slot } from '../../protocol/index.ts'
import type { KeyValueStore } from '../../sdk/api/client.ts'
import type { Contact } from '../../sdk/index.ts'
import { memoryStore } from '../../sdk/client/page-storage.ts'
import { settled } from '../../testing/index.ts'
import { World } from './world.ts'
import { EngineLedger, PromiseLedger, TimerLedger } from './ledgers.ts'
import { WalkPages, meanwhile } from './walk-pages.ts'
import { DISTURBING, answerOf } from './walk-steps.ts'
import type { Answer, Step } from './walk-steps.ts'
import { carriedWrong } from './walk-tabs.ts'
import type { Tab } from './walk-tabs.ts'

/** The service gives up an agent who is away for 60 s: the contact would go on without them. */
const LONGEST_ABSENCE_MS = 40_000
const PATIENCE = 20

export class Walk {
  readonly promises = new PromiseLedger()
  readonly engines = new EngineLedger()
  readonly timers = new TimerLedger()
  readonly world = new World({ engines: this.engines.engines, seenBy: this.timers.seenBy })
  readonly #away: Record<Slot, number | null> = { visitor: null, agent: null }
  readonly #manner: Record<Slot, Answer | null> = { visitor: null, agent: 'most' }
  #over = false
  /** Nothing has gone wrong so far: what the SDK offers by itself succeeds. */
  #isCalm = true
  readonly #missing: string[] = []
  readonly #pages = new WalkPages(this.world, (slot, tab) => {
    const how = this.#manner[slot]
    if (how) this.#answer(tab, how)
  })
  /** How many agents have had the contact. */
  #agents = 1

  /**
   * A contact that both have joined. `initialOffer`: what the visitor's page offers by itself when the agent
   * comes.
   */
  static async start(initialOffer?: MediaOffer): Promise<Walk> {
    const walk = new Walk()
    const { world } = walk
    world.link.faults = { onConnect: ({ slot }) => (walk.#away[slot] === null ? 'pass' : 'drop') }
    const storage = memoryStore()
    const visitor = world.visitor({ tab: storage })
    const contact = await visitor.client.createContact(initialOffer && { initialOffer })
    walk.#pages.keep('visitor', visitor, contact, storage)
    const agent = world.agent()
    const accepted = await agent.client.accept(contact.id)
    walk.#pages.keep('agent', agent, accepted, memoryStore())
    await accepted.join()
    await settled()
    if (initialOffer && !contact.data().mediaState.Voice) walk.#missing.push('the first offer was not made')
    return walk
  }

  async take(step: Step): Promise<void> {
    if (this.#over && step.do !== 'time' && step.do !== 'settle') return
    if (DISTURBING.has(step.do)) this.#isCalm = false
    if ('slot' in step) return this.#takeOf(step, this.#pages.current(step.slot))
    if (step.do === 'tab') return this.#openTab()
    if (step.do === 'closeTab') return this.#closeTab()
    if (step.do === 'transfer') return this.#transfer()
    if (step.do === 'time') return this.#pass(step.ms)
    return settled()
  }

  async #takeOf(step: Extract<Step, { readonly slot: Slot }>, tab: Tab): Promise<void> {
    const { contact } = tab
    const engine = tab.engines['engine' in step ? step.engine : 'WebRTC']
    const { slot } = step
    switch (step.do) {
      case 'offer':
        if (step.byCallback)
          return this.promises.callback('offerMedia', (callback) => contact.offerMedia(step.offer, callback))
        return this.promises.promise('offerMedia', () => contact.offerMedia(step.offer))
      case 'transit':
        return this.promises.promise('mergeAndTransitMedia', () => contact.mergeAndTransitMedia(step.media))
      case 'answer':
        return this.#answer(tab, step.how)
      case 'manner':
        return void (this.#manner[slot] = step.how)
      case 'withdraw':
        return contact.withdrawOffer()
      case 'text':
        return this.promises.promise('sendText', () => contact.sendText('hello'))
      case 'capability':
        return this.promises.promise('setLocalCapability', () =>
          contact.setLocalCapability(step.path, step.value),
        )
      case 'script':
        return void engine.script(step.operation, step.behaviour)
      case 'thaw':
        return engine.thaw(step.behaviour)
      case 'hold':
        return engine.devices.hold()
      case 'release':
        return engine.devices.answer()
      case 'unplug':
        tab.unplugged.add(`${step.engine} ${step.medium}`)
        return engine.devices.end(step.medium)
      case 'break':
        return engine.breakDown()
      case 'lose':
        return this.world.link.lose({ slot, nth: step.nth, answerOnly: step.answerOnly })
      case 'cut':
        return this.world.link.cut(slot)
      case 'away':
        this.#away[slot] ??= this.world.clock.now()
        return this.world.link.cut(slot)
      case 'back':
        return void (this.#away[slot] = null)
      case 'reload':
        return this.#reload(slot)
      case 'leave':
        this.#over = true
        return this.promises.promise('leave', () => contact.leave())
    }
  }

  /** Lets everything come to its end without further faults, and tells what is wrong then. */
  async finish(): Promise<string[]> {
    this.#away.visitor = this.#away.agent = null
    this.world.link.faults = {}
    for (let patience = 0; patience < PATIENCE && !(patience > 3 && this.#isQuiet()); patience++) {
      for (const engine of this.engines.all) {
        engine.devices.answer()
        engine.thaw()
      }
      await this.#pass(20_000)
    }
    return [...this.#unrest(), ...(await this.#unknown()), ...(await this.#end())]
  }

  #isQuiet = (): boolean =>
    this.promises.pending.length === 0 &&
    this.#pages.all().every(({ contact }) => contact.mediaState === 'idle' || contact.mediaState === 'init')

  /** What does not stand as it must when nothing goes on. */
  #unrest(): string[] {
    const wrong = [
      ...this.#missing,
      ...this.promises.problems,
      ...this.promises.pending.map((operation) => `${operation} hangs`),
    ]
    if (this.engines.overlaps > 0) wrong.push('engines did two things at once')
    if (this.#over) return wrong
    const [visitor, agent] = [this.#pages.holder(), this.#pages.current('agent')]
    for (const { contact } of [visitor, agent])
      if (contact.mediaState !== 'idle') wrong.push(`the ${contact.role} is ${contact.mediaState}`)
    for (const tab of this.#pages.tabs.visitor)
      if (tab !== visitor && tab.contact.mediaState !== 'init')
        wrong.push(`another tab is ${tab.contact.mediaState}`)
    const media = visitor.contact.data().mediaState
    if (!algebra.sameMedia(media, algebra.swap(agent.contact.data().mediaState)))
      wrong.push('the media of the two are no mirror images')
    if ([...this.world.link.contacts.values()].at(-1)?.state.shared.phase.name !== 'idle')
      wrong.push('a phase stands in the log')
    return [...wrong, ...[visitor, agent].flatMap((tab) => carriedWrong(tab))]
  }

  /** Each knows the other's capabilities as they are. */
  async #unknown(): Promise<string[]> {
    if (this.#over) return []
    const [visitor, agent] = [this.#pages.holder().contact, this.#pages.current('agent').contact]
    const told = async (from: Contact, to: Contact): Promise<string[]> => {
      const [own, known] = [await from.getLocalCapabilities(), await to.getRemoteCapabilities()]
      return algebra.sameValue(own, known)
        ? []
        : [`the ${to.role} takes the capabilities of the ${from.role} for ${JSON.stringify(known)}`]
    }
    return (
      (await meanwhile(this.world, Promise.all([told(visitor, agent), told(agent, visitor)])))?.flat() ?? [
        'the capabilities of the other side cannot be read',
      ]
    )
  }

  /** Everyone leaves: nothing may remain. */
  async #end(): Promise<string[]> {
    for (const { contact } of this.#pages.all()) this.promises.promise('leave', () => contact.leave())
    await this.#pass(100)
    const wrong = [
      ...this.promises.problems,
      ...this.promises.pending.map((operation) => `${operation} hangs after the end`),
    ]
    if (this.engines.overlaps > 0) wrong.push('engines did two things at once')
    for (const { contact } of this.#pages.all())
      if (contact.mediaState !== 'init')
        wrong.push(`the ${contact.role} is ${contact.mediaState} after the end`)
    for (const { client } of this.#pages.all()) await client.close()
    if (this.timers.pending > 0) wrong.push(`${this.timers.pending} timers remain`)
    return [...wrong, ...this.engines.rest]
  }

  #answer({ offers }: Tab, how: Answer): void {
    const last = offers.at(-1)
    if (!last) return
    if (how === 'reject') return last.callback('no')
    last.callback(
      null,
      Object.fromEntries(
        Object.entries(last.offer).map(([medium, details]) => [
          medium,
          details ? answerOf(details, how) : { tx: false, rx: false },
        ]),
      ),
    )
  }

  /** Time passes; nobody is away for so long that the service gives them up for good. */
  async #pass(ms: number): Promise<void> {
    const { clock } = this.world
    const since = this.#away.agent
    if (since !== null && clock.now() + ms - since > LONGEST_ABSENCE_MS) {
      await clock.advance(Math.max(0, Math.min(ms, since + LONGEST_ABSENCE_MS - clock.now())))
      this.#away.agent = null
    }
    await clock.advance(ms)
  }

  /** A call of two idle parties comes back over a page load, without what needs a click. */
  async #reload(slot: Slot): Promise<void> {
    const before = this.#remoteMedia()
    const isCalm = this.#isCalm && this.#pages.all().every(({ contact }) => contact.mediaState === 'idle')
    await this.#loadAnew(slot)
    if (!isCalm || before.includes('Screen') || before.length === 0) return
    await this.#pass(1_000)
    const missing = before.filter((medium) => !this.#remoteMedia().includes(medium))
    if (missing.length > 0)
      this.#missing.push(`${missing.join()} did not come back over the load of the ${slot}'s page`)
  }

  #remoteMedia = (): string[] => {
    const media = this.#pages.current('visitor').contact.data().mediaState
    return Object.keys(media).filter((medium) => media[medium]?.engine !== 'Native')
  }

  async #loadAnew(slot: Slot): Promise<void> {
    const tabs = this.#pages.tabs[slot]
    const old = tabs.pop()
    if (!old) return
    await old.client.close()
    await this.#load(slot, old.storage)
  }

  /** The service moves the contact on, and the next agent takes it. */
  async #transfer(): Promise<void> {
    const { visitor } = this.#away
    const [id, contact] = [...this.world.link.contacts].at(-1) ?? []
    if (!id || contact?.state.life !== 'joined' || visitor !== null) return
    contact.transfer({})
    this.#agents++
    this.#away.agent = null
    await settled()
    for (const old of this.#pages.tabs.agent.splice(0)) await old.client.close()
    await this.#load('agent', memoryStore())
    const next = [...this.world.link.contacts.values()].at(-1)
    // A visitor who does not come at all would end the contact.
    for (let waited = 0; next?.state.shared.session.visitor === null && waited < 80; waited++)
      await this.world.clock.advance(500)
  }

  async #openTab(): Promise<void> {
    if (this.#pages.tabs.visitor.length < 3) await this.#load('visitor', memoryStore())
  }

  async #closeTab(): Promise<void> {
    if (this.#pages.tabs.visitor.length > 1) await this.#pages.tabs.visitor.pop()?.client.close()
  }

  async #load(slot: Slot, storage: KeyValueStore): Promise<void> {
    this.#away[slot] = null
    await this.#pages.load(slot, storage, `agent-${this.#agents}`)
  }
}
