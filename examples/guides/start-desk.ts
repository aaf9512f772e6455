import { createAgent } from 'duolog/agent'
import { openDesk } from './agent-desk.ts'
import type { DeskView } from './agent-desk.ts'

/** Signs in, and takes up to three contacts at a time. */
export async function startDesk(service: string, token: () => Promise<string>, view: DeskView) {
  const agent = createAgent({ service, token })
  openDesk(agent, view)
  await agent.ready({ capacity: 3, media: { Voice: true, Video: false }, tags: ['orders'] })
  window.addEventListener('pagehide', () => void agent.close())
  return agent
}
