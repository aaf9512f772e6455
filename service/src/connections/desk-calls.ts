/** What agents ask beside the contacts that they have. */
import { ContactError } from '../../../protocol/index.ts'
import type { AgentPrincipal } from '../auth/principal.ts'
import type { Caller } from './caller.ts'
import type { CallParts, Handlers } from './handlers.ts'

/** Calls that are no work in a contact. */
export type DeskCall =
  | 'agent.colleagues'
  | 'agent.note'
  | 'agent.notes'
  | 'agent.replies'
  | 'agent.search'
  | 'agent.overview'
  | 'agent.read'

export function deskHandlers({ contacts, agents, desk }: CallParts): Pick<Handlers, DeskCall> {
  return {
    'agent.colleagues': async (caller) => ({
      value: { colleagues: await agents.colleagues(agentOf(caller)) },
    }),
    'agent.note': async (caller, written) => ({
      value: { note: await agents.note(agentOf(caller), written) },
    }),
    'agent.notes': async (caller, { contact }) => {
      await contacts.checkReadable(agentOf(caller), contact)
      return { value: { notes: await agents.notes(contact) } }
    },
    'agent.replies': (caller) => caller.largeAnswers.run(async () => ({ value: { replies: desk.replies } })),
    'agent.search': (caller, query) =>
      caller.largeAnswers.run(async () => ({ value: await desk.search(agentOf(caller), query) })),
    'agent.overview': (caller) =>
      caller.largeAnswers.run(async () => ({ value: await desk.overview(agentOf(caller)) })),
    'agent.read': (caller, asked) =>
      caller.largeAnswers.run(async () => {
        const agent = agentOf(caller)
        const checkOwn = () => contacts.checkReadable(agent, asked.contact)
        return { value: await desk.read(agent, { ...asked, bytes: caller.sink.pageBytes, checkOwn }) }
      }),
  }
}

/** @throws {@link ContactError} `forbidden` */
export function agentOf({ principal }: Caller): AgentPrincipal {
  if (principal.use !== 'agent')
    throw new ContactError('forbidden', 'unable to carry out the call; it belongs to agents')
  return principal
}
