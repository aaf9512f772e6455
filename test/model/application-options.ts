/** What the application of a page may do: offer, change directly, answer, reject, withdraw, take everything over. */
import type { MediaOffer, MediaState, PartialMediaState, Phase } from '../../protocol/index.ts'
import { LOOK, PHONE, SHOW, SPEAK, TALK, VOICE, WRITE } from './offers.ts'
import { isIn, publicState, spoken } from './local.ts'
import type { Local, Production } from './local.ts'
import { OVER } from './option.ts'
import type { Option } from './option.ts'

export function applicationOptions(production: Production, local: Local, id: string): Option[] {
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
    offer('offers Video over a second engine', LOOK, false, [...SPOKEN, 'Video net Other']),
    offer('shows its Screen over a second engine', SHOW, false, [...SPOKEN, 'Screen net Other']),
    ...(isOn ? [] : [offer('offers to speak', SPEAK, false), offer('offers to restore Voice', TALK, true)]),
  ]
}

function changes(production: Production, local: Local, id: string, does: Says): Option[] {
  const { media } = local.shared
  const { Voice } = media
  const direct = (name: string, target: MediaState): Option =>
    does(name, beginning(local, id, spoken(target), false), {
      type: 'media.transit',
      id,
      target,
      restore: false,
    })
  const shown = (['Video', 'Screen'] as const).flatMap((medium) => {
    const details = media[medium]
    return details?.tx === true
      ? [
          direct(`stops its ${medium} over a second engine`, {
            ...media,
            [medium]: { ...details, tx: false },
          }),
        ]
      : []
  })
  if (!Voice) return shown
  return [
    direct('turns Voice off', production.protocol.algebra.nativeOnly(media)),
    Voice.tx
      ? direct('stops speaking', { ...media, Voice: { ...Voice, tx: false } })
      : direct('speaks again', { ...media, Voice: { ...Voice, tx: true } }),
    ...shown,
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
