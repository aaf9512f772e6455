/** What a page may do by itself: its engines, its application, its timers. */
import type { MediaEvent } from '../../machines/index.ts'
import type { ErrorCode, MediaOffer, MediaState, PartialMediaState, Phase } from '../../protocol/index.ts'
import { isIn, publicState, spoken, transmissions } from './local.ts'
import type { Local, Operation, Production } from './local.ts'

/**
 * What may still happen that nobody has to do. `hurries`: timers that fire while something else could happen.
 * `words`: entries of a hostile party.
 */
export interface Budget {
  readonly commands: number
  readonly faults: number
  readonly hurries: number
  readonly words: number
}

export interface Option {
  readonly name: string
  readonly kind: 'engine' | 'app' | 'time'
  /** What it is taken from; null: it may happen at any time. */
  readonly cost: keyof Budget | null
  /** In a fair run it happens. */
  readonly progress: boolean
  readonly change: Partial<Local>
  readonly event: MediaEvent | { readonly type: string } | null
}

const VOICE = { via: 'net', engine: 'WebRTC' } as const
const CHAT = { Chat: { tx: 'required', rx: 'required', via: 'net', engine: 'Native' } } as const
/** Both talk. */
export const TALK: MediaOffer = { ...CHAT, Voice: { tx: 'required', rx: 'required', ...VOICE } }
/** Nothing that needs a device. */
const WRITE: MediaOffer = { ...CHAT }
/** Both talk, over the telephone. */
export const PHONE: MediaOffer = {
  ...CHAT,
  Voice: { tx: 'required', rx: 'required', via: 'pstn', engine: 'Native' },
}
/** I talk, you may. */
export const SPEAK: MediaOffer = { ...CHAT, Voice: { tx: 'required', rx: 'optional', ...VOICE } }

export function optionsOf(production: Production, local: Local, name: string): Option[] {
  if (local.life !== 'live' || isIn(local, 'init', 'closed')) return []
  return [...engines(production, local), ...application(production, local, name), ...timers(local)]
}

const failed = (code: ErrorCode) => ({ code, reason: '' })

function engines(production: Production, local: Local): Option[] {
  const { operation, carried, lost } = local
  const does = (
    name: string,
    change: Partial<Local>,
    event: Option['event'],
    cost: Option['cost'],
  ): Option => ({
    name: `engine ${name}`,
    kind: 'engine',
    cost,
    progress: cost === null,
    change,
    event,
  })
  const media = production.protocol.algebra.nativeOnly(carried)
  const breaks = (name: string, cost: Option['cost'], uncertain = false): Option =>
    does(
      name,
      { operation: null, carried: media, blurred: uncertain, acquired: [] },
      { type: 'engine.broke', media, reason: '', uncertain },
      cost,
    )
  const captured = carried.Voice?.tx === true && carried.Voice.engine !== 'Native'
  const hangsUp = (): Option => {
    const { Voice: _over, ...left } = carried
    return does(
      "'s telephone is hung up",
      { carried: left },
      { type: 'engine.broke', media: left, reason: '' },
      'faults',
    )
  }
  return [
    ...(operation ? running(operation, local, does, breaks) : []),
    breaks('breaks', 'faults'),
    ...(operation?.kind === 'work' || operation?.kind === 'undo'
      ? [breaks('breaks while others are at work', 'faults', true)]
      : []),
    ...(carried.Voice?.engine === 'Native' && !operation ? [hangsUp()] : []),
    ...(captured && !lost
      ? [does('loses its capture', { lost: true }, { type: 'capture.ended', medium: 'Voice' }, 'faults')]
      : []),
  ]
}

type Does = (name: string, change: Partial<Local>, event: Option['event'], cost: Option['cost']) => Option

function running(
  { kind, ref, to, hangs }: Operation,
  { dud, acquired, snapshot }: Local,
  does: Does,
  breaks: (name: string, cost: Option['cost']) => Option,
): Option[] {
  const idle = { operation: null }
  const hang = does('hangs', { operation: { kind, ref, to, hangs: true } }, null, 'faults')
  if (hangs) return kind === 'undo' ? [breaks('does not settle and is destroyed', null)] : []
  const carried = to ? { ...idle, carried: to, blurred: false } : idle
  const blurred = { ...idle, blurred: true }
  const { prepared } = snapshot.context
  switch (kind) {
    case 'prepare':
      return [
        does('is prepared', { ...idle, acquired: prepared }, { type: 'engine.prepared' }, null),
        does('is denied', idle, { type: 'engine.unprepared', ...failed('media_denied') }, 'faults'),
        hang,
      ]
    case 'work':
      if (dud)
        return [
          does('fails again', blurred, { type: 'engine.failed', ref, ...failed('engine_failed') }, null),
        ]
      return [
        does(
          'fails for good',
          { ...blurred, dud: true },
          { type: 'engine.failed', ref, ...failed('engine_failed') },
          'faults',
        ),
        does(
          'works',
          { ...carried, acquired: acquired.filter((one) => !to || !transmissions(to).includes(one)) },
          { type: 'engine.worked', ref },
          null,
        ),
        does('fails', blurred, { type: 'engine.failed', ref, ...failed('engine_failed') }, 'faults'),
        does('tells of earlier work that it is done', {}, { type: 'engine.worked', ref: OVER }, 'faults'),
        does(
          'tells of earlier work that it failed',
          {},
          { type: 'engine.failed', ref: OVER, ...failed('engine_failed') },
          'faults',
        ),
        hang,
      ]
    case 'undo':
      return [
        does(
          'is undone',
          { ...carried, acquired: [] },
          to ? { type: 'engine.undone', media: to } : null,
          null,
        ),
        breaks('cannot undo', 'faults'),
      ]
  }
}

function application(production: Production, local: Local, id: string): Option[] {
  const does = (
    name: string,
    change: Partial<Local>,
    event: Option['event'],
    cost: Option['cost'] = 'commands',
  ): Option => ({
    name: `app ${name}`,
    kind: 'app',
    cost,
    progress: false,
    change,
    event,
  })
  const holder = local.shared.session[local.slot]
  if (isIn(local, 'init', 'displaced') || isIn(local, 'init', 'succeeding'))
    return [does('takes everything over', { succeeds: holder }, { type: 'media.takeOver' })]
  if (publicState(local) === 'offering') return [does('withdraws', {}, { type: 'media.withdraw' })]
  if (publicState(local) === 'offered') return [...answers(production, local, does), ...lateAnswers(does)]
  return publicState(local) === 'idle'
    ? [...offers(local, id, does), ...changes(production, local, id, does)]
    : []
}

type Says = (name: string, change: Partial<Local>, event: Option['event'], cost?: Option['cost']) => Option

/** Number of an offer or a transition that is over. */
const OVER = -1

/** The application uses the callback of an earlier offer. */
const lateAnswers = (does: Says): Option[] => [
  does('answers an offer that is over', {}, { type: 'media.answer', ref: OVER, answer: {} }),
  does('rejects an offer that is over', {}, { type: 'media.reject', ref: OVER, reason: '' }),
]

/** A user's own offer keeps what it names of the window; a restore keeps the window. */
const beginning = (
  { pending, agreed, window }: Local,
  id: string,
  most: readonly string[],
  restore: boolean,
): Partial<Local> => ({
  pending: [...pending, id],
  agreed: [...new Set([...agreed, ...most])],
  window: restore ? window : window.filter((one) => most.includes(one)),
})

const SPOKEN = [`Voice ${VOICE.via} ${VOICE.engine}`]

function offers(local: Local, id: string, does: Says): Option[] {
  const offer = (name: string, wanted: MediaOffer, restore: boolean, most = SPOKEN): Option =>
    does(name, beginning(local, id, most, restore), { type: 'media.offer', id, offer: wanted, restore })
  const isOn = local.shared.media.Voice !== undefined
  return [
    ...(local.shared.media.Chat
      ? []
      : [
          does('offers Chat', beginning(local, id, [], false), {
            type: 'media.offer',
            id,
            offer: WRITE,
            restore: false,
          }),
        ]),
    offer('offers Voice', TALK, false),
    offer('offers a telephone', PHONE, false, ['Voice pstn Native']),
    ...(isOn ? [] : [offer('offers to speak', SPEAK, false), offer('offers to restore Voice', TALK, true)]),
  ]
}

function changes(production: Production, local: Local, id: string, does: Says): Option[] {
  const { media } = local.shared
  const { Voice } = media
  if (!Voice) return []
  const direct = (name: string, target: MediaState): Option =>
    does(name, beginning(local, id, spoken(target), false), {
      type: 'media.transit',
      id,
      target,
      restore: false,
    })
  return [
    direct('turns Voice off', production.protocol.algebra.nativeOnly(media)),
    Voice.tx
      ? direct('stops speaking', { ...media, Voice: { ...Voice, tx: false } })
      : direct('speaks again', { ...media, Voice: { ...Voice, tx: true } }),
  ]
}

/** What an offer requires. */
const leastOf = (phase: Phase, ref: number): PartialMediaState | null =>
  phase.name === 'offered' && phase.ref === ref
    ? Object.fromEntries(
        Object.entries(phase.offer).map(([medium, details]) => [
          medium,
          { ...details, tx: details?.tx === 'required', rx: details?.rx === 'required' },
        ]),
      )
    : null

/** The application may answer any question that it was asked and has not answered, late ones included. */
function answers({ protocol: { algebra } }: Production, local: Local, does: Says): Option[] {
  const { phase } = local.shared
  return local.asked.flatMap((ref) => {
    const asked = local.asked.filter((one) => one !== ref)
    const most = phase.name === 'offered' && phase.ref === ref ? algebra.mostOf(phase.offer) : {}
    const agreed = [...new Set([...local.agreed, ...spoken(most)])]
    const answer = (name: string, given: PartialMediaState): Option =>
      does(
        `answers ${name}`,
        { asked, agreed: given === most ? agreed : [...new Set([...local.agreed, ...spoken(given)])] },
        { type: 'media.answer', ref, answer: given },
        null,
      )
    const least = leastOf(phase, ref)
    const beyond = { ...most, Video: { tx: false, rx: true, ...VOICE } }
    return [
      answer('yes', most),
      answer('no', {}),
      ...(least && !algebra.sameMedia(least, most) ? [answer('with what is required', least)] : []),
      does('answers beyond the offer', { asked, agreed }, { type: 'media.answer', ref, answer: beyond }),
      does('rejects', { asked }, { type: 'media.reject', ref, reason: 'busy' }, null),
    ]
  })
}

function timers(local: Local): Option[] {
  return local.timers.map((type) => {
    const left = local.timers.filter((one) => one !== type)
    const change = {
      timers: left,
      ...(type === 'window.closed' && { window: [] }),
      ...(type.includes('answerLimit') && { asked: [] }),
    }
    return {
      name: `time ${type.replace('xstate.after.', '').replace('.media', ' in ')}`,
      kind: 'time' as const,
      cost: 'hurries' as const,
      progress: true,
      change,
      event: { type },
    }
  })
}
