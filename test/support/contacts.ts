import type { AgentImpl } from '../../sdk/agent/create-agent.ts'
import type { Contact, ContactOptions } from '../../sdk/api/contact.ts'
import type { VisitorClient } from '../../sdk/client/create-client.ts'
import type { KeyValueStore } from '../../sdk/api/client.ts'
import { memoryStore } from '../../sdk/client/page-storage.ts'
import { ContactError } from '../../protocol/index.ts'
import type {
  ContactEventName,
  ContactEvents,
  MediaAnswerCallback,
  MediaOffer,
  MediaState,
  MediaStateDetails,
  Slot,
} from '../../protocol/index.ts'
import { FakeEngine, settled } from '../../testing/index.ts'
import type { MemoryService, TestClock } from '../../testing/index.ts'
import { World } from './world.ts'
import type { Page } from './world.ts'

/** Details of a medium that is on. */
export const on = (tx: boolean, rx: boolean, engine = 'WebRTC', via = 'net'): MediaStateDetails => ({
  tx,
  rx,
  via,
  engine,
})
export const OFF: MediaStateDetails = { tx: false, rx: false }
export const NATIVE = on(true, true, 'Native')
/** What a new contact has. */
export const START: MediaState = { Sharing: NATIVE, Chat: NATIVE }
export const CALL = on(true, true)
/** The start, with a call. */
export const CALLING: MediaState = { ...START, Voice: CALL }
export const required = { tx: 'required', rx: 'required' } as const
export const optional = { tx: 'optional', rx: 'optional' } as const
/** An offer of what runs at the start, and more. */
export const offering = (more: MediaOffer): MediaOffer => ({
  Chat: { ...required, via: 'net', engine: 'Native' },
  ...more,
})
export const VOICE = offering({ Voice: required })

const EVENTS = [
  'text',
  'localtext',
  'link',
  'locallink',
  'attachment',
  'action',
  'iswriting',
  'localiswriting',
  'ack',
  'joined',
  'left',
  'localleft',
  'cleared',
  'transferred',
  'declined',
  'localcapabilities',
  'capabilities',
  'mediachange',
  'assigned',
  'queue',
  'connection',
  'error',
] as const satisfies readonly ContactEventName[]

export type Told = { [E in ContactEventName]: readonly [E, ContactEvents[E]] }[ContactEventName]

/** Collects a contact's events, all but `mediaoffer` or those named. */
export function record(contact: Contact, ...names: readonly ContactEventName[]): Told[] {
  const told: Told[] = []
  for (const name of names.length > 0 ? names : EVENTS)
    contact.on(name, (event) => void told.push([name, event] as unknown as Told))
  return told
}

/** What has become of a Promise so far. */
export function watch<T>(promise: Promise<T>): {
  result: 'pending' | { readonly value: T } | { readonly code: string }
} {
  const watched: ReturnType<typeof watch<T>> = { result: 'pending' }
  promise.then(
    (value) => (watched.result = { value }),
    (error: unknown) =>
      (watched.result = { code: error instanceof ContactError ? error.code : 'not a ContactError' }),
  )
  return watched
}

/** A contact's offers, each with its callback. */
export function asked(
  contact: Contact,
): { readonly offer: MediaOffer; readonly callback: MediaAnswerCallback }[] {
  const offers: { readonly offer: MediaOffer; readonly callback: MediaAnswerCallback }[] = []
  contact.on('mediaoffer', (event) => void offers.push(event))
  return offers
}

/** Answers each offer with the most that it allows, or as told. */
export function answering(contact: Contact, answer?: Readonly<Record<string, MediaStateDetails>>): void {
  contact.on('mediaoffer', ({ offer, callback }) => {
    callback(
      null,
      answer ??
        Object.fromEntries(
          Object.entries(offer).map(([medium, details]) => [
            medium,
            { tx: details?.tx !== 'off', rx: details?.rx !== 'off' },
          ]),
        ),
    )
  })
}

/** The fake `WebRTC` engine of a contact. */
export function fakeOf(contact: Contact, id = 'WebRTC'): FakeEngine {
  const engine = contact.getMediaEngine(id)
  if (!(engine instanceof FakeEngine)) throw new Error(`${id} is not a fake`)
  return engine
}

export interface Pair {
  readonly world: World
  readonly clock: TestClock
  readonly link: MemoryService
  readonly visitor: Contact
  readonly agent: Contact
  readonly pages: { readonly visitor: Page<VisitorClient>; readonly agent: Page<AgentImpl> }
  readonly tab: KeyValueStore
}

/** A contact that waits for an agent, with what its visitor is told. */
export async function queued(world = new World()) {
  const page = world.visitor()
  const visitor = await page.client.createContact({ nick: 'Vera' })
  await settled()
  return { world, page, visitor, told: record(visitor) }
}

/** From where the visitor's pages read the log, from now on. */
export function cursorsOf({ link }: Pair): readonly number[] {
  const cursors: number[] = []
  link.faults = {
    onMessage: ({ slot }, name, body) => {
      if (slot === 'visitor' && name === 'contact.open')
        cursors.push((body as { readonly cursor: number }).cursor)
      return 'pass'
    },
  }
  return cursors
}

/** A contact that both parties have joined. */
export async function joined(
  options: ContactOptions = {},
  prepare: (parties: { visitor: Contact; agent: Contact }) => void = () => {},
  world: World = new World(),
): Promise<Pair> {
  const tab = memoryStore()
  const pages = { visitor: world.visitor({ tab }), agent: world.agent() }
  const visitor = await pages.visitor.client.createContact(options)
  const agent = await pages.agent.client.accept(visitor.id)
  prepare({ visitor, agent })
  await agent.join()
  await settled()
  return { world, clock: world.clock, link: world.link, visitor, agent, pages, tab }
}

/** A joined contact with media turned on by an offer of the visitor. */
export async function inCall(more: MediaOffer = { Voice: required }): Promise<Pair> {
  const pair = await joined()
  answering(pair.agent)
  await pair.visitor.offerMedia(offering(more))
  await settled()
  pair.agent.off('mediaoffer')
  return pair
}

/** Both parties' media, each from its own side, without what is local to engines. */
export const mediaOf = ({ visitor, agent }: Pick<Pair, 'visitor' | 'agent'>): Record<Slot, MediaState> => ({
  visitor: visitor.data().mediaState,
  agent: agent.data().mediaState,
})

/** Both parties leave. */
export async function leaveBoth({ visitor, agent }: Pick<Pair, 'visitor' | 'agent'>): Promise<void> {
  await Promise.all([visitor.leave(), agent.leave()])
  await settled()
}

/** Both parties leave; nothing may remain, and no engine may have done two things at once. */
export async function endCleanly(pair: Pair): Promise<void> {
  const overlaps = [fakeOf(pair.visitor).overlaps, fakeOf(pair.agent).overlaps]
  await leaveBoth(pair)
  if (overlaps.some((count) => count > 0))
    throw new Error(`NEG-4: engines did several things at once: ${overlaps.join()}`)
  if (pair.clock.pending > 0) throw new Error(`LIFE-20: ${pair.clock.pending} timers remain`)
}

/** Another tab of the visitor takes up the contact; `tab`: the storage of an earlier page of the same tab. */
export async function openTab(
  pair: Pair,
  tab = memoryStore(),
): Promise<{ readonly page: Page<VisitorClient>; readonly contact: Contact }> {
  const page = pair.world.visitor({ tab })
  const { contact, resumed } = await page.client.resumeContact()
  if (!contact || !resumed) throw new Error('nothing was resumed')
  await settled()
  return { page, contact }
}

/** Another tab of the visitor has slot and call, as its user wanted. */
export async function moveToTab(
  pair: Pair,
): Promise<{ readonly page: Page<VisitorClient>; readonly contact: Contact }> {
  const tab = await openTab(pair)
  await tab.contact.takeOver()
  await settled()
  return tab
}

/** The visitor's page is loaded anew. */
export async function reload(
  pair: Pair,
): Promise<{ readonly page: Page<VisitorClient>; readonly contact: Contact }> {
  await pair.pages.visitor.client.close()
  return openTab(pair, pair.tab)
}

/** Texts of both parties, in the order of their events. */
export function textsOf(contact: Contact): string[] {
  const texts: string[] = []
  contact.on('text', ({ text }) => void texts.push(text))
  contact.on('localtext', ({ text }) => void texts.push(`own ${text}`))
  return texts
}
