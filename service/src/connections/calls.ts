import { setTimeout as delay } from 'node:timers/promises'
import { ContactError } from '../../../protocol/index.ts'
import type { CallName, Calls, ContactData } from '../../../protocol/index.ts'
import type { AttachmentService } from '../attachments/index.ts'
import type { AgentPrincipal, Principal } from '../auth/principal.ts'
import type { ServiceClock } from '../clock/clock.ts'
import type { ContactService } from '../contacts/index.ts'
import { iceServers } from '../ice/ice-servers.ts'
import type { IceOptions } from '../ice/ice-servers.ts'
import { checkFrame } from '../lane/frame-limits.ts'
import type { LogService } from '../log/log-service.ts'
import type { AgentService } from '../queue/agent-service.ts'
import type { Caller } from './caller.ts'
import { Channel } from './channel.ts'
import type { ReadEntries } from './channel.ts'
import type { Hub } from './hub.ts'

export interface CallParts {
  readonly contacts: ContactService
  readonly log: LogService
  readonly agents: AgentService
  readonly hub: Hub
  readonly clock: ServiceClock
  readonly ice: IceOptions
  readonly attachments: AttachmentService
  /** Null: Voice goes over no telephone. `opened`: somebody has come, or come back. */
  readonly telephony: { readonly opened: (contact: string) => void } | null
  /** A page that has opened a contact hears what it is told from now on. */
  readonly onStarted: (contact: string) => void
  readonly readerOf: (contact: string) => ReadEntries
  readonly onFault: (thrown: unknown) => void
}

/** What a call gives, and what is done once the reply has been sent. */
export interface Outcome<N extends CallName> {
  readonly value: Calls[N]['result']
  readonly afterReply?: () => void
}

export type Handlers = { readonly [N in CallName]: (caller: Caller, args: Calls[N]['args']) => Promise<Outcome<N>> }

const DELIVERY_LIMIT_MS = 5_000

const VISITOR_ONLY: ReadonlySet<CallName> = new Set(['contact.create'])

/** Fails where the call belongs to the other role. */
export function checkRole(name: CallName, { principal }: Caller): void {
  const allowed = VISITOR_ONLY.has(name) ? principal.use === 'visitor' : name.startsWith('agent.') ? principal.use === 'agent' : true
  if (!allowed) throw new ContactError('forbidden', `unable to carry out ${name}; it belongs to the other party`)
}

/** A party as its files know it. */
const readerOf = ({ use, id }: Principal): { readonly slot: 'visitor' | 'agent'; readonly principal: string } => ({ slot: use, principal: id })

/** The record with what the service can do. */
const wholeOf = ({ attachments, telephony }: CallParts, record: ContactData): ContactData => ({ ...record, ...attachments.rules, ...(telephony && { telephone: true }) })

export function callHandlers(parts: CallParts): Handlers {
  const { contacts, log, agents, hub, attachments } = parts
  const whole = (record: ContactData): ContactData => wholeOf(parts, record)
  return {
    'contact.create': async ({ principal }, args) => ({ value: { contact: await contacts.create(principal, args) } }),
    'contact.open': (caller, args) => openContact(parts, caller, args),
    'contact.read': async ({ principal }, { contact }) => ({ value: { record: whole(await contacts.read(principal, contact)) } }),
    'contact.leave': (caller, args) => leaveContact(parts, caller, args),
    'log.append': (caller, { contact, session, drafts }) =>
      caller.use(contact, session, async ({ slot, principal, nick }) => ({ value: { appended: await log.append({ contact, session, slot, principal, nick }, drafts) } })),
    'log.read': async ({ principal }, { contact, after, limit }) => {
      const head = await contacts.checkReadable(principal, contact)
      return { value: { entries: attachments.viewFor(readerOf(principal))(await parts.readerOf(contact)({ after, limit })), head } }
    },
    'lane.send': (caller, { contact, session, to, frame }) =>
      caller.use(contact, session, async (channel) => {
        checkFrame(frame)
        hub.pass(channel, to, frame)
        return { value: {} }
      }),
    ...fileHandlers(parts),
    ...connectionHandlers(parts),
    'agent.presence': async (caller, presence) => {
      await agents.setPresence(agentOf(caller), presence)
      return { value: {} }
    },
    'agent.accept': async (caller, { contact, force }) => ({ value: { record: whole(await agents.accept(agentOf(caller), contact, force)) } }),
    'agent.decline': async (caller, { contact }) => {
      await agents.decline(agentOf(caller), contact)
      return { value: {} }
    },
    'agent.transfer': async (caller, args) => ({ value: { contact: await agents.transfer(agentOf(caller), args) } }),
    'agent.edit': async (caller, edit) => {
      await contacts.edit(agentOf(caller), edit)
      return { value: {} }
    },
    'agent.contacts': async (caller) => ({ value: { records: (await agents.contacts(agentOf(caller))).map(whole) } }),
  }
}

function connectionHandlers({ ice, clock }: CallParts): Pick<Handlers, 'link.renew' | 'ice.servers'> {
  return {
    'link.renew': async (caller, { token }) => ({ value: { expiresInMs: Math.max(0, (await caller.renew(token)).expires - clock.now()) } }),
    'ice.servers': async ({ principal }) => ({ value: iceServers(ice, principal.id, clock.now()) }),
  }
}

function fileHandlers({ attachments, contacts }: CallParts): Pick<Handlers, 'attachment.open' | 'attachment.url'> {
  return {
    'attachment.open': (caller, { contact, session, ...asked }) =>
      caller.use(contact, session, async ({ slot, principal, nick }) => ({ value: await attachments.open({ contact, session, slot, principal, nick }, asked) })),
    'attachment.url': async ({ principal }, { contact, id }) => {
      await contacts.checkReadable(principal, contact)
      return { value: await attachments.url(readerOf(principal), contact, id) }
    },
  }
}

function agentOf({ principal }: Caller): AgentPrincipal {
  if (principal.use !== 'agent') throw new ContactError('forbidden', 'unable to carry out the call; it belongs to agents')
  return principal
}

/** The channel hears what is appended from now on, but speaks only after the reply. */
async function openContact(parts: CallParts, caller: Caller, args: Calls['contact.open']['args']): Promise<Outcome<'contact.open'>> {
  const { contact, session, cursor } = args
  const { principal, outlet } = caller
  const opening = parts.contacts.open(principal, args).then((opened) => {
    const { slot, nick, head } = opened
    const channel = new Channel({
      contact,
      session,
      slot,
      nick,
      outlet,
      principal: principal.id,
      cursor: Math.min(cursor, head),
      read: parts.readerOf(contact),
      view: parts.attachments.viewFor(readerOf(principal)),
      onFault: parts.onFault,
    })
    parts.hub.attach(channel, opened.state)
    parts.telephony?.opened(contact)
    return { channel, opened }
  })
  const channel = await caller.open(
    contact,
    session,
    opening.then((each) => each.channel),
  )
  const { head, counter, record } = (await opening).opened
  return { value: { head, counter, record: wholeOf(parts, record) }, afterReply: () => start(parts, channel) }
}

function start({ onStarted }: CallParts, channel: Channel): void {
  channel.start()
  onStarted(channel.contact)
}

/** `left`, and `cleared` where it follows, reach this connection before the reply. */
function leaveContact({ contacts, hub }: CallParts, caller: Caller, args: Calls['contact.leave']['args']): Promise<Outcome<'contact.leave'>> {
  return caller.find(args.contact, args.session, async (channel) => {
    const head = await contacts.leave(caller.principal, args)
    if (!channel) return { value: { head } }
    await Promise.race([channel.delivered(head), delay(DELIVERY_LIMIT_MS, undefined, { ref: false })])
    return {
      value: { head },
      afterReply: () => {
        caller.leave(channel)
        hub.detach(channel)
      },
    }
  })
}
