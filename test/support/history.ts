/**
 * What every party of a contact saw, one line each, in one order; and a checker that knows nothing else (C1
 * to C6 of docs/security-and-faults).
 */
import { appendFileSync, readFileSync } from 'node:fs'

interface Page {
  readonly party: string
  /** One after another, its pages share a storage. */
  readonly tab: string
  readonly page: string
}

/** One thing that was seen. `text`: what was sent, unlike any other. */
export type Line =
  | ({ readonly what: 'opened' } & Page)
  | ({ readonly what: 'closed' } & Page)
  | ({ readonly what: 'sent'; readonly text: string } & Page)
  | ({ readonly what: 'received'; readonly text: string } & Page)
  | { readonly what: 'stored'; readonly page: string; readonly text: string; readonly id: string }
  | { readonly what: 'refused'; readonly page: string; readonly text: string; readonly code: string }
  | { readonly what: 'acknowledged'; readonly page: string; readonly ref: string }
  /** The log as it is in the end. */
  | {
      readonly what: 'entry'
      readonly seq: number
      readonly id: string
      readonly party: string
      readonly session: string
      readonly counter: number
      readonly text: string
    }

/** A history in a file. */
export class History {
  readonly #file: string
  #lines: string[] = []

  constructor(file: string) {
    this.#file = file
  }

  note(line: Line): void {
    if (this.#lines.push(JSON.stringify(line)) >= 1_000) this.save()
  }

  save(): void {
    if (this.#lines.length > 0) appendFileSync(this.#file, `${this.#lines.splice(0).join('\n')}\n`)
  }

  /** What is wrong with all that was noted. */
  check(): string[] {
    this.save()
    return problemsOf(
      readFileSync(this.#file, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Line),
    )
  }
}

type Of<W extends Line['what']> = Extract<Line, { readonly what: W }>
const only = <W extends Line['what']>(lines: readonly Line[], ...whats: readonly W[]): Of<W>[] =>
  lines.filter((line): line is Of<W> => (whats as readonly string[]).includes(line.what))

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}

/** What is wrong with a history, each with the name of the rule; at most a few of each. */
export function problemsOf(lines: readonly Line[]): string[] {
  const log = only(lines, 'entry').toSorted((a, b) => a.seq - b.seq)
  return [stored, ordered, known, complete, settledOnce, acknowledgedLate].flatMap((rule) =>
    rule(lines, log).slice(0, 5),
  )
}

type Rule = (lines: readonly Line[], log: readonly Of<'entry'>[]) => string[]

/** C1: what a send has reported as stored is in the log once, under its id. */
const stored: Rule = (lines, log) => {
  const byText = grouped(log, ({ text }) => text)
  const numbers = log.flatMap(({ seq }, at) =>
    at > 0 && seq === log[at - 1]?.seq ? [`C1 the number ${seq} stands there twice`] : [],
  )
  return [
    ...numbers,
    ...[...byText].flatMap(([text, entries]) =>
      entries.length > 1 ? [`C1 ${text} is in the log ${entries.length} times`] : [],
    ),
    ...only(lines, 'stored').flatMap(({ text, id }) =>
      byText.get(text)?.some((entry) => entry.id === id)
        ? []
        : [`C1 ${text} was reported as stored and is not in the log`],
    ),
  ]
}

/** C2: in the log, and for every page, the messages of one page come in the order in which it sent them. */
const ordered: Rule = (lines, log) => {
  const place = new Map(only(lines, 'sent').map(({ text, tab }, at) => [text, { tab, at }]))
  const check = (texts: readonly string[], where: string): string[] => {
    const last = new Map<string, number>()
    return texts.flatMap((text) => {
      const sent = place.get(text)
      if (!sent) return []
      const before = last.get(sent.tab) ?? -1
      last.set(sent.tab, Math.max(before, sent.at))
      return sent.at < before ? [`C2 ${text} comes too late ${where}`] : []
    })
  }
  const byPage = grouped(only(lines, 'received'), ({ page }) => page)
  return [
    ...check(
      log.map(({ text }) => text),
      'in the log',
    ),
    ...[...byPage].flatMap(([page, received]) =>
      check(
        received.map(({ text }) => text),
        `on ${page}`,
      ),
    ),
  ]
}

/** C3: nothing comes that the other party of this contact has not sent. */
const known: Rule = (lines) => {
  const senders = new Map(only(lines, 'sent').map(({ text, party }) => [text, party]))
  return only(lines, 'received').flatMap(({ text, party, page }) =>
    senders.has(text) && senders.get(text) !== party ? [] : [`C3 ${page} got ${text}`],
  )
}

/**
 * C1, C4: over the pages of a tab, what came is what the log has of the other party: in its order, each once,
 * without a gap; to the end where the tab lives on.
 */
const complete: Rule = (lines, log) => {
  const tabs = grouped(only(lines, 'opened', 'closed', 'received'), ({ tab }) => tab)
  return [...tabs].flatMap(([tab, all]) => {
    const received = only(all, 'received').map(({ text }) => text)
    const party = all[0]?.party
    const others = log.filter((entry) => entry.party !== party).map(({ text }) => text)
    const first = received[0] === undefined ? others.length : others.indexOf(received[0])
    const expected = others.slice(first, first + received.length)
    const at = received.findIndex((text, index) => text !== expected[index])
    if (at >= 0) return [`C4 ${tab} got ${received[at]} where ${expected[at] ?? 'nothing'} was next`]
    const lives = all.findLast(({ what }) => what !== 'received')?.what === 'opened'
    return lives && received.length > 0 && first + received.length < others.length
      ? [`C1 ${tab} never got ${others[first + received.length]}`]
      : []
  })
}

/** C5: every send ends once. */
const settledOnce: Rule = (lines) => {
  const ends = grouped(only(lines, 'stored', 'refused'), ({ text }) => text)
  return only(lines, 'sent').flatMap(({ text }) =>
    ends.get(text)?.length === 1 ? [] : [`C5 ${text} has ended ${ends.get(text)?.length ?? 0} times`],
  )
}

/** C6: an acknowledgement comes after the other party has got the message. */
const acknowledgedLate: Rule = (lines, log) => {
  const texts = new Map(log.map(({ id, text }) => [id, text]))
  const got = new Set<string>()
  return lines.flatMap((line) => {
    if (line.what === 'received') got.add(line.text)
    return line.what === 'acknowledged' && !got.has(texts.get(line.ref) ?? '')
      ? [`C6 ${line.page} was told that ${texts.get(line.ref) ?? line.ref} had arrived, and it had not`]
      : []
  })
}
