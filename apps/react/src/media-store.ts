import type { AnswerChoice, Contact, MediaOffer, MediaState, MediaTransitionState } from 'duolog'
import { Store } from './store.ts'

/** The media of a contact. */
export interface MediaSnapshot {
  /** What runs; `Video.data.rx_stream` is a `MediaStream` of the other side. */
  readonly media: MediaState
  readonly state: MediaTransitionState
  /** What the other side offers and nobody has answered. */
  readonly offer: MediaOffer | null
}

const CALL_MEDIA = ['Voice', 'Video', 'Screen'] as const

/** The media of one contact. It listens for offers while somebody is subscribed. */
export class MediaStore extends Store<MediaSnapshot> {
  static readonly initial: MediaSnapshot = {
    media: { Sharing: { tx: false, rx: false } },
    state: 'init',
    offer: null,
  }
  readonly #contact: Contact
  #listening = new AbortController()

  constructor(contact: Contact) {
    super({ ...MediaStore.initial, state: contact.mediaState })
    this.#contact = contact
  }

  /** Offers what `media` names beside what runs. Rejects as `offerMedia`. */
  readonly call = async (media: MediaOffer): Promise<void> => {
    await this.#contact.offerMedia({ ...(await this.#contact.getMediaOffer()), ...media })
  }

  /** Takes of the offer that stands what `choice` says. Call it in a click. Rejects as `acceptOffer`. */
  readonly accept = async (choice?: AnswerChoice): Promise<void> => {
    const { offer } = this.getSnapshot()
    if (offer) await this.#contact.acceptOffer(offer, choice)
  }

  readonly reject = async (): Promise<void> => {
    const { offer } = this.getSnapshot()
    if (offer) await this.#contact.rejectOffer(offer)
  }

  /** Turns voice, video and screen off. */
  readonly hangUp = async (): Promise<void> => {
    const { media } = this.getSnapshot()
    const running = CALL_MEDIA.filter((name) => media[name]?.tx || media[name]?.rx)
    await this.#contact.mergeAndTransitMedia(
      Object.fromEntries(running.map((name) => [name, { tx: false, rx: false }])),
    )
  }

  protected override opened(): void {
    this.#listening = new AbortController()
    const { signal } = this.#listening
    const contact = this.#contact
    const change = (part: Partial<MediaSnapshot>): void => this.set({ ...this.getSnapshot(), ...part })
    contact.on('mediachange', ({ newMedia: media }) => change({ media }), { signal })
    contact.on('mediaoffer', ({ offer }) => change({ offer }), { signal })
    contact.on('mediastate', ({ state }) => change({ state, ...(state !== 'offered' && { offer: null }) }), {
      signal,
    })
    contact.getMedia().then(
      (media) => signal.aborted || change({ media }),
      () => {},
    )
  }

  protected override closed(): void {
    this.#listening.abort()
  }
}
