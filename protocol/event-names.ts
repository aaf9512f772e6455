import type { ContactEventName } from './contact-events.ts'

/** Every name that a contact or one of its data channels emits by itself. The compiler holds it complete. */
const OWN: Readonly<Record<ContactEventName | 'close', true>> = {
  text: true,
  localtext: true,
  link: true,
  locallink: true,
  attachment: true,
  action: true,
  iswriting: true,
  localiswriting: true,
  ack: true,
  joined: true,
  left: true,
  peeraway: true,
  localleft: true,
  cleared: true,
  transferred: true,
  declined: true,
  localcapabilities: true,
  capabilities: true,
  mediaoffer: true,
  mediachange: true,
  data: true,
  datachannel: true,
  datachange: true,
  telephone: true,
  close: true,
  assigned: true,
  queue: true,
  mediastate: true,
  connection: true,
  statistics: true,
  liveness: true,
  restored: true,
  callsummary: true,
  remotehold: true,
  interruption: true,
  error: true,
}

/**
 * Whether a name is one that the SDK itself emits: an action or topic of the remote that is called so never
 * reaches a handler of that event.
 */
export const isOwnEvent = (name: string): boolean => Object.hasOwn(OWN, name)
