/** Where each event leads from each state of the media machine. */
const LIFETIME = 'xstate.after.offerLifetime.media.offering'

/**
 * Where each event leads that does not leave the machine where it is. What is not named here stays: facts are
 * taken in, all else is ignored and counted.
 */
const ANYWHERE = {
  'log.slotLost': 'init.stopping',
  'log.closed': 'init.closed',
  'contact.leave': 'init.closed',
  'engine.broke': 'init.reannouncing',
  'log.refused': 'init.reannouncing',
  'log.refused, the present': 'init.reannouncing',
}
/** Where nothing is open, or nothing is known of what the engines carry, it is as any other. */
const UNUSED = { 'engine.broke, of an unused one': 'init.reannouncing' }
const REFUSED = { 'log.refused, the present': 'init.closed' }
export const TABLE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'init.announcing': {
    ...ANYWHERE,
    'engine.broke, of an unused one': 'init.announcing',
    'engine.broke': 'init.announcing',
    'log.refused': 'init.announcing',
    'log.refused, the present': 'init.displaced',
    'log.slotHeld': 'idle',
    'log.voided': 'init.announcing',
  },
  'init.reannouncing': {
    ...ANYWHERE,
    ...UNUSED,
    ...REFUSED,
    'engine.undone': 'init.reannouncing',
    'log.slotHeld': 'idle',
  },
  'init.stopping': {
    ...ANYWHERE,
    'engine.broke, of an unused one': 'init.displaced',
    'log.refused': 'init.stopping',
    'log.refused, the present': 'init.stopping',
    'engine.undone': 'init.displaced',
    'engine.broke': 'init.displaced',
  },
  'init.displaced': {
    ...ANYWHERE,
    'engine.broke, of an unused one': 'init.displaced',
    'log.refused': 'init.displaced',
    'log.refused, the present': 'init.displaced',
    'engine.broke': 'init.displaced',
    'log.slotFreed': 'init.announcing',
    'holder.gone': 'init.succeeding',
    'media.takeOver': 'init.announcing',
  },
  'init.succeeding': {
    ...ANYWHERE,
    'engine.broke, of an unused one': 'init.succeeding',
    'log.refused': 'init.succeeding',
    'log.refused, the present': 'init.succeeding',
    'engine.broke': 'init.succeeding',
    'log.slotFreed': 'init.announcing',
    'log.slotHeld': 'init.displaced',
    'holder.here': 'init.displaced',
    'media.takeOver': 'init.announcing',
    'xstate.after.successionLimit.media.init.succeeding': 'init.announcing',
  },
  'init.closed': {},
  idle: {
    ...ANYWHERE,
    ...UNUSED,
    'media.offer': 'offering.sent',
    'media.offer of a device': 'offering.preparing',
    'media.transit': 'offering.sent',
    'log.offered': 'offered',
    'log.transiting': 'transiting.working',
  },
  'offering.preparing': {
    ...ANYWHERE,
    'engine.prepared': 'offering.sent',
    'engine.unprepared': 'transiting.undoing',
    'media.withdraw': 'transiting.undoing',
    'log.transiting': 'transiting.undoing',
    'log.voided': 'transiting.undoing',
    [LIFETIME]: 'transiting.undoing',
  },
  'offering.sent': {
    ...ANYWHERE,
    'log.offering': 'offering.awaitingAnswer',
    'log.transiting': 'transiting.working',
    'log.voided': 'idle',
    [LIFETIME]: 'offering.sent',
  },
  'offering.awaitingAnswer': {
    ...ANYWHERE,
    'log.transiting': 'transiting.working',
    'log.ended': 'idle',
    'log.partyChanged': 'idle',
    [LIFETIME]: 'offering.awaitingAnswer',
  },
  'offering.undoing': {
    ...ANYWHERE,
    ...UNUSED,
    'engine.undone': 'offering.sent',
    'log.transiting': 'transiting.undoing',
    'log.voided': 'transiting.undoing',
    [LIFETIME]: 'offering.undoing',
  },
  offered: {
    ...ANYWHERE,
    'media.answer': 'transiting.answered',
    'media.reject': 'transiting.answered',
    'log.transiting': 'transiting.working',
    'log.ended': 'idle',
    'log.partyChanged': 'idle',
    'xstate.after.answerLimit.media.offered': 'transiting.answered',
  },
  'transiting.answered': {
    ...ANYWHERE,
    'log.transiting': 'transiting.working',
    'log.ended': 'transiting.undoing',
    'log.partyChanged': 'transiting.undoing',
  },
  'transiting.working': {
    ...ANYWHERE,
    ...UNUSED,
    'engine.worked': 'transiting.awaiting',
    'engine.failed': 'transiting.undoing',
    'log.ended': 'transiting.undoing',
    'log.partyChanged': 'transiting.undoing',
    'xstate.after.transitionLimit.media.transiting.working': 'transiting.undoing',
  },
  'transiting.awaiting': {
    ...ANYWHERE,
    'log.committed': 'idle',
    'log.ended': 'transiting.undoing',
    'log.partyChanged': 'transiting.undoing',
    'xstate.after.transitionLimit.media.transiting.awaiting': 'transiting.awaiting',
  },
  'transiting.undoing': { ...ANYWHERE, ...UNUSED, 'engine.undone': 'transiting.failing' },
  'transiting.failing': { ...ANYWHERE, 'log.ended': 'idle', 'log.partyChanged': 'idle' },
}

/**
 * Facts that the log never yields in these states: a state follows the log, whatever the fact is called that
 * brings it.
 */
export const IMPOSSIBLE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  idle: { 'log.committed': 'transiting.undoing' },
  'offering.preparing': { 'log.offering': 'transiting.undoing' },
  'offering.sent': { 'log.committed': 'offering.undoing' },
  'offering.awaitingAnswer': {
    'log.slotHeld': 'idle',
    'log.offered': 'offered',
    'log.committed': 'transiting.undoing',
    'log.slotFreed': 'idle',
  },
  offered: {
    'log.slotHeld': 'idle',
    'log.offering': 'idle',
    'log.committed': 'transiting.undoing',
    'log.slotFreed': 'idle',
  },
  'transiting.answered': {
    'log.slotHeld': 'transiting.undoing',
    'log.offering': 'idle',
    'log.committed': 'transiting.undoing',
    'log.slotFreed': 'transiting.undoing',
  },
  'transiting.awaiting': {
    'log.slotHeld': 'transiting.undoing',
    'log.offering': 'transiting.undoing',
    'log.offered': 'transiting.undoing',
    'log.slotFreed': 'transiting.undoing',
  },
  'transiting.failing': {
    'log.slotHeld': 'idle',
    'log.offering': 'idle',
    'log.offered': 'offered',
    'log.committed': 'transiting.undoing',
    'log.slotFreed': 'idle',
  },
}
