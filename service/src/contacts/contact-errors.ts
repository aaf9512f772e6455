import { ContactError } from '../../../protocol/index.ts'

export const hasLeft = (): ContactError =>
  new ContactError('left', 'unable to use the contact; it has ended, or this party has left it')

export const notFound = (contact: string): ContactError =>
  new ContactError(
    'not_found',
    `unable to find the contact ${contact}; it does not exist, or belongs to someone else`,
  )
