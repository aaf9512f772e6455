import type { FileRules } from './attachment.ts'
import type { AgentCard } from './agent-card.ts'
import type { ChannelCounts } from './channel-counts.ts'
import type { EndReason } from './end-reason.ts'
import type { JsonValue } from './json.ts'
import type { MediaOffer, MediaState } from './media.ts'

/** Type of a form field. */
export type FieldType = 'checkbox' | 'date' | 'email' | 'link' | 'number' | 'phone' | 'text' | 'nickname'

/** One field of a form. */
export interface DataField {
  readonly name: string
  /** Human-readable name; without it, `name` is shown. */
  readonly desc?: string
  readonly type: FieldType
  /** Value of every type but `checkbox`. */
  readonly value?: JsonValue
  /** Value of a `checkbox`. */
  readonly checked?: boolean
  /** The agent may see the field. Default: true. */
  readonly visible?: boolean
  /** The agent may change the value. Default: false. */
  readonly editable?: boolean
  /** The value before an agent changed it. */
  readonly original?: JsonValue
  /** Id of the agent who changed it. */
  readonly editedBy?: string
  /** Members of the application: stored and passed on, at most 16, 2 KiB of JSON together. */
  readonly [member: string]: JsonValue | undefined
}

/** One form. */
export interface DataForm {
  readonly name: string
  /** Human-readable name; without it, `name` is shown. */
  readonly desc?: string
  readonly data: readonly DataField[]
}

/** User-defined data of a contact: a list of forms. */
export type DataCollection = readonly DataForm[]

/** The page on which the visitor started the contact. */
export interface VisitData {
  readonly page?: { readonly url: string; readonly title: string }
  readonly referrer?: string
  readonly userAgent?: string
  readonly lang?: string
}

/** State of a contact. */
export type ContactLife = 'queued' | 'assigned' | 'joined' | 'cleared'

/** The record of a contact as the service keeps it. */
export interface ContactData {
  readonly id: string
  /** `transferred`: it has gone on under another id. */
  readonly state: ContactLife | 'transferred'
  /** When it was created, ISO 8601. */
  readonly created: string
  readonly visit: VisitData
  readonly visitor: {
    readonly id: string
    /** The site says who this is, and vouches for the nick. */
    readonly identified?: boolean
    readonly nick?: string
    readonly email?: string
    readonly lang?: string
  }
  readonly agent?: AgentCard
  readonly tags: readonly string[]
  readonly data: DataCollection
  /** The visitor's first offer; relative to the agent. */
  readonly initialOffer?: MediaOffer
  /** Relative to the reader. */
  readonly mediaState: MediaState
  readonly secure: boolean
  /** Waits for an agent also while the visitor is away. */
  readonly later?: boolean
  /** Number of messages and when the last one was stored (ISO 8601). */
  readonly transcript: { readonly messages: number; readonly last?: string }
  readonly transferredFrom?: string
  readonly channels: ChannelCounts
  /** Which files may be sent; missing if none may. */
  readonly files?: FileRules
  /** Voice can use a telephone. */
  readonly telephone?: boolean
  /** Reason of the end, once `state` is `cleared`. */
  readonly reason?: EndReason
}

/** What the organisation's back end reads of a contact besides its parties. */
export interface BackEndFacts {
  /** When it ended or was transferred, ISO 8601. Only a back end reads it. */
  readonly ended?: string
  /** The id under which it goes on, while that contact is kept. Only a back end reads it. */
  readonly transferredTo?: string
}

/** The record as the organisation's back end reads it over HTTP. */
export type BackEndRecord = ContactData & BackEndFacts
