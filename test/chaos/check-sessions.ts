/** What is promised of pages that live and that die, and of time limits. */
import { grouped, logsOf } from './check-log.ts'
import { latenessIn, pageOf, processOf } from './facts.ts'
import type { Fault, Run, StoredEntry } from './facts.ts'
import type { Verdict } from './verdict.ts'

/** The loss of a connection is noted within 15 s, or 25 s after a stop of its node; then comes the grace. */
const GRACE_MS = 60_000
const NOTICE_MS = 25_000
/** A busy machine. */
const SLACK_MS = 10_000
/** A page that has no time or no network for so long may be left. */
const SILENCE_MS = 30_000
/** The time of an entry is of its node's clock. */
const CLOCK_MS = 2_000
/** A timer that is due waits no longer when nothing is out. */
const LATE_MS = 15_000
/** After an outage nobody acts on the absence of others for so long: all have to beat first. */
const SETTLE_MS = 15_000

export function checkSessions(run: Run, verdict: Verdict): void {
  const ends = endsOf(run)
  const pages = pagesOfSessions(run)
  for (const log of logsOf(run).values()) {
    checkLeft(log, { run, ends, pages, verdict })
    checkEnds(log, verdict)
  }
  checkDead({ run, ends, pages, verdict })
  checkTimers(run, verdict)
}

function checkTimers(run: Run, verdict: Verdict): void {
  const { faults, stored } = run
  const settled = Math.max(0, ...faults.map(({ until, outage }) => (outage === true ? until + SETTLE_MS : 0)))
  for (const { subject, kind, due } of stored.timers) {
    const late = stored.at - Math.max(due, settled)
    const most = LATE_MS + latenessIn(run, due, stored.at)
    verdict.look('timer', due, late > most ? `the timer ${kind} of ${subject} is ${late} ms late` : null)
  }
}

/** How a page ended, if it did. */
interface End {
  readonly at: number
  /** It has left by itself. */
  readonly left: boolean
}

interface Known {
  readonly run: Run
  readonly ends: ReadonlyMap<string, End>
  /** The page of each session. */
  readonly pages: ReadonlyMap<string, string>
  readonly verdict: Verdict
}

function endsOf({ facts, faults }: Run): Map<string, End> {
  const ends = new Map<string, End>()
  const note = (page: string, end: End): void => {
    const before = ends.get(page)
    if (!before || end.at < before.at) ends.set(page, end)
  }
  for (const { page, at, what } of facts)
    if (what === 'closed' || what === 'leaves') note(page, { at, left: what === 'leaves' })
  for (const { killed = [], from } of faults)
    for (const page of new Set(facts.map((fact) => fact.page)))
      if (killed.includes(processOf(page))) note(page, { at: from, left: false })
  return ends
}

/** Of sessions that have written a text: the text names its page. */
function pagesOfSessions({ stored }: Run): Map<string, string> {
  const pages = new Map<string, string>()
  for (const { session, type, body } of stored.entries)
    if (type === 'text' && session !== null) pages.set(session, pageOf(String(body['text'])))
  return pages
}

/** Whether a page had no time, or nobody was there to hear it, shortly before. */
const wasSilent = (faults: readonly Fault[], page: string, at: number): boolean =>
  faults.some(
    ({ stopped = [], from, until }) =>
      stopped.includes(processOf(page)) && until - from > SILENCE_MS && from <= at && at <= until + GRACE_MS,
  )

function checkLeft(log: readonly StoredEntry[], { run, ends, pages, verdict }: Known): void {
  for (const { type, body, time, contact, seq } of log) {
    if (type !== 'left') continue
    const page = pages.get(String(body['session']))
    if (page === undefined) continue
    const end = ends.get(page)
    const dead = end !== undefined && end.at <= time + CLOCK_MS
    const says =
      dead || wasSilent(run.faults, page, time)
        ? null
        : `${contact}:${seq} says that ${page} has left (${String(body['reason'])}), which lives`
    verdict.look('live', time, says)
  }
}

/** No effect comes twice, and nothing comes after the end. */
function checkEnds(log: readonly StoredEntry[], verdict: Verdict): void {
  const lefts = log.filter(({ type }) => type === 'left')
  for (const [session, entries] of grouped(lefts, ({ body }) => String(body['session'])))
    verdict.look(
      'timer',
      entries[0]?.time ?? 0,
      entries.length > 1 ? `${session} has left ${entries.length} times` : null,
    )
  const end = log.find(({ type }) => type === 'cleared' || type === 'transferred')
  const last = log.at(-1)
  if (end && last)
    verdict.look(
      'timer',
      end.time,
      end === last ? null : `${end.contact} goes on at ${last.seq} after its end at ${end.seq}`,
    )
}

/** Each session of a page that died is over in time. */
function checkDead({ run, ends, pages, verdict }: Known): void {
  const over = new Map<string, number>()
  const gone = new Map<string, number>()
  for (const { type, body, contact, time } of run.stored.entries) {
    if (type === 'left') gone.set(`${contact} ${String(body['session'])}`, time)
    if (type === 'cleared' || type === 'transferred') over.set(contact, time)
  }
  for (const { contact, session } of run.stored.sessions) {
    const page = pages.get(session)
    const end = page === undefined ? undefined : ends.get(page)
    if (!end || end.left) continue
    const soonest = deadline(end.at, run.faults)
    const limit = soonest + latenessIn(run, end.at, soonest)
    const at = Math.min(gone.get(`${contact} ${session}`) ?? Infinity, over.get(contact) ?? Infinity)
    if (limit > run.stored.at && at === Infinity) continue
    verdict.look(
      'dead',
      end.at,
      at <= limit ? null : `${page} died at ${end.at}, and its session ended in ${contact} at ${at}`,
    )
  }
}

/** When a session must be over whose page died: outages in between, and what follows them, do not count. */
function deadline(died: number, faults: readonly Fault[]): number {
  let limit = died + NOTICE_MS + GRACE_MS + SLACK_MS
  for (const { from, until, outage } of faults.toSorted((a, b) => a.from - b.from))
    if (outage && until >= died && from <= limit) limit += until - Math.max(from, died) + NOTICE_MS
  return limit
}
