import type { Contact } from 'duolog'
import type { Agent, Distribution } from 'duolog/agent'

/** What an agent's page shows. */
export interface DeskView {
  /** A contact is offered: resolves to whether the agent takes it. */
  offer(card: Distribution): Promise<boolean>
  /** The agent has entered a contact. */
  open(contact: Contact): void
  /** The offer is over, or the contact is. */
  close(id: string, why: string): void
}

/** An agent's desk: takes offered contacts, one `open` for each. */
export function openDesk(agent: Agent, view: DeskView): void {
  const take = async (card: Distribution): Promise<void> => {
    if (!(await view.offer(card))) return agent.decline(card.id)
    const contact = await agent.accept(card.id)
    contact.once('cleared', ({ reason = 'over' }) => view.close(contact.id, reason))
    // It goes on with a colleague, under another id.
    contact.once('transferred', () => view.close(contact.id, 'transferred'))
    // Handlers first, `join` afterwards: nothing that was said before is missed.
    view.open(contact)
    await contact.join()
  }
  // `not_assigned`: a colleague was faster.
  agent.on('distribution', (card) => void take(card).catch(({ code }) => view.close(card.id, String(code))))
  agent.on('withdrawn', ({ id, reason }) => view.close(id, reason))
}

/** Hands a contact to a colleague who is ready, with a note that the visitor never sees. */
export async function handOn(agent: Agent, id: string, note: string): Promise<string | null> {
  const [colleague] = (await agent.colleagues()).filter(({ state }) => state === 'ready')
  return colleague ? agent.transfer(id, { toAgent: colleague.user }, { note }) : null
}
