export { endGrace, endLimit, loseAllSessions, loseSession, replaceLost } from './absence.ts'
export { ContactService, hasLeft } from './contact-service.ts'
export { ContactStore, notFound } from './contact-store.ts'
export { CONTACT_LIMITS } from './contact.types.ts'
