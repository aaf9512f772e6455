import type { MediaEngine } from '../../engines/eager.ts'
import { ContactError } from '../../protocol/index.ts'
import type { Avatar, JsonValue, MediaOffer, MediaState, Slot } from '../../protocol/index.ts'
import type { Contact } from '../api/contact.ts'
import type { SendMessageCallback } from '../api/callbacks.ts'
import type { ReadEntry } from '../log/log-reader.ts'
import { Emitter } from '../contact/emitter.ts'
import type { ContactImpl } from '../contact/contact.ts'
import { fromArguments, isRecord } from '../values/arguments.ts'
import { runOperation } from '../async/run-operation.ts'
import { messageOf } from '../transcript/message-of-entry.ts'
import type { CompatEvents, CompatHandler } from './compat-events.ts'
import { promised, streamOf, withoutWords } from './media-words.ts'
import type { CompatEngine, StreamKind, WordedMedia } from './media-words.ts'
import { compatChannel, ofContact, withPositional } from './positional.ts'
import type { CompatChannel, CompatEmitter, Source } from './positional.ts'
import { RawTranscript, rawOf } from './raw-messages.ts'
import type { RawMessage } from './raw-messages.ts'

/** The contact's record as clients of this style read it. */
export interface CompatRecord {
  readonly id: string
  /** When it was created, milliseconds since the epoch by the service's clock. */
  readonly ts: number
  /**
   * What it was started for: the first of video, voice and screen that its first offer asks for; else chat.
   */
  readonly type: 'chat' | 'voice' | 'video' | 'screen'
  /** The first offer, relative to the agent. */
  readonly initial_offer: MediaOffer
  /** Null while there is no agent. */
  readonly agentInfo: { readonly id: string; readonly nick: string; readonly avatar?: Avatar } | null
  /** Messages of both sides, oldest first: the newest 1,000 that this page knows. */
  readonly transcript: RawMessage[]
}

/** A message as `send` takes it. */
export interface CompatMessage {
  /** `text`; any other type is the code of an action. */
  readonly type: string
  /** What a text says, or the arguments of an action. */
  readonly body?: JsonValue
  readonly lang?: string
}

/** What a contact of this style has besides, or otherwise. */
export interface CompatOperations {
  /** The record, with the messages so far. */
  readonly contact: CompatRecord
  /** This page's connection. */
  readonly channel: {
    /** Whether this page takes part in the contact and is connected. */
    isConnected(): boolean
    /** Ends this page's session: the contact continues, and can be resumed. */
    disconnect(): void
  }
  /**
   * Sends a text, or an action whose code is the type.
   * @throws `ContactError` as `sendText` and `sendAction`
   */
  send(message: CompatMessage, callback?: SendMessageCallback): Promise<string>
  /** As `leave`, without waiting. */
  release(reason?: string): void
  /** A stream of a medium that is on; null where there is none. @throws `ContactError` `invalid_argument` */
  getMediaStream(kind: StreamKind, direction: 'rx' | 'tx'): MediaStream | null
  /**
   * A Promise of the engine, of `undefined` where there is none of that id, which also has the members of the
   * engine itself.
   */
  getMediaEngine<E extends MediaEngine = MediaEngine>(id: string): CompatEngine<E>
  /**
   * As of a {@link Contact}; words mean the answer that accepts them.
   * @throws `ContactError` `invalid_argument`
   */
  mergeMedia(newMedia: WordedMedia): Promise<MediaState>
  /** The channel of that name, made where there is none. @throws `ContactError` as of a {@link Contact} */
  getDataChannel(...args: Parameters<Contact['getDataChannel']>): Promise<CompatChannel>
}

/**
 * A contact whose handlers get positional arguments. What is not listed in {@link CompatOperations} is as of
 * a {@link Contact}.
 */
export type CompatContact = Omit<Contact, 'on' | 'off' | 'once' | keyof CompatOperations> &
  CompatEmitter<CompatEvents, CompatHandler> &
  CompatOperations

/** What only the SDK itself calls of a contact. */
type Inner = Contact & Partial<Pick<ContactImpl, 'follow' | 'isConnected' | 'drop'>>

/** What is told by {@link CompatEvents} alone. */
const OWN_EVENTS = ['rawmessage', 'mediatimeout']

/**
 * A contact in this style. `read` resolves when the messages from before this page are in its record, as far
 * as they can be had. Its events start in a task after that.
 */
export function compatContact(contact: Contact): {
  readonly contact: CompatContact
  readonly read: () => Promise<void>
} {
  const live: Inner = contact
  const events = new Emitter(() => {})
  const transcript = new RawTranscript()
  const hold = live.follow?.((read, service) => {
    const lapsed = lapsedOffer(read, live.role)
    if (lapsed) events.emit('mediatimeout', () => lapsed)
    const message = messageOf(service, live.id, read.entry)
    if (!message) return false
    const raw = rawOf(message)
    transcript.add(raw)
    return events.emit('rawmessage', () => raw)
  })
  const members: CompatOperations = {
    get contact() {
      return recordOf(contact, transcript)
    },
    channel: { isConnected: () => live.isConnected?.() === true, disconnect: () => live.drop?.() },
    send: (message, callback) => sendMessage(contact, message, callback),
    release: (reason) => void contact.leave(reason).catch(() => {}),
    getMediaStream: (kind, direction) => streamOf(contact, kind, direction),
    getMediaEngine: <E extends MediaEngine>(id: string) =>
      promised(contact.getMediaEngine(id) as E | undefined),
    mergeMedia: (media) =>
      runOperation('merge media', () => contact.mergeMedia(withoutWords('merge media', media))),
    getDataChannel: async (...args) => compatChannel(await contact.getDataChannel(...args)),
  }
  const made = withPositional(contact, ofContact, {
    source: events as unknown as Source,
    names: OWN_EVENTS,
    members,
  })
  const earlier = transcript.read(contact)
  return { contact: made as unknown as CompatContact, read: () => before(earlier, hold) }
}

/** Waits for what comes before the events. */
async function before(earlier: Promise<void>, hold: (() => () => void) | undefined): Promise<void> {
  const release = hold?.()
  await earlier
  if (release) setTimeout(release)
}

/**
 * The offer of the remote whose lifetime an entry ends: the offerer withdrew it, or this side rejected it as
 * expired.
 */
function lapsedOffer({ fact, before }: ReadEntry, role: Slot): MediaOffer | null {
  const { phase } = before.shared
  if (fact.kind !== 'ended' || fact.by === role || phase.name !== 'offered') return null
  const { ending } = fact
  return (ending.kind === 'withdrawn' && ending.reason === 'timeout') ||
    (ending.kind === 'rejected' && ending.reason === 'expired')
    ? phase.offer
    : null
}

function recordOf(contact: Contact, transcript: RawTranscript): CompatRecord {
  const { id, created, initialOffer = {}, agent } = contact.data()
  const asked = (medium: string): boolean =>
    [initialOffer[medium]?.tx, initialOffer[medium]?.rx].some(
      (direction) => direction !== undefined && direction !== 'off',
    )
  const type = (['Video', 'Voice', 'Screen'] as const).find(asked)?.toLowerCase() as
    | CompatRecord['type']
    | undefined
  const agentInfo = agent
    ? { id: agent.user, nick: agent.nick, ...(agent.avatar && { avatar: agent.avatar }) }
    : null
  return {
    id,
    ts: Date.parse(created),
    type: type ?? 'chat',
    initial_offer: initialOffer,
    agentInfo,
    transcript: transcript.messages,
  }
}

function sendMessage(
  contact: Contact,
  message: CompatMessage,
  callback?: SendMessageCallback,
): Promise<string> {
  const send = (): Promise<string> => {
    const { type, body, lang } = fromArguments('send the message', () => {
      if (!isRecord(message))
        throw new ContactError('invalid_argument', 'unable to send the message; it must be an object')
      return { ...message }
    })
    return type === 'text' ? contact.sendText(body as string, lang) : contact.sendAction(type, body)
  }
  return runOperation('send the message', send, callback)
}
