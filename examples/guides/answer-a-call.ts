import type { Contact } from 'duolog'

/** What the page shows of calls. */
export interface CallView {
  /** Somebody calls: shows two buttons. Each promise rejects with a `ContactError`, such as `media_denied`. */
  ring(call: { readonly accept: () => Promise<unknown>; readonly reject: () => Promise<unknown> }): void
  /** The call was answered, taken back, or has timed out: hides the buttons. */
  stopRinging(): void
  /** Streams for `<audio>` and `<video>`; null where there is none. */
  play(voice: MediaStream | null, video: MediaStream | null): void
}

/** Shows the calls of the other party until `signal` is aborted. */
export function showCalls(contact: Contact, view: CallView, signal?: AbortSignal): void {
  const options = signal ? { signal } : {}
  contact.on(
    'mediaoffer',
    ({ offer }) =>
      view.ring({
        accept: () => contact.acceptOffer(offer, { Voice: true, Video: 'receive' }),
        reject: () => contact.rejectOffer(offer),
      }),
    options,
  )
  contact.on('mediastate', ({ state }) => state !== 'offered' && view.stopRinging(), options)
  contact.on(
    'mediachange',
    ({ newMedia: { Voice, Video } }) =>
      view.play(Voice?.data?.rx_stream ?? null, Video?.data?.rx_stream ?? null),
    options,
  )
}

/** Calls the other party. Call it inside a click: the browser asks for the microphone. */
export async function call(contact: Contact): Promise<boolean> {
  const offer = await contact.getMediaOffer()
  const answer = await contact.offerMedia({
    ...offer,
    Voice: { tx: 'required', rx: 'required' },
    Video: { tx: 'optional', rx: 'optional' },
  })
  return answer.Voice?.tx === true
}

/** Hangs up: turning off needs no question. */
export async function hangUp(contact: Contact): Promise<void> {
  const off = { tx: false, rx: false }
  await contact.mergeAndTransitMedia({ Voice: off, Video: off })
}
