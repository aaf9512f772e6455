/** Checked by the compiler alone (`npm run check`): what an application may and may not write. */
import { expectTypeOf } from 'vitest'
import type { Agent, AgentEvents, Distribution } from 'duolog/agent'
import { createAgent } from 'duolog/agent'
import type { FakeEngine, createTestContact } from 'duolog/testing'
import type {
  Client,
  Contact,
  ContactData,
  ContactEventName,
  ContactEvents,
  DataChannel,
  ErrorCode,
  GenericCallback,
  JsonValue,
  MediaCapabilities,
  MediaEngine,
  MediaOffer,
  MediaOfferCallback,
  MediaState,
  MediaStateDiff,
  MediaTransitionState,
  RequestCallback,
  SendMessageCallback,
  Unsubscribe,
} from 'duolog'
import { ContactError, createClient } from 'duolog'
import { compat } from 'duolog/compat'
import type { WebRtcEngine } from 'duolog/engines'
import type { CompatClient, CompatContact, RawMessage } from 'duolog/compat'

declare const contact: Contact
declare const agent: Agent

// PKG-4: a client and an agent.
expectTypeOf<Parameters<typeof createClient>[0]['service']>().toEqualTypeOf<string>()
expectTypeOf(createClient({ service: 'http://localhost' })).toEqualTypeOf<Client>()
expectTypeOf(createAgent({ service: 'http://localhost', token: 'x' })).toEqualTypeOf<Agent>()
expectTypeOf<Awaited<ReturnType<Client['createContact']>>>().toEqualTypeOf<Contact>()
expectTypeOf<Awaited<ReturnType<Client['resumeContact']>>>().toEqualTypeOf<{
  readonly contact: Contact | null
  readonly resumed: boolean
  readonly answered?: string
}>()
expectTypeOf<Awaited<ReturnType<typeof createTestContact>>['visitor']>().toEqualTypeOf<Contact>()
expectTypeOf<FakeEngine>().toExtend<MediaEngine>()
// @ts-expect-error a service is needed
createClient({})
// @ts-expect-error so is a token
createAgent({ service: 'http://localhost' })

// PKG-4 ENC-300: the bytes of a file.
expectTypeOf(contact.openAttachment('f-1')).toEqualTypeOf<Promise<Blob>>()
void contact.openAttachment('f-1', {
  signal: new AbortController().signal,
  onProgress: (done, total) => {
    expectTypeOf({ done, total }).toEqualTypeOf<{ done: number; total: number }>()
  },
})
// @ts-expect-error there is no callback
void contact.openAttachment('f-1', () => {})

// PKG-4 MSG-10: a handler gets the one argument of its event.
contact.on('text', (event) => {
  expectTypeOf(event.text).toEqualTypeOf<string>()
  expectTypeOf(event.from_id).toEqualTypeOf<string>()
  expectTypeOf(event.from_nick).toEqualTypeOf<string | undefined>()
  expectTypeOf(event.agent).toEqualTypeOf<boolean>()
  expectTypeOf({ id: event.id, ts: event.ts }).toEqualTypeOf<{ id: string; ts: number }>()
})
contact.once('action', ({ action_code, args }) => {
  expectTypeOf(action_code).toEqualTypeOf<string>()
  expectTypeOf(args).toEqualTypeOf<JsonValue[]>()
})
contact.on('left', ({ id, reason, channels }) => {
  expectTypeOf(id).toEqualTypeOf<string>()
  expectTypeOf(reason).toEqualTypeOf<
    'abandon' | 'cancel' | 'vvcu' | 'user' | 'timeout' | 'dissuasion' | 'disconnect' | undefined
  >()
  expectTypeOf(channels.total).toEqualTypeOf<number>()
})
contact.on('localleft', ({ reason }) =>
  expectTypeOf(reason).toEqualTypeOf<'abandon' | 'cancel' | 'closed' | 'user' | undefined>(),
)
contact.on('cleared', ({ id }) => expectTypeOf(id).toEqualTypeOf<string>())
contact.on('joined', ({ user, avatar }) => {
  expectTypeOf(user).toEqualTypeOf<string>()
  expectTypeOf(avatar?.images[0]?.file).toEqualTypeOf<string | undefined>()
})
contact.on('mediaoffer', ({ offer, callback }) => {
  expectTypeOf(offer).toEqualTypeOf<MediaOffer>()
  callback(null, { Voice: { tx: true, rx: false } })
  callback(new Error('busy'))
  // @ts-expect-error an answer has booleans
  callback(null, { Voice: { tx: 'required', rx: 'off' } })
})
declare const video: HTMLVideoElement
contact.on('mediachange', ({ newMedia, diff }) => {
  // SND-313: streams of WebRTC need no cast; what another engine tells is unknown.
  expectTypeOf(newMedia.Video?.data?.rx_stream).toEqualTypeOf<MediaStream | undefined>()
  expectTypeOf(newMedia['Voice']?.data?.tx_stream).toEqualTypeOf<MediaStream | undefined>()
  expectTypeOf(newMedia['Voice']?.data?.['level']).toEqualTypeOf<unknown>()
  video.srcObject = newMedia.Screen?.data?.rx_stream ?? null
  expectTypeOf(newMedia).toEqualTypeOf<MediaState>()
  expectTypeOf(diff).toEqualTypeOf<MediaStateDiff>()
})
contact.on('capabilities', (capabilities) => expectTypeOf(capabilities).toEqualTypeOf<MediaCapabilities>())
contact.on('error', (error) => expectTypeOf(error).toEqualTypeOf<ContactError>())
// PKG-4 RPC-1: under any other name, a handler of requests.
contact.on('GetTitle', (data, callback) => {
  expectTypeOf(data).toEqualTypeOf<JsonValue | undefined>()
  expectTypeOf(callback).toEqualTypeOf<RequestCallback>()
  callback(null, { title: 'x' })
  callback({ code: 'own_error' })
  // @ts-expect-error a result is JSON
  callback(null, () => {})
})
// SND-313: what takes the handler off again.
expectTypeOf(
  contact.on('text', () => {}, { signal: new AbortController().signal }),
).toEqualTypeOf<Unsubscribe>()
expectTypeOf(contact.once('GetTitle', () => {})).toEqualTypeOf<() => void>()
expectTypeOf(agent.on('paused', () => {}, {})).toEqualTypeOf<Unsubscribe>()
expectTypeOf(agent.once('paused', () => {})).toEqualTypeOf<Unsubscribe>()
expectTypeOf<DataChannel['on']>().returns.toEqualTypeOf<Unsubscribe>()
expectTypeOf<DataChannel['once']>().returns.toEqualTypeOf<Unsubscribe>()
// @ts-expect-error a signal is an AbortSignal
contact.on('text', () => {}, { signal: true })
// @ts-expect-error a text has no url
contact.on('text', ({ url }) => url)
contact.off('text')
expectTypeOf<ContactEventName>().toEqualTypeOf<keyof ContactEvents>()

// PKG-4 ERR-4: operations, their callbacks and their Promises.
expectTypeOf(contact.sendText('x')).resolves.toEqualTypeOf<string>()
expectTypeOf<Contact['sendText']>().parameters.toEqualTypeOf<
  [text: string, lang?: string | undefined, callback?: SendMessageCallback | undefined]
>()
expectTypeOf<Contact['sendLink']>().parameters.toEqualTypeOf<
  [url: string, desc?: string | undefined, callback?: SendMessageCallback | undefined]
>()
expectTypeOf<Contact['sendAction']>().parameters.toEqualTypeOf<
  [code: string, args?: JsonValue | undefined, callback?: SendMessageCallback | undefined]
>()
expectTypeOf<Contact['join']>().parameters.toEqualTypeOf<
  [callback?: GenericCallback | null | undefined, force?: boolean | undefined]
>()
expectTypeOf<Contact['leave']>().parameters.toEqualTypeOf<
  [reason?: string | undefined, callback?: GenericCallback | undefined]
>()
expectTypeOf<Contact['offerMedia']>().parameters.toEqualTypeOf<
  [offer: MediaOffer, callback?: MediaOfferCallback | undefined]
>()
expectTypeOf(contact.offerMedia({})).resolves.toEqualTypeOf<MediaState>()
expectTypeOf(contact.getMedia(true)).resolves.toEqualTypeOf<MediaState>()
expectTypeOf(contact.getMediaOffer()).resolves.toEqualTypeOf<MediaOffer>()
expectTypeOf(contact.getMediaState()).toEqualTypeOf<MediaTransitionState>()
expectTypeOf(contact.mediaState).toEqualTypeOf<'init' | 'idle' | 'offered' | 'offering' | 'transiting'>()
expectTypeOf(contact.getMediaEngine('WebRTC')).toEqualTypeOf<MediaEngine | undefined>()
expectTypeOf(contact.data()).toEqualTypeOf<ContactData>()
expectTypeOf<SendMessageCallback>().parameters.toEqualTypeOf<
  [error: ContactError | null, messageId?: string | undefined]
>()
expectTypeOf<GenericCallback<number>>().parameters.toEqualTypeOf<
  [error: ContactError | null, result?: number | undefined]
>()
expectTypeOf<MediaOfferCallback>().parameters.toEqualTypeOf<
  [error: unknown, answer?: MediaState | undefined]
>()
// @ts-expect-error a text is a string
void contact.sendText(1)
// @ts-expect-error a direction is one of three words
void contact.offerMedia({ Voice: { tx: true, rx: 'off' } })
// @ts-expect-error Sharing is never offered
void contact.offerMedia({ Sharing: { tx: 'off', rx: 'off' } })
// @ts-expect-error Sharing is part of every state
void contact.transitMedia({}, {})
// @ts-expect-error it cannot be set
contact.mediaState = 'idle'

// PKG-4 ERR-1: errors.
expectTypeOf<ContactError['code']>().toEqualTypeOf<ErrorCode>()
expectTypeOf<ErrorCode>().toExtend<string>()
expectTypeOf<'glare'>().toExtend<ErrorCode>()
// @ts-expect-error there is no such code
void new ContactError('oops', 'x')

// PKG-4: agents.
agent.on('distribution', (offer) => expectTypeOf(offer).toEqualTypeOf<Distribution>())
agent.on('declined', ({ id, user, nick }) => expectTypeOf([id, user, nick]).toEqualTypeOf<string[]>())
agent.on('withdrawn', ({ reason }) =>
  expectTypeOf(reason).toEqualTypeOf<'taken' | 'declined' | 'expired' | 'cleared'>(),
)
expectTypeOf(agent.accept('x')).resolves.toEqualTypeOf<Contact>()
// @ts-expect-error one agent, or tags
void agent.transfer('x', { toAgent: 'y', toTags: ['z'] })
expectTypeOf(agent.contacts()).resolves.toEqualTypeOf<Contact[]>()
expectTypeOf<keyof AgentEvents>().toExtend<string>()

// PKG-11: positional arguments.
compat(contact)
  .on('text', (text, from_id, from_nick, agent) => {
    expectTypeOf({ text, from_id, from_nick, agent }).toEqualTypeOf<{
      text: string
      from_id: string
      from_nick: string | undefined
      agent: boolean
    }>()
  })
  .on('left', ({ channels }) => expectTypeOf(channels.total).toEqualTypeOf<number>())
  .once('mediaoffer', (offer, callback) => {
    expectTypeOf(offer).toEqualTypeOf<MediaOffer>()
    callback(null, {})
    // SND-308: an answer may also have the words of an offer.
    callback(null, offer)
    callback(null, { Voice: { tx: 'required', rx: true } })
    // @ts-expect-error there is no such word
    callback(null, { Voice: { tx: 'perhaps', rx: true } })
  })
  .on('rawmessage', (message) => expectTypeOf(message).toEqualTypeOf<RawMessage>())
  .on('mediatimeout', (offer) => expectTypeOf(offer).toEqualTypeOf<MediaOffer>())
  .on('joined', ({ user }) => expectTypeOf(user).toEqualTypeOf<string>())
  .on('ShowPage', (data, cb) => {
    expectTypeOf(data).toEqualTypeOf<JsonValue | undefined>()
    cb(null, true)
  })
declare const client: Client
declare const third: CompatContact
expectTypeOf(compat(client)).toEqualTypeOf<CompatClient>()
expectTypeOf(compat(contact)).toEqualTypeOf<CompatContact>()
void compat(client).createContact({
  initialOffer: { Sharing: { tx: 'off', rx: 'off' }, Voice: { tx: 'required', rx: 'required' } },
})
expectTypeOf(compat(client).resumeContact()).resolves.toEqualTypeOf<{
  readonly contact: CompatContact | null
  readonly resumed: boolean
}>()
expectTypeOf(third.on('text', () => {})).toExtend<() => void>()
expectTypeOf(third.on('text', () => {})).toExtend<CompatContact>()
expectTypeOf(third.getMediaEngine('WebRTC')).resolves.toEqualTypeOf<MediaEngine | undefined>()
third.getMediaEngine<WebRtcEngine>('WebRTC').muteLocalAudio()
expectTypeOf(third.mergeMedia({ Voice: { tx: 'required', rx: 'off' } })).resolves.toEqualTypeOf<MediaState>()
expectTypeOf(third.getMediaStream('audio', 'rx')).toEqualTypeOf<MediaStream | null>()
expectTypeOf(third.contact.transcript).toEqualTypeOf<RawMessage[]>()
expectTypeOf(third.channel.isConnected()).toEqualTypeOf<boolean>()
// @ts-expect-error there is no such direction
third.getMediaStream('audio', 'both')
