/** What the log promises: stored, once, without gaps, in order, the same to all. */
import { numberOf, pageOf } from './facts.ts'
import type { Fact, Run, StoredEntry } from './facts.ts'
import type { Verdict } from './verdict.ts'

const textOf = (entry: StoredEntry): string => String(entry.body['text'])

/** Entries by contact, in the order of their numbers. */
export function logsOf({ stored }: Run): Map<string, StoredEntry[]> {
  const logs = new Map<string, StoredEntry[]>()
  for (const entry of stored.entries) logs.set(entry.contact, [...(logs.get(entry.contact) ?? []), entry])
  for (const log of logs.values()) log.sort((a, b) => a.seq - b.seq)
  return logs
}

/** A map of lists. */
export function grouped<T>(all: Iterable<T>, keyOf: (each: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const each of all) {
    const group = groups.get(keyOf(each))
    if (group) group.push(each)
    else groups.set(keyOf(each), [each])
  }
  return groups
}

export function checkLog(run: Run, verdict: Verdict): void {
  const logs = logsOf(run)
  checkStored(run, verdict)
  checkOnce(run, verdict)
  for (const { id, head } of run.stored.contacts) checkNumbers(id, head, { log: logs.get(id) ?? [], verdict })
  for (const log of logs.values()) checkOrder(log, verdict)
  checkReaders(run, logs, verdict)
  checkFolds(run, logs, verdict)
}

function checkStored({ facts, stored }: Run, verdict: Verdict): void {
  const texts = new Map(
    stored.entries.filter(({ type }) => type === 'text').map((entry) => [entry.id, textOf(entry)]),
  )
  for (const fact of facts) {
    if (fact.what !== 'stored') continue
    const found = texts.get(fact.id)
    const says =
      found === fact.text
        ? null
        : `${fact.text} was acknowledged as ${fact.id}, which ${found === undefined ? 'is not stored' : `is ${found}`}`
    verdict.look('stored', fact.at, says)
  }
}

function checkOnce({ stored }: Run, verdict: Verdict): void {
  const texts = stored.entries.filter(({ type }) => type === 'text')
  for (const [text, entries] of grouped(texts, textOf)) {
    const [first] = entries
    const places = entries.map(({ contact, seq }) => `${contact}:${seq}`)
    verdict.look(
      'once',
      first?.time ?? 0,
      entries.length > 1 ? `${text} is stored at ${places.join(', ')}` : null,
    )
  }
}

interface Judged {
  readonly log: readonly StoredEntry[]
  readonly verdict: Verdict
}

function checkNumbers(contact: string, head: number, { log, verdict }: Judged): void {
  const at = log.at(-1)?.time ?? 0
  const wrong = log.find(({ seq }, index) => seq !== index + 1)
  const says = wrong
    ? `${contact} has no entry before ${wrong.seq}, or two of that number`
    : log.length === head
      ? null
      : `${contact} has ${log.length} entries and the head ${head}`
  verdict.look('gapless', at, says)
}

function checkOrder(log: readonly StoredEntry[], verdict: Verdict): void {
  const counters = new Map<string, number>()
  const numbers = new Map<string, number>()
  const rises = (of: Map<string, number>, key: string, value: number): boolean => {
    const before = of.get(key) ?? 0
    of.set(key, value)
    return value > before
  }
  for (const entry of log) {
    const { session, counter, contact, seq, time } = entry
    if (session === null || counter === null) continue
    const byCounter = rises(counters, session, counter)
    const byText = entry.type !== 'text' || rises(numbers, pageOf(textOf(entry)), numberOf(textOf(entry)))
    verdict.look(
      'order',
      time,
      byCounter && byText ? null : `${contact}:${seq} of ${session} is out of order`,
    )
  }
}

/** Each page has read a run of the texts of the log: none left out, none twice, in their order. */
function checkReaders({ facts }: Run, logs: Map<string, StoredEntry[]>, verdict: Verdict): void {
  const reads = facts.filter((fact) => fact.what === 'read')
  for (const [key, read] of grouped(reads, ({ page, contact }) => `${page} ${contact}`)) {
    const [first] = read
    if (!first) continue
    const all = (logs.get(first.contact) ?? []).filter(({ type }) => type === 'text').map(textOf)
    const start = all.indexOf(first.text)
    for (const [index, { at, text }] of read.entries()) {
      const says =
        start >= 0 && all[start + index] === text
          ? null
          : `${key} has read ${text} where the log has ${all[start + index] ?? 'nothing'}`
      verdict.look('prefix', at, says)
      if (says !== null) break
    }
  }
}

type Final = Fact & { readonly what: 'final' }

/** At the end each page of a contact has the whole log, and both parties know the same of each other. */
function checkFolds({ facts }: Run, logs: Map<string, StoredEntry[]>, verdict: Verdict): void {
  const finals = facts.filter((fact): fact is Final => fact.what === 'final')
  const lastRead = new Map<string, string>()
  for (const fact of facts) if (fact.what === 'read') lastRead.set(`${fact.page} ${fact.contact}`, fact.text)
  for (const [contact, pages] of grouped(finals, (fact) => fact.contact)) {
    const all = (logs.get(contact) ?? []).filter(({ type }) => type === 'text').map(textOf)
    const [first] = pages
    for (const { page, at, texts, own } of pages) {
      const known = new Set(texts)
      const missing = all.find((text) => !known.has(text))
      const other = pages.find((each) => each.page !== page)
      const says =
        missing === undefined
          ? other && other.remote !== own
            ? `${page} is ${own}, and ${other.page} knows it as ${other.remote}`
            : null
          : `${page} does not have ${missing} of ${contact} in the end`
      const told = lastRead.get(`${page} ${contact}`)
      verdict.look('fold', at, says)
      if (all.length > 0)
        verdict.look(
          'prefix',
          at,
          told === all.at(-1) ? null : `${page} was told up to ${told} of ${contact}, and not ${all.at(-1)}`,
        )
    }
    const differs = pages.find(({ texts }) => texts.join('\n') !== first?.texts.join('\n'))
    if (differs)
      verdict.look('fold', differs.at, `${differs.page} has another log of ${contact} than ${first?.page}`)
  }
}
