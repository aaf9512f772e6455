import { createClient } from 'duolog'
import { createAgent } from 'duolog/agent'
import type { Agent } from 'duolog/agent'
import { MemoryService, TestClock } from 'duolog/testing'
import { openDesk } from '../agent-desk.ts'

/** Nothing is kept: the next run begins anew. */
const storage = { getItem: () => null, setItem: () => {}, removeItem: () => {} }

/** An agent who takes every contact, answers, and leaves when the visitor has left for good. Resolves at its end. */
const serve = (agent: Agent, print: (who: string, line: string) => void): Promise<void> =>
  new Promise((resolve) =>
    openDesk(agent, {
      offer: ({ nick }) => {
        print('agent', `${nick} asks`)
        return Promise.resolve(true)
      },
      open: (contact) => {
        contact.on('text', ({ text }) => {
          print('agent', text)
          void contact.sendText('Hello Robin')
        })
        // A page that is loaded anew leaves, too, and one whose network is lost does with the reason `timeout`.
        contact.on('left', ({ channels, reason }) => {
          if (channels.vvcu === 0 && reason !== 'timeout') void contact.leave()
        })
      },
      close: (_id, why) => {
        print('agent', `over: ${why}`)
        resolve()
      },
    }),
  )

/** A visitor asks; an agent who is ready takes the contact and answers. */
export async function run(print: (who: string, line: string) => void): Promise<void> {
  const clock = new TestClock()
  const memory = new MemoryService(clock)
  const page = { service: 'http://localhost', clock }
  const agent = createAgent({
    ...page,
    token: 'in memory',
    transport: memory.transport({ slot: 'agent', id: 'agent-1', nick: 'Ada' }),
  })
  const over = serve(agent, print)
  await agent.ready({ capacity: 3 })
  const client = createClient({
    ...page,
    storage,
    transport: memory.transport({ slot: 'visitor', id: 'visitor-1' }),
  })
  const contact = await client.createContact({ nick: 'Robin' })
  const answer = new Promise<string>((resolve) => contact.once('text', ({ text }) => resolve(text)))
  await contact.sendText('Good morning')
  print('visitor', await answer)
  await contact.leave()
  await over
  await Promise.all([client.close(), agent.close()])
}
