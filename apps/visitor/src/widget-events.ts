import type { Contact, ContactEvents } from 'duolog'
import type { WidgetEventMap, WidgetMessage } from './widget-api.ts'

/** Tells the page of an event. */
export function tell<K extends keyof WidgetEventMap>(
  element: HTMLElement,
  type: K,
  detail: WidgetEventMap[K]['detail'],
): void {
  element.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }))
}

/** Tells the page of one contact after the other: of each once, as the SDK tells each message once. */
export class PageTeller {
  readonly #element: HTMLElement
  #contact: Contact | null = null
  #telling = new AbortController()

  constructor(element: HTMLElement) {
    this.#element = element
  }

  follow(contact: Contact | null): void {
    if (contact === this.#contact) return
    this.#contact = contact
    this.#telling.abort()
    this.#telling = new AbortController()
    if (contact) tellOf(contact, this.#element, this.#telling.signal)
  }
}

/** Tells the page of the messages of a contact and of its end, until `signal` is aborted. */
function tellOf(contact: Contact, element: HTMLElement, signal: AbortSignal): void {
  let isOver = false
  const message = (said: WidgetMessage): void => tell(element, 'duolog-message', said)
  const end = (reason: ContactEvents['cleared']['reason'] | 'closed'): void => {
    if (!isOver) tell(element, 'duolog-end', reason === undefined ? {} : { reason })
    isOver = true
  }
  const of = (
    type: WidgetMessage['type'],
    text: string,
    { id, from_nick: nick }: { readonly id: string; readonly from_nick?: string },
  ): WidgetMessage => ({ id, own: false, type, text, ...(nick !== undefined && { nick }) })
  const own = (said: WidgetMessage): WidgetMessage => ({ ...said, own: true })
  contact.on('text', (event) => message(of('text', event.text, event)), { signal })
  contact.on('notice', (event) => message(of('notice', event.text, event)), { signal })
  contact.on('localtext', (event) => message(own(of('text', event.text, event))), { signal })
  contact.on('link', (event) => message(of('link', event.url, event)), { signal })
  contact.on('locallink', (event) => message(own(of('link', event.url, event))), { signal })
  contact.on(
    'attachment',
    (event) => {
      // What was said to an earlier agent is no message of this contact.
      if (event.meta.kind === 'history') return
      const said = of('attachment', event.meta.originalName, event)
      message(event.agent ? said : own(said))
    },
    { signal },
  )
  contact.on('localleft', ({ reason }) => end(reason ?? 'closed'), { signal })
  contact.on('cleared', ({ reason }) => end(reason), { signal })
}
