/** What is promised of offers, frames of the relay, requests and files. */
import { grouped, logsOf } from './check-log.ts'
import { latenessIn } from './facts.ts'
import type { Fact, Run, StoredEntry } from './facts.ts'
import type { Verdict } from './verdict.ts'

/** An agent may hear so much later that an offer is over: by the poll, where the hint was lost. */
const TOLD_LATE_MS = 6_000

export function checkExchange(run: Run, verdict: Verdict): void {
  for (const log of logsOf(run).values()) checkAssignments(log, verdict)
  checkOffers(run, verdict)
  checkFrames(run, verdict)
  checkRequests(run, verdict)
  checkFiles(run, verdict)
}

/** A contact that has an agent is given to another one only after the first has declined or left. */
function checkAssignments(log: readonly StoredEntry[], verdict: Verdict): void {
  let holder: string | null = null
  for (const { type, body, contact, seq, time } of log) {
    if (type === 'declined' || type === 'left') holder = null
    if (type !== 'assigned') continue
    const user = String(body['user'])
    verdict.look(
      'offer',
      time,
      holder === null || holder === user
        ? null
        : `${contact}:${seq} is given to ${user} while ${holder} has it`,
    )
    holder = user
  }
}

interface Standing {
  readonly contact: string
  readonly agent: string
  readonly from: number
  until: number
}

/** Where one agent is asked at a time, no two are asked at the same time. */
function checkOffers(run: Run, verdict: Verdict): void {
  const isLate = ({ from }: Standing, until: number): boolean =>
    until - from > TOLD_LATE_MS && until - from > TOLD_LATE_MS + latenessIn(run, from - TOLD_LATE_MS, until)
  for (const offers of grouped(standingOffers(run.facts), ({ contact }) => contact).values())
    for (const [index, offer] of offers.entries()) {
      const other = offers
        .slice(0, index)
        .find(({ agent, until }) => agent !== offer.agent && isLate(offer, until))
      const says = other
        ? `${offer.contact} is offered to ${offer.agent} while ${other.agent} is asked`
        : null
      verdict.look('offer', offer.from, says)
    }
}

/** From when to when an agent was asked for a contact, as the agent has seen it. */
function standingOffers(facts: readonly Fact[]): Standing[] {
  const offers: Standing[] = []
  for (const fact of facts) {
    if (!('agent' in fact)) continue
    const { contact, agent, at } = fact
    const own = offers.findLast(
      (offer) => offer.contact === contact && offer.agent === agent && at < offer.until,
    )
    if (own && fact.what !== 'offered') own.until = at
    if (!own && fact.what === 'offered')
      offers.push({ contact, agent, from: at, until: at + fact.expiresInMs })
  }
  return offers
}

/**
 * What a page has heard on a channel: each number once, in order, none left out; and all of it in the end, where
 * both ends are still open then.
 */
function checkFrames({ facts }: Run, verdict: Verdict): void {
  const sent = new Map<string, number>()
  const finals = new Set<string>()
  for (const fact of facts) {
    if (fact.what === 'stream') sent.set(fact.stream, fact.n)
    if (fact.what === 'final') finals.add(fact.page)
  }
  const heard = facts.filter((fact) => fact.what === 'framed')
  for (const [key, frames] of grouped(heard, ({ page, stream }) => `${page} on ${stream}`)) {
    let last = 0
    for (const { n, at } of frames) {
      verdict.look('frame', at, n === last + 1 ? null : `${key}: ${n} came after ${last}`)
      last = n
    }
    const end = frames.at(-1)
    const all = end && finals.has(end.page) ? sent.get(end.stream) : undefined
    if (end && all !== undefined)
      verdict.look('frame', end.at, all === last ? null : `${key}: ${last} came of ${all}`)
  }
  checkUnheard(facts, verdict)
}

/** Of an end that is open in the end, and whose other party is there, something was heard. */
function checkUnheard(facts: readonly Fact[], verdict: Verdict): void {
  const heard = new Set(facts.flatMap((fact) => (fact.what === 'framed' ? [fact.stream] : [])))
  const contacts = new Map(
    facts.flatMap((fact) => (fact.what === 'final' ? [[fact.page, fact.contact]] : [])),
  )
  for (const fact of facts) {
    if (fact.what !== 'stream' || fact.n === 0) continue
    const contact = contacts.get(fact.page)
    const isMet = [...contacts].some(([page, of]) => page !== fact.page && of === contact)
    if (isMet)
      verdict.look(
        'frame',
        fact.at,
        heard.has(fact.stream) ? null : `nothing came of ${fact.n} on ${fact.stream}`,
      )
  }
}

function checkRequests({ facts }: Run, verdict: Verdict): void {
  const ran = grouped(
    facts.filter((fact) => fact.what === 'ran'),
    ({ key }) => key,
  )
  for (const fact of facts) {
    if (fact.what !== 'answered') continue
    const times = ran.get(fact.key)?.length ?? 0
    const says =
      times > 1
        ? `${fact.key} ran ${times} times`
        : times === 0 && fact.code === null
          ? `${fact.key} was answered and never ran`
          : null
    verdict.look('rpc', fact.at, says)
  }
}

function checkFiles({ facts, stored }: Run, verdict: Verdict): void {
  const files = new Map(stored.files.map((file) => [file.id, file]))
  const entries = grouped(
    stored.entries.filter(({ type }) => type === 'attachment'),
    ({ id }) => id,
  )
  for (const fact of facts) {
    if (fact.what !== 'file' && fact.what !== 'opened-file') continue
    const file = files.get(fact.id)
    const times = entries.get(fact.id)?.length ?? 0
    const says =
      file?.sha256 !== fact.sha256
        ? `${fact.id} has the bytes ${file?.sha256}, and not ${fact.sha256}`
        : times === 1
          ? null
          : `${fact.id} has ${times} entries`
    verdict.look('file', fact.at, says)
  }
}
