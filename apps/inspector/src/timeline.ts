import type { JsonValue, MediaState, Slot } from 'duolog'
import type { Step } from './recording.ts'

/** Where one machine of a party stands. */
export interface MachineMoment {
  readonly last: Step
  /** The last step that changed the state or entered it again, and what was active before it. */
  readonly moved: Step | null
  readonly before: readonly string[]
}

export interface EventCount {
  readonly type: string
  readonly taken: Readonly<Record<Slot, number>>
  readonly ignored: Readonly<Record<Slot, number>>
}

/** An entry of the log, as far as it was read. */
export interface ReadEntry {
  readonly seq: number
  readonly type: string
  readonly slot: string
  readonly fact: string
  readonly void: string | null
  readonly sizeBytes: number
  readonly body: JsonValue
  readonly readBy: readonly Slot[]
}

/** Which media a party's engines saw flow last, by medium. */
export type ObservedMedia = Readonly<Record<string, { readonly tx?: boolean; readonly rx?: boolean }>>

/** Everything at one moment of a recording. */
export interface Moment {
  readonly contact: string | null
  readonly machines: Readonly<Record<Slot, ReadonlyMap<string, MachineMoment>>>
  readonly observed: Readonly<Record<Slot, ObservedMedia>>
  readonly log: readonly ReadEntry[]
  readonly counts: readonly EventCount[]
}

export const SLOTS = ['visitor', 'agent'] as const satisfies readonly Slot[]

/** Contacts of a recording, the newest first. */
export const contactsOf = (steps: readonly Step[]): string[] =>
  [...new Set(steps.flatMap(({ contact }) => contact ?? []))].toReversed()

/** Steps that concern a contact: its own, and those of the pages that held it. */
export function stepsOf(steps: readonly Step[], contact: string | null): readonly Step[] {
  const pages = new Set(steps.filter((step) => step.contact === contact).map(({ page }) => page))
  return contact === null
    ? steps
    : steps.filter((step) => step.contact === contact || (step.contact === null && pages.has(step.page)))
}

/** What the first `count` steps lead to. `steps` are those of one contact. */
export function momentOf(steps: readonly Step[], count: number, contact: string | null): Moment {
  const past = steps.slice(0, count)
  return {
    contact,
    machines: { visitor: machinesOf(past, 'visitor'), agent: machinesOf(past, 'agent') },
    observed: { visitor: observedOf(past, 'visitor'), agent: observedOf(past, 'agent') },
    log: logOf(past),
    counts: countsOf(past),
  }
}

/** The page of a party that was loaded last. */
const pageOf = (past: readonly Step[], slot: Slot): string | null =>
  [...new Set(past.filter((step) => step.slot === slot).map(({ page }) => page))].at(-1) ?? null

function machinesOf(past: readonly Step[], slot: Slot): ReadonlyMap<string, MachineMoment> {
  const page = pageOf(past, slot)
  const machines = new Map<string, MachineMoment>()
  for (const step of past) {
    if (step.page !== page || step.kind !== 'machine') continue
    const earlier = machines.get(step.name)
    const isMove = step.taken.some(({ to }) => to.length > 0)
    machines.set(
      step.name,
      isMove
        ? { last: step, moved: step, before: earlier?.last.active ?? [] }
        : { last: step, moved: earlier?.moved ?? null, before: earlier?.before ?? [] },
    )
  }
  return machines
}

function observedOf(past: readonly Step[], slot: Slot): ObservedMedia {
  const page = pageOf(past, slot)
  const byEngine = new Map<string, ObservedMedia>()
  for (const step of past) {
    if (step.page !== page || step.kind !== 'observed') continue
    const { engine, media } = step.event.data as unknown as {
      readonly engine: string
      readonly media: ObservedMedia
    }
    byEngine.set(engine, media)
  }
  return Object.assign({}, ...byEngine.values()) as ObservedMedia
}

/** What the SDK shows of an entry. */
interface EntryData extends Omit<ReadEntry, 'type' | 'readBy'> {
  readonly entry: string
}

function logOf(past: readonly Step[]): readonly ReadEntry[] {
  const pages: Readonly<Record<Slot, string | null>> = {
    visitor: pageOf(past, 'visitor'),
    agent: pageOf(past, 'agent'),
  }
  const entries = new Map<number, ReadEntry>()
  for (const { kind, event, slot, page } of past) {
    if (kind !== 'entry') continue
    const { seq, entry, ...data } = event.data as unknown as EntryData
    const readBy = [...(entries.get(seq)?.readBy ?? []), ...(page === pages[slot] ? [slot] : [])]
    entries.set(seq, { ...data, seq, type: entry, readBy: [...new Set(readBy)] })
  }
  return [...entries.values()].toSorted((a, b) => a.seq - b.seq)
}

function countsOf(past: readonly Step[]): readonly EventCount[] {
  const counts = new Map<string, { taken: Record<Slot, number>; ignored: Record<Slot, number> }>()
  for (const { kind, event, slot, isIgnored } of past) {
    if (kind !== 'machine' || event.type === 'xstate.init') continue
    const type = readableEvent(event.type)
    const count = counts.get(type) ?? { taken: { visitor: 0, agent: 0 }, ignored: { visitor: 0, agent: 0 } }
    count[isIgnored ? 'ignored' : 'taken'][slot]++
    counts.set(type, count)
  }
  return [...counts]
    .map(([type, count]) => ({ type, ...count }))
    .toSorted((a, b) => (a.type < b.type ? -1 : 1))
}

/** `xstate.after.answerLimit.media.offered` is `after answerLimit`. */
export function readableEvent(type: string): string {
  const [, delay] = /^xstate\.after\.([^.]+)\./.exec(type) ?? []
  if (delay) return `after ${delay}`
  const [, what, actor] = /^xstate\.(done|error)\.actor\.(.+)$/.exec(type) ?? []
  return what && actor ? `${what} ${actor}` : type === 'xstate.init' ? 'start' : type
}

/** What happened in a step: an event, or an entry of the log with its number. */
export function eventText({ kind, event }: Step): string {
  if (kind !== 'entry') return readableEvent(event.type)
  const { seq, entry } = event.data as unknown as EntryData
  return `${seq} ${entry}`
}

/** The contact's media as a party's media machine has them; null before it runs. */
export function declaredMedia(context: Step['context']): MediaState | null {
  const shared = context?.['shared'] as { readonly media?: MediaState } | undefined
  return shared?.media ?? null
}

/** What the engines carry by their own word; null while that is uncertain. */
export const carriedMedia = (context: Step['context']): MediaState | null =>
  (context?.['engines'] ?? null) as MediaState | null

/** The deepest active state of a machine. */
export const deepest = (active: readonly string[]): string => active.at(-1) ?? ''
