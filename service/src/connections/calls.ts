import { ContactError } from '../../../protocol/index.ts'
import type { CallName, ContactData } from '../../../protocol/index.ts'
import { tokenSubject } from '../auth/revocations.ts'
import { iceServers, withoutTurn } from '../ice/ice-servers.ts'
import { checkFrame } from '../relay/frame-limits.ts'
import type { Caller } from './caller.ts'
import { contactHandlers, readerOf, wholeOf, withChannel } from './contact-calls.ts'
import { agentOf, deskHandlers } from './desk-calls.ts'
import type { DeskCall } from './desk-calls.ts'
import type { CallParts, Handlers } from './handlers.ts'

const VISITOR_ONLY: ReadonlySet<CallName> = new Set(['contact.create', 'contact.list', 'contact.rate'])

/** Fails where the call belongs to the other role. */
export function checkRole(name: CallName, { principal }: Caller): void {
  const allowed = VISITOR_ONLY.has(name)
    ? principal.use === 'visitor'
    : name.startsWith('agent.')
      ? principal.use === 'agent'
      : true
  if (!allowed)
    throw new ContactError('forbidden', `unable to carry out ${name}; it belongs to the other party`)
}

export function callHandlers(parts: CallParts): Handlers {
  return {
    ...contactHandlers(parts),
    ...logHandlers(parts),
    ...fileHandlers(parts),
    ...connectionHandlers(parts),
    ...agentHandlers(parts),
    ...deskHandlers(parts),
  }
}

function logHandlers(parts: CallParts): Pick<Handlers, 'log.append' | 'log.read' | 'relay.send'> {
  const { contacts, log, relay, attachments } = parts
  return {
    'log.append': (caller, { drafts, ...ref }) =>
      caller.find(ref.contact, ref.session, async (channel) => {
        // What is stored already is told also to who has no part any more.
        const { contact, session, slot, principal, nick, epoch } =
          channel ?? (await contacts.formerWriter(caller.principal, ref))
        const writer = { contact, session, slot, principal, nick, epoch }
        return { value: { appended: await log.append(writer, drafts) } }
      }),
    'log.read': ({ principal, largeAnswers, sink }, { contact, after, limit }) =>
      largeAnswers.run(async () => {
        const head = await contacts.checkReadable(principal, contact)
        return {
          value: {
            entries: attachments.viewFor(readerOf(principal))(
              await parts.readerOf(contact)({ after, limit, bytes: sink.pageBytes }),
            ),
            head,
          },
        }
      }),
    'relay.send': (caller, { contact, session, to, frame }) =>
      withChannel(parts, caller)({ contact, session }, async (channel) => {
        checkFrame(frame)
        await relay.send(channel, to, frame)
        return { value: {} }
      }),
  }
}

type AgentCall = Extract<CallName, `agent.${string}`>

function agentHandlers(parts: CallParts): Pick<Handlers, Exclude<AgentCall, DeskCall>> {
  const { contacts, agents, presence } = parts
  const whole = (record: ContactData): ContactData => wholeOf(parts, record)
  return {
    'agent.presence': async (caller, wanted) => {
      await presence.setPresence(agentOf(caller), wanted, caller.id)
      // What stands has been told by then: a client takes what it was not told for over.
      await caller.offers?.sent()
      return { value: {} }
    },
    'agent.accept': async (caller, { contact, force }) => {
      const record = await agents.accept(agentOf(caller), contact, force)
      caller.offers?.settled(contact)
      return { value: { record: whole(record) } }
    },
    'agent.decline': async (caller, { contact }) => {
      await agents.decline(agentOf(caller), contact)
      caller.offers?.settled(contact)
      return { value: {} }
    },
    'agent.transfer': async (caller, args) => ({
      value: { contact: await agents.transfer(agentOf(caller), args) },
    }),
    'agent.edit': async (caller, edit) => {
      await contacts.edit(agentOf(caller), edit)
      return { value: {} }
    },
    'agent.contacts': (caller, asked) =>
      caller.largeAnswers.run(async () => ({
        value: await agents.contacts({
          agent: agentOf(caller).id,
          view: whole,
          bytes: caller.sink.pageBytes,
          ...asked,
        }),
      })),
  }
}

function connectionHandlers({
  ice,
  clock,
  contacts,
}: CallParts): Pick<Handlers, 'link.renew' | 'ice.servers'> {
  return {
    'link.renew': async (caller, { token }) => ({
      value: { expiresInMs: Math.max(0, (await caller.renew(token)).expires - clock.now()) },
    }),
    'ice.servers': async ({ principal, hasOpen }) => {
      const mayRelay = ice.turn.length > 0 && (hasOpen || (await contacts.hasOpen(principal)))
      return { value: iceServers(mayRelay ? ice : withoutTurn(ice), principal.id, clock.now()) }
    },
  }
}

function fileHandlers(parts: CallParts): Pick<Handlers, 'attachment.open' | 'attachment.url'> {
  const { attachments, contacts } = parts
  return {
    'attachment.open': (caller, { contact, session, ...asked }) =>
      withChannel(parts, caller)({ contact, session }, async ({ slot, principal, nick, epoch }) => ({
        value: await attachments.open(
          { contact, session, slot, principal, nick, epoch, token: tokenOf(caller) },
          asked,
        ),
      })),
    'attachment.url': async ({ principal }, { contact, id }) => {
      await contacts.checkReadable(principal, contact)
      return { value: await attachments.url(readerOf(principal), contact, id) }
    },
  }
}

const tokenOf = ({ principal: { jti } }: Caller): string | null => (jti === null ? null : tokenSubject(jti))
