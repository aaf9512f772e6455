/** Media in words, and what third-party clients ask of engines. */
import type { MediaEngine } from '../../engines/eager.ts'
import { ContactError } from '../../protocol/index.ts'
import type {
  MediaOffer,
  MediaStateDetails,
  OfferedDirection,
  PartialMediaState,
} from '../../protocol/index.ts'
import type { Contact } from '../api/contact.ts'
import { fromArguments, isRecord } from '../values/arguments.ts'

/**
 * Media as an answer or a merge may have them: with booleans, or with the words of an offer, which then mean
 * the answer that accepts them.
 */
export type WordedMedia = Readonly<
  Record<
    string,
    | (Omit<MediaStateDetails, 'tx' | 'rx'> & {
        readonly tx: boolean | OfferedDirection
        readonly rx: boolean | OfferedDirection
      })
    | undefined
  >
>

const ACCEPTED: ReadonlyMap<unknown, boolean> = new Map([
  ['required', true],
  ['optional', true],
  ['off', false],
])

const accepted = (direction: unknown): unknown => ACCEPTED.get(direction) ?? direction

/** Media with booleans in the place of words; what is something else is left to whom it is handed. */
export const withoutWords = (operation: string, media: unknown): PartialMediaState =>
  fromArguments(operation, () => {
    if (!isRecord(media)) return media
    return Object.fromEntries(
      Object.entries(media).map(([medium, details]) => [
        medium,
        isRecord(details)
          ? { ...details, tx: accepted(details['tx']), rx: accepted(details['rx']) }
          : details,
      ]),
    )
  }) as PartialMediaState

/**
 * An answer with booleans in the place of words, and no more in it than is offered: `mergeMedia` of an offer
 * also has what the offer does not name.
 */
export function answerInWords(offer: MediaOffer, answer: unknown): unknown {
  const given: unknown = withoutWords('answer the offer', answer)
  if (!isRecord(given)) return given
  const within = (medium: string, details: unknown): unknown => {
    const offered = Object.hasOwn(offer, medium) ? offer[medium] : undefined
    const most = (direction: 'tx' | 'rx', wanted: unknown): unknown =>
      wanted === true ? (offered?.[direction] ?? 'off') !== 'off' : wanted
    return isRecord(details) && medium !== 'Sharing'
      ? { ...details, tx: most('tx', details['tx']), rx: most('rx', details['rx']) }
      : details
  }
  return Object.fromEntries(
    Object.entries(given).map(([medium, details]) => [medium, within(medium, details)]),
  )
}

/** An engine, and the Promise of it: its own methods can be called without waiting. */
export type CompatEngine<E extends MediaEngine> = E & Promise<E | undefined>

/** What gives the engine to those who wait for it, and has its members for those who do not. */
export function promised<E extends MediaEngine>(engine: E | undefined): CompatEngine<E> {
  const promise = Promise.resolve(engine)
  return new Proxy(promise, {
    get(_, key) {
      const source: object = key in promise ? promise : (engine ?? promise)
      const member: unknown = Reflect.get(source, key, source)
      return typeof member === 'function' ? (member.bind(source) as unknown) : member
    },
    set: (_, key, value) => Reflect.set(engine ?? promise, key, value),
    has: (_, key) => key in promise || (engine !== undefined && key in engine),
  }) as CompatEngine<E>
}

/** A medium as `getMediaStream` names it. */
export type StreamKind = 'audio' | 'video' | 'screen'

const MEDIA: Readonly<Record<StreamKind, 'Voice' | 'Video' | 'Screen'>> = {
  audio: 'Voice',
  video: 'Video',
  screen: 'Screen',
}

/** A stream of a medium that is on; null where there is none. @throws `ContactError` `invalid_argument` */
export function streamOf(contact: Contact, kind: StreamKind, direction: 'rx' | 'tx'): MediaStream | null {
  if (!Object.hasOwn(MEDIA, kind) || (direction !== 'rx' && direction !== 'tx')) {
    throw new ContactError(
      'invalid_argument',
      'unable to get the stream; kind must be audio, video or screen, and direction rx or tx',
    )
  }
  const engine = contact.getMediaEngine(contact.data().mediaState[MEDIA[kind]]?.engine ?? '')
  try {
    return (engine?.data()[MEDIA[kind]]?.[`${direction}_stream`] as MediaStream | undefined) ?? null
  } catch {
    return null
  }
}
