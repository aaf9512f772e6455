import type { Contact } from 'duolog'

/** The part of an application that is tested: how many messages nobody has read yet, and whether it is online. */
export class Unread {
  count = 0
  isOnline = true

  constructor(contact: Contact) {
    contact.on('text', () => (this.count += 1))
    contact.on('connection', ({ state }) => (this.isOnline = state === 'online'))
  }
}
