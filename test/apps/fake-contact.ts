import { onAbort } from '../../sdk/async/on-abort.ts'
import { answerOf } from '../../sdk/media/chosen-answer.ts'
import type {
  AnswerChoice,
  Contact,
  ContactData,
  ContactEventName,
  ContactEvents,
  MediaOffer,
  MediaState,
  PartialMediaState,
  Slot,
} from '../../apps/ui/src/sdk.ts'
import type { TransferOptions, TranscriptEvent, TranscriptMessage, TranscriptPage } from '../../sdk/index.ts'
import { ContactError } from '../../protocol/index.ts'
import type { MediaTransitionState } from '../../protocol/index.ts'

const NATIVE = { via: 'net', engine: 'Native' } as const
export const CHAT: MediaState = {
  Sharing: { tx: true, rx: true, ...NATIVE },
  Chat: { tx: true, rx: true, ...NATIVE },
}
const ENGINES = { Engines: { WebRTC: true } }
const CAPABILITIES = { Mobile: false, Media: { Voice: ENGINES, Video: ENGINES, Screen: ENGINES } }

/** What the pages use of a contact; `emit` plays the rest of the world. */
export class FakeContact {
  readonly id = 'c1'
  readonly role: Slot
  secure = false
  verification: Contact['verification'] = null
  holdsSlot = true
  mediaState: MediaTransitionState = 'idle'
  media: MediaState = CHAT
  record: ContactData
  readonly calls: unknown[][] = []
  /** Errors that the next operations of a name fail with. */
  readonly failures = new Map<string, Error>()
  readonly engine = {
    muteLocalAudio: (): void => void this.calls.push(['muteLocalAudio']),
    unmuteLocalAudio: (): void => void this.calls.push(['unmuteLocalAudio']),
  }
  readonly #handlers = new Map<string, Set<(event: never) => void>>()

  constructor(role: Slot = 'visitor', record: Partial<ContactData> = {}) {
    this.role = role
    this.record = {
      id: this.id,
      state: 'queued',
      created: '2026-01-01T09:00:00.000Z',
      visit: {},
      visitor: { id: 'v1', nick: 'Robin' },
      tags: [],
      data: [],
      mediaState: CHAT,
      secure: false,
      transcript: { messages: 0 },
      channels: { total: 1 },
      ...record,
    }
  }

  /** The fake as the pages see it. */
  get contact(): Contact {
    return this as unknown as Contact
  }

  /** Another tab takes the call, or gives it back. */
  hold(on: boolean): void {
    this.holdsSlot = on
    this.mediaState = on ? 'idle' : 'init'
  }

  get handlerCount(): number {
    return [...this.#handlers.values()].reduce((sum, { size }) => sum + size, 0)
  }

  emit<E extends ContactEventName>(name: E, event: ContactEvents[E]): void {
    for (const handler of [...(this.#handlers.get(name) ?? [])]) handler(event as never)
  }

  on(name: string, handler: (event: never) => void, options?: { readonly signal?: AbortSignal }): void {
    this.#handlers.set(name, (this.#handlers.get(name) ?? new Set()).add(handler))
    if (options?.signal) onAbort(options.signal, () => this.off(name, handler))
  }

  off(name: string, handler: (event: never) => void): void {
    this.#handlers.get(name)?.delete(handler)
  }

  data = (): ContactData => this.record
  sendText = (text: string): Promise<string> => this.#do('sendText', text, `id of ${text}`)
  sendRead = (ref: string): Promise<unknown> => this.#do('sendRead', ref, undefined)
  sendIsWriting = (): void => void this.calls.push(['sendIsWriting'])
  getMediaEngine = (id: string): object | undefined => (id === 'WebRTC' ? this.engine : undefined)
  /** What the service keeps, newest first. */
  stored: readonly TranscriptMessage[] = []
  happened: readonly TranscriptEvent[] = []
  readTranscript = (): Promise<TranscriptPage> =>
    this.#do('readTranscript', undefined, { messages: this.stored, events: this.happened, before: null })
  getMedia = (): Promise<MediaState> => Promise.resolve(this.media)
  getMediaOffer = (): Promise<MediaOffer> =>
    Promise.resolve({ Chat: { tx: 'required', rx: 'required', ...NATIVE } })
  getLocalCapabilities = (): Promise<unknown> => Promise.resolve(CAPABILITIES)
  getRemoteCapabilities = (): Promise<unknown> => this.#do('getRemoteCapabilities', null, CAPABILITIES)
  offerMedia = (offer: MediaOffer): Promise<unknown> =>
    this.#do(
      'offerMedia',
      offer,
      Object.fromEntries(Object.keys(offer).map((medium) => [medium, { tx: true, rx: true }])),
    )
  acceptOffer = (offer: MediaOffer, choice?: AnswerChoice): Promise<unknown> =>
    this.#do('acceptOffer', choice, answerOf(this.media, offer, choice))
  rejectOffer = (_offer: MediaOffer, reason?: unknown): Promise<unknown> =>
    this.#do('rejectOffer', reason, undefined)
  mergeAndTransitMedia = (media: PartialMediaState): Promise<unknown> => {
    this.media = { ...this.media, ...media }
    this.emit('mediachange', { newMedia: this.media, diff: {} as never })
    return this.#do('mergeAndTransitMedia', media, this.media)
  }
  /** How much of a file goes up, 0 to 1; then it waits. */
  attachProgress = 0
  attach = (file: File, _about: null, _ref: string, { onProgress }: TransferOptions): Promise<never> => {
    this.calls.push(['attach', file])
    onProgress?.(file.size * this.attachProgress, file.size)
    return new Promise(() => {})
  }
  attachmentUrl = (id: string): Promise<string> =>
    this.#do('attachmentUrl', id, `https://files.example.org/${id}`)
  openAttachment = (id: string): Promise<Blob> => this.#do('openAttachment', id, new Blob(['the bytes']))
  verify = (matches: boolean, digits?: string): void => this.#decide(['verify', matches], digits)
  acceptKey = (digits?: string): void => this.#decide(['acceptKey'], digits)
  withdrawOffer = (): void => void this.calls.push(['withdrawOffer'])
  join = (): Promise<unknown> => this.#do('join', null, undefined)
  takeOver = (): Promise<unknown> => this.#do('takeOver', null, undefined)
  leave = (): Promise<unknown> => this.#do('leave', null, undefined)

  /** What is said of other digits than those of the key is refused. */
  #decide(call: readonly unknown[], digits: string | undefined): void {
    if (digits !== undefined && digits !== this.verification?.code?.digits)
      throw new ContactError('invalid_key', 'unable to decide; the key has other digits now')
    this.calls.push([...call, digits])
  }

  async #do<T>(name: string, argument: unknown, result: T): Promise<T> {
    this.calls.push([name, argument])
    const failure = this.failures.get(name)
    this.failures.delete(name)
    if (failure !== undefined) throw failure
    return result
  }
}
