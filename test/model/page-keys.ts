/** What tells one page state from another: its key, and the names and numbers that it may still speak of. */
import type { SharedState } from '../../protocol/index.ts'
import type { Local } from './local.ts'

/** Equal page states have equal keys. */
export function keyOf(local: Local, keyOfShared: (shared: SharedState) => string): string {
  const {
    slot,
    session,
    life,
    snapshot,
    shared,
    timers,
    operation,
    carried,
    blurred,
    lost,
    phone,
    memory,
    isFirstDecided,
    comesBack,
    gaveUp,
    acquired,
    dud,
    pending,
    asked,
    agreed,
    window,
    verdict,
    unheard,
  } = local
  if (life === 'closed' || life === 'gone' || life === 'hostile') return JSON.stringify([slot, session, life])
  const {
    capabilities: _same,
    ignored: _counter,
    slot: _slot,
    session: _session,
    shared: known,
    consent,
    window: open,
    prepared,
    lostCaptures,
    ...context
  } = snapshot.context
  const sets = [consent, open, prepared, lostCaptures, timers, agreed, window, acquired].map((one) =>
    one.toSorted(),
  )
  return JSON.stringify([
    slot,
    session,
    life,
    snapshot.value,
    context,
    keyOfShared(known),
    keyOfShared(shared),
    operation,
    carried,
    blurred,
    lost.toSorted(),
    gaveUp,
    dud,
    phone,
    memory,
    isFirstDecided,
    comesBack,
    pending,
    asked,
    verdict,
    unheard,
    sets,
  ])
}

/** The sessions that a page knows of. */
export const sessionsOf = ({ life, session, shared, snapshot }: Local): string[] =>
  life === 'live'
    ? ([shared.session, snapshot.context.shared.session]
        .flatMap(({ visitor, agent }) => [visitor, agent])
        .filter((one) => one !== null && one !== session) as string[])
    : []

/** The offers that a page can still compare something with, but for the one that it gave up. */
export function refsOf({ life, snapshot, shared, operation, asked }: Local): number[] {
  if (life !== 'live') return []
  const { own, shared: known } = snapshot.context
  const phases = [known.phase, shared.phase].flatMap((phase) => (phase.name === 'idle' ? [] : [phase.ref]))
  return [
    ...new Set([
      ...phases,
      ...asked,
      ...(own?.ref ? [own.ref] : []),
      ...(operation?.ref ? [operation.ref] : []),
    ]),
  ]
}
