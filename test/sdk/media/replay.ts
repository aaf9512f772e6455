import '../../support/loaded-code.ts'
/**
 * Plays a path of the model on two real SDKs: each step is brought about by what causes it in reality, and
 * both sides are compared after it.
 */
import { NativeEngine } from '../../../engines/index.ts'
import { ContactError, algebra } from '../../../protocol/index.ts'
import type { MediaAnswerCallback, MediaOffer, PartialMediaState } from '../../../protocol/index.ts'
import { AgentImpl } from '../../../sdk/agent/create-agent.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import type { Contact } from '../../../sdk/index.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { MemoryService, TestClock, settled } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import { SPEAK, TALK } from '../../model/offers.ts'
import type { Start } from '../../model/starts.ts'
import { LIMIT_MS, ME, OTHER } from '../../support/media-paths.ts'
import type { PathStep, Seen } from '../../support/media-paths.ts'
import { Gate, PickClock, StepEngine } from './step-parts.ts'

const SETTLE_LIMIT_MS = 5_000
const OFFERS: Readonly<Record<string, MediaOffer>> = { Voice: TALK, 'to speak': SPEAK }
const SERVICE = 'http://localhost'
const BROKEN = new ContactError('engine_failed', 'the test says so')

/** A page of a party in parts that move only when told. */
export class StepPage {
  readonly gate = new Gate()
  readonly clock = new PickClock()
  readonly engine = new StepEngine()
  readonly offers: { readonly offer: MediaOffer; readonly callback: MediaAnswerCallback }[] = []
  /** How Promises ended, in order. */
  readonly settled: string[] = []
  contact: Contact | null = null

  get here(): Contact {
    if (!this.contact) throw new Error('the page has no contact')
    return this.contact
  }

  enter(contact: Contact): Contact {
    this.contact = contact
    contact.on('mediaoffer', (asked) => void this.offers.push(asked))
    return contact
  }

  /** Promises that have not ended. */
  pending = 0

  watch(result: Promise<unknown>): void {
    this.pending++
    const settling = result.finally(() => this.pending--)
    settling.then(
      () => this.settled.push('ok'),
      (error: unknown) => this.settled.push(error instanceof ContactError ? error.code : String(error)),
    )
  }
}

export class Replay {
  readonly clock = new TestClock()
  readonly #service = new MemoryService(this.clock)
  readonly #store = memoryStore()
  readonly pages = new Map<string, StepPage>()
  /** Sessions of the model, by the SDK's. */
  readonly #names = new Map<string, string>()

  /** `late`: the other party's application has offered before, and the callback of that offer is kept. */
  static async start(start: Start, late = false): Promise<Replay> {
    const replay = new Replay()
    const [me, other] = [replay.#page(ME), replay.#page(OTHER)]
    me.enter(await replay.#visitor(me).createContact())
    other.enter(await replay.#agent(other).accept(me.here.id))
    await other.here.join()
    await settled()
    if (late) await rejected(me, other)
    if (start === 'talking') await replay.#talk(me, other)
    for (const { gate } of replay.pages.values()) gate.close()
    return replay
  }

  page(session: string): StepPage {
    const page = this.pages.get(session)
    if (!page) throw new Error(`there is no page ${session}`)
    return page
  }

  async take(step: PathStep): Promise<void> {
    const { who, name } = step
    if (who === 'service') await this.#serve(name)
    else if (name.startsWith('→ ')) this.page(who).gate.send()
    else if (name.startsWith('reads ')) this.#read(this.page(who), name)
    else if (name.startsWith('time ')) this.page(who).clock.run(LIMIT_MS(name), step.nth)
    else if (name.startsWith('engine ')) await runEngine(this.page(who), name.slice('engine '.length))
    else if (name.startsWith('app ')) application(this.page(who), name.slice('app '.length))
    else if (name === 'leaves') this.page(who).watch(this.page(who).here.leave())
    else if (name === 'is cut off, and gets a second tab') await this.#secondTab()
    else throw new Error(`nothing is known of ${who} ${name}`)
    await settled()
  }

  /** What is other than the model says. */
  differences({ me, other }: Pick<PathStep, 'me' | 'other'>): string[] {
    return [...differences(ME, me, this.page(ME).here), ...differences(OTHER, other, this.page(OTHER).here)]
  }

  /** Names of the SDK's sessions are found where the log has them: in the order in which they came. */
  #session(name: string): string {
    const [contact] = this.#service.contacts.values()
    for (const entry of contact?.entries ?? []) {
      if (entry.type !== 'present' || this.#names.has(entry.session)) continue
      const count = [...this.#names.values()].filter((one) => one.startsWith(entry.slot)).length
      this.#names.set(entry.session, `${entry.slot}${count}`)
    }
    return [...this.#names].find(([, known]) => known === name)?.[0] ?? ''
  }

  #read(page: StepPage, name: string): void {
    const [, type, , session] = name.split(' ')
    page.gate.read(
      (entry) =>
        entry.type === type &&
        (session === undefined
          ? entry.slot === 'service'
          : entry.slot !== 'service' && entry.session === this.#session(session)),
    )
  }

  async #serve(name: string): Promise<void> {
    const [session = ''] = name.split(' ')
    if (name.endsWith('has left')) return this.page(session).gate.leave()
    const [contact] = this.#service.contacts.values()
    if (!name.includes('is absent') || !contact) throw new Error(`nothing is known of service ${name}`)
    contact.lose(this.#session(session), 'visitor')
    await this.clock.advance(60_000)
  }

  async #secondTab(): Promise<void> {
    const page = this.#page(
      `visitor${[...this.pages.keys()].filter((name) => name.startsWith('visitor')).length}`,
    )
    page.gate.holdWriting()
    const { connected } = this.#service
    this.#service.connected = () => ({ visitor: [], agent: [] })
    void this.#visitor(page)
      .resumeContact()
      .then(({ contact }) => contact && page.enter(contact))
      .catch(() => {})
    await settled()
    this.#service.connected = connected
  }

  async #talk(me: StepPage, other: StepPage): Promise<void> {
    const offered = me.here.offerMedia(TALK)
    await settled()
    me.engine.end('prepare')
    await settled()
    const [asked] = other.offers.splice(0)
    asked?.callback(null, algebra.mostOf(asked.offer))
    await settled()
    other.engine.end('prepare')
    await settled()
    for (const { engine } of [me, other]) engine.end('transit')
    await offered
    await settled()
  }

  #page(session: string): StepPage {
    const page = new StepPage()
    this.pages.set(session, page)
    return page
  }

  #visitor({ gate, clock, engine }: StepPage): VisitorClient {
    const transport = gate.through(this.#service.transport({ slot: 'visitor', id: 'visitor-1' }))
    return new VisitorClient(
      { service: SERVICE, transport },
      { ...testEnvironment(this.clock, () => [new NativeEngine(), engine]), clock, store: this.#store },
    )
  }

  #agent({ gate, clock, engine }: StepPage): AgentImpl {
    const transport = gate.through(this.#service.transport({ slot: 'agent', id: 'agent-1', nick: 'Ada' }))
    return new AgentImpl(
      { service: SERVICE, token: 'memory', transport },
      { ...testEnvironment(this.clock, () => [new NativeEngine(), engine]), clock },
    )
  }
}

async function rejected(me: StepPage, other: StepPage): Promise<void> {
  void other.here.offerMedia(TALK)
  await settled()
  other.engine.end('prepare')
  await settled()
  me.offers.at(-1)?.callback('no')
  await settled()
  other.engine.end('undo')
  // What could have been acquired for an answer is given back.
  me.engine.end('undo')
  await settled()
}

function differences(session: string, seen: Seen | null, contact: Contact): string[] {
  const state = seen?.state ?? 'init'
  const media = seen?.media ?? { Sharing: { tx: false, rx: false } }
  return [
    ...(contact.mediaState === state ? [] : [`${session} is ${contact.mediaState}, should be ${state}`]),
    ...(algebra.sameMedia(contact.data().mediaState, media)
      ? []
      : [
          `${session} has ${JSON.stringify(contact.data().mediaState)}, should have ${JSON.stringify(media)}`,
        ]),
  ]
}

/** What an engine does, in the words of the model. */
async function runEngine({ engine, clock }: StepPage, what: string): Promise<void> {
  if (what === 'works' || what.startsWith('fails')) {
    // In the model, work includes what was still being prepared.
    engine.end('prepare', undefined, false)
    await settled()
  }
  switch (what) {
    case 'is prepared':
      return engine.end('prepare')
    case 'is denied':
      return engine.end('prepare', 'media_denied')
    case 'works':
      return engine.end('transit', undefined, false)
    case 'fails':
    case 'fails for good':
    case 'fails again':
      return engine.end('transit', 'engine_failed')
    case 'is undone':
      return engine.end('undo')
    case 'cannot undo':
      return engine.end('undo', 'engine_failed')
    case 'hangs':
      return void (engine.hangs = true)
    case 'does not settle and is destroyed':
      return clock.run(SETTLE_LIMIT_MS)
    case 'breaks':
      return engine.host?.report({ type: 'broke', error: BROKEN })
    case 'breaks while others are at work':
      return engine.host?.report({ type: 'broke', error: BROKEN, media: ['Voice'] })
    case 'loses its capture':
      return engine.host?.report({ type: 'capture_ended', medium: 'Voice' })
    default:
      throw new Error(`nothing is known of an engine that ${what}`)
  }
}

/** What an application does, in the words of the model. */
function application(page: StepPage, what: string): void {
  const { here, offers } = page
  const last = offers.at(-1)
  const voice = here.data().mediaState.Voice
  const change = (changes: PartialMediaState): void => page.watch(here.mergeAndTransitMedia(changes))
  const offered = OFFERS[what.replace('offers ', '')]
  if (offered) return page.watch(here.offerMedia(offered))
  if (what === 'withdraws') return here.withdrawOffer()
  if (what === 'turns Voice off') return change({ Voice: { tx: false, rx: false } })
  if (what === 'stops speaking' || what === 'speaks again')
    return change({ Voice: { tx: what === 'speaks again', rx: voice?.rx === true } })
  const most = algebra.mostOf(last?.offer ?? {})
  if (what === 'answers yes') return last?.callback(null, most)
  if (what === 'answers no') return last?.callback(null, {})
  if (what === 'answers beyond the offer')
    return last?.callback(null, { ...most, Video: { tx: false, rx: true } })
  if (what === 'rejects') return last?.callback('busy')
  throw new Error(`nothing is known of an application that ${what}`)
}
