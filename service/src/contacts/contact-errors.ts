import { ContactError } from '../../../protocol/index.ts'

export const hasLeft = (): ContactError =>
  new ContactError('left', 'unable to use the contact; it has ended, or this party has left it')

/**
 * The session was opened anew on another connection, which counts. The caller hears `offline`, so that
 * nothing it still has to send is given up, and its connection ends.
 */
export class ReplacedError extends ContactError {
  readonly what: 'open' | 'append'

  constructor(what: 'open' | 'append') {
    super('offline', `unable to ${what}; the session was opened on another connection`)
    this.what = what
  }
}

export const notFound = (contact: string): ContactError =>
  new ContactError(
    'not_found',
    `unable to find the contact ${contact}; it does not exist, or belongs to someone else`,
  )
