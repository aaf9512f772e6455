/** A page reads an entry: its machine hears of it, and so does what else of the SDK the checker plays. */
import type { Entry, Fact, SharedState } from '../../protocol/index.ts'
import { isIn, spoken, transmissions } from './local.ts'
import type { Local, Outcome, Production } from './local.ts'
import type { PendingKind } from './memory.ts'
import { noticed, notices, remembered } from './pending.ts'
import { heard, reported } from './phone.ts'
import { carryOut, send } from './turn.ts'
import { decided, verdictOfEntry } from './verdict.ts'

/** The page after it has read the entry, in the order of `sdk/contact/incoming.ts`. */
export function reading(
  production: Production,
  page: Local,
  entry: Entry,
  pending: PendingKind | null,
): Outcome {
  const { state, fact } = production.protocol.fold(page.shared, entry)
  const told = notice(production, page, { entry, fact, after: state }, pending)
  const read = negotiation(production, told.local, { entry, fact, after: state })
  const ended = listens(production, read.local, { entry, fact })
  const { local } = ended
  return {
    local,
    letters: [...told.letters, ...read.letters, ...ended.letters],
    settled: [...told.settled, ...read.settled, ...ended.settled],
    fault: told.fault ?? read.fault ?? ended.fault ?? speaksUnasked(local) ?? goesOn(local, entry),
  }
}

interface Read {
  readonly entry: Entry
  readonly fact: Fact
  readonly after: SharedState
}

/** The machine is told first what the entry means for the offers that the SDK makes by itself. */
function notice(
  production: Production,
  local: Local,
  { entry, fact, after }: Read,
  kind: PendingKind | null,
): Outcome {
  const { algebra } = production.protocol
  const { own } = local.snapshot.context
  const memory = remembered(
    production,
    { memory: local.memory, kind },
    { entry, fact, before: local.shared, after },
    {
      slot: local.slot,
      wanted: own?.entry.type === 'offer' ? algebra.mostOf(own.entry.body.offer) : own?.entry.body.target,
      isDisplaced: isIn(local, 'init', 'displaced') || isIn(local, 'init', 'succeeding'),
      isFirstDecided: local.isFirstDecided,
    },
  )
  const start: Outcome = { local: { ...local, memory }, letters: [], settled: [], fault: null }
  return notices(local, memory, fact).reduce((before, event) => {
    const next = send(production, noticed(before.local, event), event)
    return {
      local: next.local,
      letters: [...before.letters, ...next.letters],
      settled: [...before.settled, ...next.settled],
      fault: before.fault ?? next.fault,
    }
  }, start)
}

/** What the entry means to the negotiation. */
function negotiation(production: Production, local: Local, { entry, fact, after }: Read): Outcome {
  const { slot, session } = local
  const before = local.shared
  const news = production.machines.mediaFact({ before, entry, fact, shared: after }, local)
  const cut = cutOf(production, local, entry, after)
  const isSlotTaken = before.session[slot] === session && after.session[slot] !== session
  const verdict = verdictOfEntry(local, { entry, fact, before, after })
  const next = {
    ...decided(local, verdict, fact.kind !== 'void' && verdict !== 'left'),
    shared: after,
    asked: after.phase.name === 'offered' ? local.asked : [],
    succeeds: local.succeeds === after.session[slot] ? local.succeeds : null,
    window: isSlotTaken ? [] : [...new Set([...local.window, ...cut])],
  }
  const outcome = news ? send(production, next, news) : carryOut(production, next, [])
  const isOthers = entry.slot !== slot || entry.session !== session
  return news && fact.kind === 'void' && isOthers
    ? { ...outcome, fault: `I10 a void entry of another is news for ${session}` }
    : outcome
}

/** What the entry tells of the telephone call: the engine of a call that is over gives Voice up. */
function listens(production: Production, local: Local, read: Pick<Read, 'entry' | 'fact'>): Outcome {
  const { phone, isNews } = heard(production, local.phone, read)
  const next = phone === local.phone ? local : { ...local, phone }
  const report = isNews && !isIn(local, 'init', 'closed') ? reported(next) : null
  return report
    ? send(production, { ...next, ...report.change }, report.event)
    : { local: next, letters: [], settled: [], fault: null }
}

/**
 * Own transmissions that the other's coming or going has cut, but for what the own user is about to turn off.
 */
function cutOf(
  { protocol: { algebra } }: Production,
  { slot, session, shared, snapshot, verdict }: Local,
  entry: Entry,
  state: SharedState,
): string[] {
  const isOthers =
    entry.type === 'present' ? entry.slot !== slot : entry.type === 'left' || entry.type === 'transferred'
  if (!isOthers || shared.session[slot] !== session || state.session[slot] !== session) return []
  const { own } = snapshot.context
  const after = transmissions(state.media)
  const cut = transmissions(shared.media).filter((one) => !after.includes(one))
  if (!own || verdict !== null) return cut
  const wanted = transmissions(
    own.entry.type === 'offer' ? algebra.mostOf(own.entry.body.offer) : own.entry.body.target,
  )
  return cut.filter((one) => wanted.includes(one))
}

/** A page for which the contact is over goes on. */
const goesOn = (local: Local, entry: Entry): string | null =>
  (entry.type === 'cleared' || (entry.type === 'transferred' && local.slot === 'agent')) &&
  !isIn(local, 'init', 'closed')
    ? `I2 the contact is over for ${local.session}, which goes on`
    : null

/**
 * What is off in the contact as read is turned off at once, but for what a transition is about to turn on,
 * and while the own `present` is on its way (E1).
 */
function speaksUnasked(local: Local): string | null {
  const { slot, session, life, shared, carried, operation } = local
  const announces = isIn(local, 'init', 'reannouncing') && shared.session[slot] === session
  if (
    life !== 'live' ||
    operation ||
    announces ||
    isIn(local, 'init', 'closed') ||
    shared.phase.name === 'transiting'
  )
    return null
  const on = spoken(shared.media)
  return spoken(carried).some((one) => !on.includes(one))
    ? `engines: ${session} transmits what the contact says is off, and nothing is done about it`
    : null
}
