import { initialTransition, transition } from 'xstate'
import { mediaFact, mediaMachine } from '../../machines/index.ts'
import type {
  EngineCommand,
  MediaContext,
  MediaEmitted,
  MediaEvent,
  MediaSnapshot,
  WriteCommand,
} from '../../machines/index.ts'
import { fold, initialSharedState } from '../../protocol/index.ts'
import type {
  Entry,
  Fact,
  MediaOffer,
  PartialMediaState,
  PartyBodies,
  SharedState,
  Slot,
} from '../../protocol/index.ts'
import { NATIVE, on } from './contacts.ts'

/** Media of a body, as the reader on the other side sees them. */
export const BODY_CALL: PartialMediaState = { Chat: NATIVE, Voice: on(true, true) }
export const TALK: MediaOffer = {
  Chat: { tx: 'required', rx: 'required', via: 'net', engine: 'Native' },
  Voice: { tx: 'required', rx: 'required', via: 'net', engine: 'WebRTC' },
}
export const CHAT_ONLY: MediaOffer = {
  Chat: { tx: 'optional', rx: 'optional', via: 'net', engine: 'Native' },
}
export const CAPABILITIES = { Media: {}, Mobile: false }

interface Action {
  readonly type: string
  readonly params?: { readonly event?: { readonly type: string }; readonly delay?: number }
}

/** The visitor's media machine, driven as a pure function over a log. */
export class Chart {
  shared: SharedState
  /** What was written, asked of the engines and told to the outside by the last event. */
  written: WriteCommand['entry'][] = []
  engines: EngineCommand[] = []
  told: MediaEmitted[] = []
  /** Milliseconds until the limits that the last event has set, by the names of their events. */
  limits: Record<string, number> = {}
  #snapshot: MediaSnapshot
  #seq = 0

  constructor(
    { shared, gone }: { readonly shared: SharedState; readonly gone: string | null } = {
      shared: initialSharedState('visitor'),
      gone: null,
    },
  ) {
    this.shared = shared
    const [snapshot, actions] = initialTransition(mediaMachine, {
      slot: 'visitor',
      session: 'v',
      capabilities: CAPABILITIES,
      offerLifetime: 60_000,
      shared,
      gone,
    })
    this.#snapshot = snapshot
    this.#note(actions)
  }

  get state(): string {
    const { value } = this.#snapshot
    if (typeof value === 'string') return value
    return Object.entries(value)
      .map(([key, sub]) => `${key}.${sub}`)
      .join()
  }

  get context(): MediaContext {
    return this.#snapshot.context
  }

  get snapshot(): MediaSnapshot {
    return this.#snapshot
  }

  /** A command, an engine's reply or a limit. */
  send(event: MediaEvent | { readonly type: `xstate.after.${string}` }): this {
    this.written = []
    this.engines = []
    this.told = []
    this.limits = {}
    const [snapshot, actions] = transition(mediaMachine, this.#snapshot, event as MediaEvent)
    this.#snapshot = snapshot
    this.#note(actions)
    return this
  }

  /** What the last event made the machine write, put into the log and read back. */
  readBack(): this {
    const [entry] = this.written
    if (!entry) throw new Error(`nothing was written in ${this.state}`)
    return this.read('visitor', entry.type, entry.body, entry.id)
  }

  /**
   * An entry of a party is read. Media in its body are as the machine writes them: relative to its writer.
   */
  read<T extends keyof PartyBodies>(
    slot: Slot,
    type: T,
    body: PartyBodies[T],
    id = `${slot}-${this.#seq + 1}`,
  ): this {
    const session = slot === 'visitor' ? 'v' : 'a'
    return this.readEntry({
      id,
      time: 0,
      type,
      slot,
      session,
      counter: 1,
      from: { id: slot },
      body: turned(type, body),
    } as unknown as Entry)
  }

  readEntry(entry: Omit<Entry, 'seq'>): this {
    const numbered = { ...entry, seq: ++this.#seq } as Entry
    const before = this.shared
    const { state, fact } = fold(before, numbered)
    this.shared = state
    this.fact = fact
    const news = mediaFact(
      { before, entry: numbered, fact, shared: state },
      { slot: 'visitor', session: 'v' },
    )
    return news ? this.send(news) : this
  }

  fact: Fact = { kind: 'none' }

  get ref(): number {
    return this.shared.phase.name === 'idle' ? 0 : this.shared.phase.ref
  }

  #note(actions: readonly { readonly type: string }[]): void {
    for (const { type, params } of actions as readonly Action[]) {
      const event = params?.event
      if (!event) continue
      if (type === 'xstate.raise' && params?.delay !== undefined) this.limits[event.type] = params.delay
      else if (type === 'xstate.emit') this.told.push(event as MediaEmitted)
      else if (event.type === 'log.write') this.written.push((event as WriteCommand).entry)
      else if (event.type.startsWith('engine.')) this.engines.push(event as EngineCommand)
    }
  }
}

/** As the outbox does: media are turned round for the other side. */
function turned(type: string, body: unknown): unknown {
  const turn = (
    media: Readonly<Record<string, { readonly tx: unknown; readonly rx: unknown } | undefined>>,
  ): unknown =>
    Object.fromEntries(
      Object.entries(media).map(([medium, details]) => [
        medium,
        { ...details, tx: details?.rx, rx: details?.tx },
      ]),
    )
  const held = body as { readonly offer?: never; readonly target?: never; readonly answer?: never }
  if (type === 'offer') return { ...held, offer: turn(held.offer ?? {}) }
  if (type === 'direct') return { ...held, target: turn(held.target ?? {}) }
  if (type === 'answer') return { ...held, answer: turn(held.answer ?? {}) }
  return body
}

const AGENT_HERE: PartyBodies['present'] = {
  capabilities: CAPABILITIES,
  media: { Sharing: 'Native', Chat: 'Native' },
  after: null,
}

/** How to come into each state of the chart. */
export const WAYS: Readonly<Record<string, () => Chart>> = {
  'init.announcing': () => new Chart(),
  idle: () => new Chart().readBack().read('agent', 'present', AGENT_HERE),
  'offering.preparing': () =>
    way('idle').send({ type: 'media.offer', id: 'mine', offer: TALK, restore: false }),
  'offering.sent': () =>
    way('idle').send({ type: 'media.offer', id: 'mine', offer: CHAT_ONLY, restore: false }),
  'offering.awaitingAnswer': () => way('offering.sent').readBack(),
  'offering.undoing': () =>
    inCall()
      .send({ type: 'media.offer', id: 'more', offer: TALK, restore: false })
      .read('agent', 'present', { ...AGENT_HERE, after: 'a' }),
  offered: () => way('idle').read('agent', 'offer', { offer: TALK, restore: false }),
  'transiting.answered': () => {
    const chart = way('offered')
    return chart.send({ type: 'media.answer', ref: chart.ref, answer: BODY_CALL })
  },
  'transiting.working': () => way('transiting.answered').readBack(),
  'transiting.awaiting': () => {
    const chart = way('transiting.working')
    return chart.send({ type: 'engine.worked', ref: chart.ref })
  },
  'transiting.undoing': () => {
    const chart = way('transiting.working')
    return chart.send({ type: 'engine.failed', ref: chart.ref, code: 'media_denied', reason: 'no' })
  },
  'transiting.failing': () =>
    way('transiting.undoing').send({ type: 'engine.undone', media: { Sharing: NATIVE, Chat: NATIVE } }),
  'init.reannouncing': () =>
    way('idle').send({
      type: 'engine.broke',
      engines: ['WebRTC'],
      media: { Sharing: NATIVE, Chat: NATIVE },
      reason: 'gone',
    }),
  'init.stopping': () => {
    const chart = way('idle')
    return chart.readEntry({
      id: 'other',
      time: 0,
      type: 'present',
      slot: 'visitor',
      session: 'v2',
      counter: 1,
      from: { id: 'visitor' },
      body: { ...AGENT_HERE, after: 'v' },
    } as unknown as Entry)
  },
  'init.displaced': () =>
    way('init.stopping').send({ type: 'engine.undone', media: { Sharing: NATIVE, Chat: NATIVE } }),
  'init.succeeding': () => way('init.displaced').send({ type: 'holder.gone' }),
  'init.closed': () => way('idle').send({ type: 'contact.leave' }),
}

/** A chart in a state. */
export function way(state: string): Chart {
  const chart = WAYS[state]?.()
  if (chart?.state !== state) throw new Error(`the way to ${state} leads to ${chart?.state}`)
  return chart
}

/** A chart in a call. */
export function inCall(): Chart {
  const chart = way('transiting.awaiting')
  const { ref } = chart
  chart.readBack().read('agent', 'ready', { ref })
  return chart
}
