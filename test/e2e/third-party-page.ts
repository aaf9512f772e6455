/**
 * A client as somebody else would write it for this interface: positional handlers, callbacks, and a store of
 * its own that draws the page.
 */
import type { createClient } from '../../sdk/index.ts'
import type { CompatClient, CompatContact, RawMessage, compat } from '../../sdk/compat/index.ts'
import type { WebRtcEngine } from '../../engines/index.ts'

interface Sdk {
  readonly createClient: typeof createClient
  readonly compat: typeof compat
}

/** What the page knows: nothing of it comes from the contact a second time. */
class Store {
  readonly messages: RawMessage[] = []
  readonly events: unknown[][] = []
  offers = 0

  add(message: RawMessage): void {
    if (!this.messages.some(({ id }) => id === message.id)) this.messages.push(message)
    document
      .querySelector('#log')
      ?.replaceChildren(
        ...this.messages.map((one) =>
          Object.assign(document.createElement('li'), { textContent: this.#line(one) }),
        ),
      )
  }

  note = (...event: unknown[]): void => void this.events.push(event)

  #line = ({ agent, from_nick, type, body, code, args }: RawMessage): string =>
    `${agent ? (from_nick ?? 'agent') : 'me'}: ${type === 'text' ? body : `${code ?? type} ${JSON.stringify(args ?? null)}`}`
}

class ThirdParty {
  readonly store = new Store()
  readonly #sdk: Sdk
  readonly #service: string
  #contact: CompatContact | undefined

  constructor(sdk: Sdk, service: string) {
    this.#sdk = sdk
    this.#service = service
  }

  get contact(): CompatContact {
    if (!this.#contact) throw new Error('not started')
    return this.#contact
  }

  start(done: (error: unknown, resumed?: boolean) => void): void {
    const client: CompatClient = this.#sdk.compat(this.#sdk.createClient({ service: this.#service }))
    const both = { tx: 'required', rx: 'required' } as const
    const made = client.resumeContact().then(async ({ contact, resumed }) => {
      this.#listen(
        contact ??
          (await client.createContact({ nick: 'Robin', initialOffer: { Sharing: both, Chat: both } })),
      )
      done(null, resumed)
    })
    made.catch(done)
  }

  say(text: string, done: (error: unknown) => void): void {
    this.contact.send({ type: 'text', body: text, lang: 'en' }, done).catch(() => {})
  }

  call(media: readonly string[], done: (error: unknown) => void): void {
    const wanted = Object.fromEntries(
      media.map((medium) => [medium, { tx: 'required' as const, rx: 'required' as const }]),
    )
    this.contact.getMediaOffer().then((offer) => this.contact.offerMedia({ ...offer, ...wanted }, done), done)
  }

  mute(on: boolean): void {
    const engine = this.contact.getMediaEngine<WebRtcEngine>('WebRTC')
    if (on) engine.muteLocalAudio()
    else engine.then((one) => one?.unmuteLocalAudio()).catch(() => {})
  }

  #listen(contact: CompatContact): void {
    this.#contact = contact
    for (const message of contact.contact.transcript) this.store.add(message)
    contact
      .on('rawmessage', (message) => this.store.add(message))
      .on('mediachange', () => this.#show())
      .on('joined', ({ nick }) => this.store.note('joined', nick))
      .on('transferred', ({ to }) => this.store.note('transferred', typeof to.toId))
      .on('cleared', ({ reason }) => this.store.note('cleared', reason))
      .on('mediatimeout', (offer) => this.store.note('mediatimeout', Object.keys(offer)))
    contact.on('text', (text, _id, from_nick, agent) => this.store.note('text', text, from_nick, agent))
    contact.on('mediaoffer', (offer, callback) => {
      this.store.offers++
      contact.mergeMedia(offer).then((media) => callback(null, media), callback)
    })
    this.#show()
  }

  #show(): void {
    const [picture, sound] = [
      document.querySelector<HTMLVideoElement>('#picture'),
      document.querySelector<HTMLAudioElement>('#sound'),
    ]
    if (picture) picture.srcObject = this.contact.getMediaStream('video', 'rx')
    if (sound) sound.srcObject = this.contact.getMediaStream('audio', 'rx')
  }
}

declare global {
  var thirdParty: ThirdParty
  var startThirdParty: (service: string) => Promise<boolean>
}

globalThis.startThirdParty = async (service) => {
  const [sdk, style] = (await Promise.all([
    import(`${service}/sdk/duolog.js`),
    import(`${service}/sdk/compat.js`),
  ])) as unknown as [Sdk, Sdk]
  globalThis.thirdParty = new ThirdParty({ createClient: sdk.createClient, compat: style.compat }, service)
  return new Promise((resolve, reject) =>
    globalThis.thirdParty.start((error, resumed) =>
      error ? reject(error as Error) : resolve(resumed === true),
    ),
  )
}
