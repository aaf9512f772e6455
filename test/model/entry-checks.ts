/** What must hold of every entry's effect on the shared state (I1, I5, I6, I7, I10, I11). */
import type { Entry, Fact, PartialMediaState, Phase, SharedState, Slot } from '../../protocol/index.ts'
import { spoken } from './local.ts'
import type { Production } from './local.ts'

/** The folds of both parties before and after an entry. */
interface Step {
  readonly before: Readonly<Record<Slot, SharedState>>
  readonly after: Readonly<Record<Slot, SharedState>>
}

/** I1: the folds of both sides are mirror images. */
export function mirrorFault(
  production: Production,
  { visitor, agent }: Readonly<Record<Slot, SharedState>>,
): string | null {
  const { swap, swapOffer, sameMedia, sameValue } = production.protocol.algebra
  const [here, there] = [visitor.phase, agent.phase]
  const same =
    sameMedia(swap(agent.media), visitor.media) &&
    sameValue(visitor.session, agent.session) &&
    sameValue(facts(here), facts(there))
  if (!same) return 'I1 the folds are not mirror images'
  if (here.name === 'offered' && there.name === 'offered' && !sameValue(swapOffer(there.offer), here.offer))
    return 'I1 the two sides read different offers'
  if (
    here.name === 'transiting' &&
    there.name === 'transiting' &&
    !sameMedia(swap(there.target), here.target)
  )
    return 'I1 the two sides are on the way to different media'
  return null
}

/** What is wrong with what an entry does, or null. */
export function entryFault(
  production: Production,
  { before, after }: Step,
  entry: Entry,
  fact: Fact,
): string | null {
  const [old, now] = [before.visitor, after.visitor]
  if (fact.kind === 'void' && !production.protocol.algebra.sameValue(old, now))
    return 'I10 a void entry changes the shared state'
  return (
    mediaFault(production, { before, after }, entry) ??
    phaseFault(old, now, entry) ??
    sessionFault(old, now, entry) ??
    consentFault(production, { before, after }, entry) ??
    answerFault(old, now, entry, fact) ??
    lifetimeFault(now, entry)
  )
}

/**
 * I5, I6: remote media come on by a commit of the two sessions in the slots, and by nothing else; without a
 * session in each slot none is on.
 */
function mediaFault(
  production: Production,
  { before: { visitor: old }, after: { visitor: now } }: Step,
  entry: Entry,
): string | null {
  const { sameMedia, mediaOn, meet, holdsOf } = production.protocol.algebra
  const remote = mediaOn(now.media).some(
    (medium) => medium !== 'Sharing' && now.media[medium]?.engine !== 'Native',
  )
  if (remote && (now.session.visitor === null || now.session.agent === null))
    return 'I6 a medium is on while a party is absent'
  if (
    entry.type === 'present' &&
    entry.session === now.session[entry.slot] &&
    entry.body.after === old.session[entry.slot] &&
    Object.entries(now.media).some(
      ([medium, details]) => medium !== 'Sharing' && details && entry.body.media[medium] !== details.engine,
    )
  )
    return 'I6 a medium stays on that the session does not hold'
  if (sameMedia(old.media, now.media)) return null
  if (entry.type === 'ready') {
    if (old.phase.name !== 'transiting') return 'I5 media change without a transition'
    const others = old.phase.ready.filter((slot) => slot !== entry.slot)
    return others.length === 1 && old.phase.ref === entry.body.ref
      ? null
      : 'I6 a commit before both are ready'
  }
  if (entry.type === 'present' && sameMedia(meet(old.media, entry.body.media), now.media)) return null
  const smaller = sameMedia(meet(old.media, holdsOf(now.media)), now.media)
  return smaller && (entry.type === 'left' || entry.type === 'transferred' || entry.type === 'cleared')
    ? null
    : `I5 media change by ${entry.type}`
}

/** I7 in the log: nobody is made to transmit what it has neither on, nor offered, nor answered. */
function consentFault(production: Production, { before, after }: Step, entry: Entry): string | null {
  for (const reader of ['visitor', 'agent'] as const) {
    const [old, now] = [before[reader], after[reader]]
    if (now.phase.name !== 'transiting' || old.phase.name === 'transiting' || entry.slot === 'service')
      continue
    const target = spoken(now.phase.target)
    const said = agreedIn(production, old, entry, reader)
    if (target.some((one) => !said.includes(one)))
      return `I7 the log makes the ${reader} transmit without its word`
  }
  return null
}

/** What the entry that begins a transition says that `reader` transmits by its own word. */
function agreedIn(
  { protocol: { algebra } }: Production,
  old: SharedState,
  entry: Entry,
  reader: Slot,
): string[] {
  const running = spoken(old.media)
  const own = (media: PartialMediaState): string[] =>
    spoken(entry.slot === reader ? algebra.swap(media) : media)
  if (entry.type === 'direct') return entry.slot === reader ? own(entry.body.target) : running
  if (entry.type !== 'answer' || old.phase.name !== 'offered') return []
  return spoken(
    entry.slot === reader
      ? algebra.completeAnswer(old.phase.offer, algebra.swap(entry.body.answer))
      : algebra.mostOf(old.phase.offer),
  )
}

/** An offer stands as long as its entry says. */
const lifetimeFault = ({ phase }: SharedState, entry: Entry): string | null =>
  entry.type === 'offer' &&
  phase.name === 'offered' &&
  phase.ref === entry.seq &&
  phase.lifetime !== (entry.body.lifetime ?? 60_000)
    ? 'limits: an offer stands for another time than it says'
    : null

/** What an answer gives, against what was offered: what was off stays off, what was required is there. */
function answerFault(
  { phase: old, reader }: SharedState,
  { phase: now }: SharedState,
  entry: Entry,
  fact: Fact,
): string | null {
  if (entry.type !== 'answer' || old.name !== 'offered') return null
  const given = (medium: string, direction: 'tx' | 'rx'): boolean =>
    entry.body.answer[medium]?.[entry.slot === reader ? (direction === 'tx' ? 'rx' : 'tx') : direction] ===
    true
  const media = [...new Set([...Object.keys(old.offer), ...Object.keys(entry.body.answer)])].filter(
    (medium) => medium !== 'Sharing',
  )
  const any = (offered: 'off' | 'required', is: boolean): boolean =>
    media.some((medium) =>
      (['tx', 'rx'] as const).some(
        (direction) =>
          (old.offer[medium]?.[direction] ?? 'off') === offered && given(medium, direction) === is,
      ),
    )
  if (
    any('off', true) &&
    (now.name === 'transiting' || (fact.kind === 'ended' && fact.ending.kind === 'refused'))
  )
    return 'I7 an answer that turns on what was off is taken'
  if (any('required', false))
    return now.name === 'transiting' ? 'I5 an answer that breaks a required is taken' : null
  return fact.kind === 'ended' && fact.ending.kind === 'refused'
    ? 'I5 an answer that only declines an optional is not taken'
    : null
}

const facts = (phase: Phase): unknown =>
  phase.name === 'idle'
    ? phase
    : {
        name: phase.name,
        ref: phase.ref,
        by: phase.by,
        restore: phase.restore,
        ready: phase.name === 'transiting' ? phase.ready.toSorted() : [],
      }

/** I11: a phase ends, or goes on, only by an entry about it, from one entitled. */
function phaseFault(
  { phase: old, session }: SharedState,
  { phase: now, media }: SharedState,
  entry: Entry,
): string | null {
  if (old.name === 'idle')
    return now.name === 'idle' ||
      (entry.type === (now.name === 'offered' ? 'offer' : 'direct') &&
        holds(session, entry) &&
        session.visitor !== null &&
        session.agent !== null &&
        now.by === entry.slot)
      ? null
      : `I11 a phase begins by ${entry.type}`
  if (
    now.name === old.name &&
    now.ref === old.ref &&
    (now.name !== 'transiting' || old.name !== 'transiting' || now.ready.length === old.ready.length)
  )
    return null
  const about = 'ref' in entry.body && entry.body.ref === old.ref && holds(session, entry)
  const other = entry.slot !== old.by
  switch (entry.type) {
    case 'present':
      if (old.name === 'offered' && other) return 'I11 an offer ends by the present of the one that it is for'
      return entry.body.after === session[entry.slot] ? null : 'I11 a late present ends a phase'
    case 'left':
      return session[entry.body.slot] === entry.body.session
        ? null
        : 'I11 the end of another session ends a phase'
    case 'transferred':
    case 'cleared':
      return null
    case 'answer':
    case 'reject':
      return old.name === 'offered' && about && other
        ? null
        : `I11 ${entry.type} decides a phase that it is not about`
    case 'withdraw':
      return old.name === 'offered' && about && !other
        ? null
        : 'I11 withdraw ends a phase that it is not about'
    case 'ready':
    case 'failed':
      return old.name === 'transiting' && about && media !== null
        ? null
        : `I11 ${entry.type} decides a phase that it is not about`
    default:
      return `I11 ${entry.type} changes a phase`
  }
}

const holds = (session: SharedState['session'], entry: Entry): boolean =>
  entry.slot !== 'service' && session[entry.slot] === entry.session

/**
 * I6: an offer and a transition belong to the two sessions in the slots, and a slot changes hands only from
 * the one that is there.
 */
function sessionFault(
  { session: old }: SharedState,
  { session: now, phase }: SharedState,
  entry: Entry,
): string | null {
  for (const slot of ['visitor', 'agent'] as const) {
    if (old[slot] !== now[slot] && entry.type === 'present' && entry.body.after !== old[slot])
      return 'I6 a late present takes a slot'
    if (old[slot] !== now[slot] && now[slot] === null && entry.slot !== 'service')
      return 'I6 a slot is emptied by a party'
    const renewed =
      entry.type === 'present' &&
      entry.slot === slot &&
      now[slot] === entry.session &&
      entry.body.after === old[slot]
    if (
      (renewed || old[slot] !== now[slot]) &&
      (phase.name === 'transiting' || (phase.name === 'offered' && (phase.by === slot || now[slot] === null)))
    )
      return `I6 the ${phase.name} phase outlives a session of it`
  }
  return null
}
