import type { ContactData, Deferred } from '../../protocol/index.ts'
import type { Inspect } from '../api/client.ts'
import type { LateEnginesOptions } from './late-engines.ts'
import type { NegotiationOptions } from './negotiation.ts'

/** What the media of a contact need of it. */
export interface ContactMediaOptions
  extends
    Omit<NegotiationOptions, 'addEngine' | 'engines' | 'link' | 'onState' | 'record'>,
    Omit<LateEnginesOptions, 'onDropVideo' | 'onReport' | 'record'> {
  readonly record: ContactData
  readonly inspect?: Inspect | undefined
}

/** The `present` of a session. */
export interface Present {
  id: string
  /** Settles when it is decided. */
  readonly decided: Deferred
  /** It was read in the log, and this session holds its slot by it. */
  counts: boolean
  /** The service has not taken it. */
  isRefused: boolean
}
