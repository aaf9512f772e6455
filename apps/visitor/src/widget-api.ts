import type { Contact, DataCollection, EndReason } from 'duolog'

/** A question of the form before the chat. The agent sees the answer beside the conversation. */
export interface WidgetField {
  /** Name under which the answer is stored. */
  readonly name: string
  /** What the visitor reads; default: the name. */
  readonly label?: string
  readonly type: 'text' | 'email' | 'phone' | 'number' | 'date' | 'checkbox'
  /** The chat does not start without it. */
  readonly required?: boolean
}

/** Texts that the site says otherwise; the keys are those of the tables of the widget. */
export interface WidgetTexts {
  readonly messages?: Readonly<Record<string, string>>
  readonly errors?: Readonly<Record<string, string>>
}

/** What a site sets on the element, as properties. All but `data` and `ownWords` are attributes too. */
export interface WidgetSettings {
  /** Address of the contact service. Read when the element is put into the page. */
  service?: string
  /** BCP 47; default: the language of the page, else that of the browser. */
  lang?: string
  /** New contacts are encrypted from end to end. */
  secure?: boolean
  /** Text of the button. */
  label?: string
  /** What the visitor reads above the form. */
  greeting?: string
  /** Which corner at the bottom: where lines end (default), or where they start. */
  position?: 'end' | 'start'
  /** Default: `auto`, as the visitor's system has it. */
  theme?: 'auto' | 'light' | 'dark'
  /** Opening hours, as schema.org `openingHours`: `Mo-Fr 09:00-18:00, Sa 10:00-13:00`. */
  hours?: string
  /** Of the opening hours, an IANA name; default: the time zone of the visitor. */
  timeZone?: string
  /** Questions of the form before the chat. */
  fields?: readonly WidgetField[]
  /** Skills that the agent should have. */
  tags?: string
  /**
   * Who the visitor is: a JWT of the site's own back end, or what gives a fresh one each time. They are the same
   * visitor in every browser, and read their earlier contacts. Empty: nobody in particular.
   */
  identity?: string | (() => string | Promise<string>)
  /** The agent is not told which messages the visitor has seen. */
  noReceipts?: boolean
  /** No sound for what is new. */
  silent?: boolean
  /** Forms for the agent that the visitor does not see. */
  data?: DataCollection
  ownWords?: WidgetTexts
}

/** A message of either party, or of the service (`notice`). */
export interface WidgetMessage {
  readonly id: string
  /** The visitor has sent it. */
  readonly own: boolean
  readonly type: 'text' | 'link' | 'attachment' | 'notice'
  /** What was said: the text, the address, or the name of the file. */
  readonly text: string
  /** Name of the sender, where it is told. */
  readonly nick?: string
}

/** Events of the element. They bubble. */
export interface WidgetEventMap {
  /** The panel was opened. */
  'duolog-open': CustomEvent<null>
  /** The panel was closed; the contact goes on. */
  'duolog-close': CustomEvent<null>
  /** A message was stored, of either party. None is told twice, also not after a page load. */
  'duolog-message': CustomEvent<WidgetMessage>
  /** The contact is over for the visitor. */
  'duolog-end': CustomEvent<{ readonly reason?: EndReason | 'closed' }>
}

/** The element `<duolog-widget>`: a button in a corner of the page, and the panel that it opens. */
export interface DuologWidgetElement extends HTMLElement, Required<WidgetSettings> {
  lang: string
  /** The visitor's contact, or null where none is open. */
  readonly contact: Contact | null
  /** Opens the panel; the text stands in the field for the first message. */
  open(question?: string): void
  /** Closes the panel; the contact goes on. */
  close(): void
  addEventListener<K extends keyof WidgetEventMap>(
    type: K,
    listener: (event: WidgetEventMap[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void
  addEventListener<K extends keyof HTMLElementEventMap>(
    type: K,
    listener: (event: HTMLElementEventMap[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void
}
