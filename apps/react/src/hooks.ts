import { useMemo, useSyncExternalStore } from 'react'
import type { AnswerChoice, ClientOptions, Contact, ContactOptions, MediaOffer } from 'duolog'
import { ContactStore } from './contact-store.ts'
import type { ContactSnapshot } from './contact-store.ts'
import { MediaStore } from './media-store.ts'
import type { MediaSnapshot } from './media-store.ts'
import { MessagesStore, messagesOf } from './messages-store.ts'
import type { Message } from './messages-store.ts'
import type { Store } from './store.ts'

/** The visitor's contact, and what can be done. */
export interface UsedContact extends ContactSnapshot {
  /** Starts a contact where none is open. Why it failed is in `error`. */
  readonly start: (options?: ContactOptions) => Promise<void>
  /** Ends the contact. */
  readonly leave: () => Promise<void>
}

/**
 * The visitor's contact of this page: takes up the one that an earlier page left open. Options other than
 * `service` are read once. On a server, and in the first render of a page, its phase is `resuming`.
 *
 * @example
 * ```tsx
 * const { phase, contact, start } = useContact({ service: 'https://contact.example.org' })
 * ```
 */
export function useContact(options: ClientOptions): UsedContact {
  const { service } = options
  // A literal is another object in each render.
  const store = useMemo(() => new ContactStore(options), [service])
  const snapshot = useSyncExternalStore(store.subscribe, store.getSnapshot, () => ContactStore.initial)
  return { ...snapshot, start: store.start, leave: store.leave }
}

/** The messages of a contact, and how to send one. */
export interface UsedMessages {
  readonly messages: readonly Message[]
  /** Sends a text; it is in the list at once. Without a contact it does nothing. */
  readonly send: (text: string) => Promise<void>
}

/**
 * The messages of a contact, those that were said before this page came included (the last 200).
 *
 * @example
 * ```tsx
 * const { messages, send } = useMessages(contact)
 * ```
 */
export function useMessages(contact: Contact | null): UsedMessages {
  const store = contact && messagesOf(contact)
  const messages = useStore(store, MessagesStore.initial)
  return { messages, send: store?.send ?? nothing }
}

/** The media of a contact, and how they change. */
export interface UsedMedia extends MediaSnapshot {
  /** Offers what is named beside what runs. Rejects as `offerMedia` of a contact. */
  readonly call: (media: MediaOffer) => Promise<void>
  /** Answers the offer that stands, inside a click. Rejects as `acceptOffer` of a contact. */
  readonly accept: (choice?: AnswerChoice) => Promise<void>
  /** Rejects the offer that stands. */
  readonly reject: () => Promise<void>
  /** Turns voice, video and screen off. */
  readonly hangUp: () => Promise<void>
}

/**
 * The media of a contact. While a component uses it, offers of the other side wait for `accept` or `reject`.
 *
 * @example
 * ```tsx
 * const { media, offer, call, accept, hangUp } = useMedia(contact)
 * ```
 */
export function useMedia(contact: Contact | null): UsedMedia {
  const store = useMemo(() => contact && new MediaStore(contact), [contact])
  const snapshot = useStore(store, MediaStore.initial)
  const { call = nothing, accept = nothing, reject = nothing, hangUp = nothing } = store ?? {}
  return { ...snapshot, call, accept, reject, hangUp }
}

const nothing = async (): Promise<void> => {}
const never = (): (() => void) => () => {}

const useStore = <T>(store: Store<T> | null, initial: T): T =>
  useSyncExternalStore(store?.subscribe ?? never, store?.getSnapshot ?? (() => initial), () => initial)
