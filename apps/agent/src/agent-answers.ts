/** What the service says to an agent, however often it has to be asked. */
import type { Agent } from 'duolog/agent'
import type { Contact } from 'duolog'
import { isUndecided, untilDecided, within } from '../../ui/src/index.ts'

export interface Asked {
  readonly agent: Agent
  /** Aborted when the agent signs out. */
  readonly signal: AbortSignal
  /** Told of each time that nothing was decided. */
  readonly onUndecided: (thrown: unknown) => void
}

/** Asks until the service decides, at once when there is a connection. */
export const untilTold = <T>(ask: () => Promise<T>, { agent, signal, onUndecided }: Asked): Promise<T> =>
  untilDecided(ask, {
    signal,
    onUndecided,
    onBack: (wake, until) =>
      void agent.on('connection', ({ state }) => state === 'online' && wake(), { signal: until }),
  })

/** Accepts a contact: also one whose acceptance has failed, where the service has it with this agent. */
export async function accepted(id: string, asked: Asked): Promise<Contact> {
  const { agent, signal } = asked
  try {
    return await agent.accept(id)
  } catch (thrown) {
    if (signal.aborted || !isUndecided(thrown)) throw thrown
    const contacts = await untilTold(() => agent.contacts(), asked)
    const contact = contacts.find((one) => one.id === id)
    if (!contact) throw thrown
    return contact
  }
}

const PAUSE_LIMIT_MS = 2_000

/** The agent takes no more contacts and goes; the service is not waited for long, nor where `next` resolves. */
export async function farewell(agent: Agent, next: Promise<void>): Promise<void> {
  const paused = within(PAUSE_LIMIT_MS, () => agent.pause())
  await Promise.race([paused.catch(() => undefined), next])
  await agent.close()
}
