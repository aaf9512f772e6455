import { afterAll, beforeAll, describe, it } from 'vitest'
import { agentMessages } from '../../../protocol/index.ts'
import { socketTransport } from '../../../sdk/link/socket-transport.ts'
import { describeService } from '../../../testing/index.ts'
import { signInAgent, signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

let test: TestService

beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

/**
 * The one real service: agents of earlier laws are gone with their connections, contacts of theirs are put
 * out of the way.
 */
async function service() {
  await test.service.database.pool.query(
    `update contacts set waiting = false, life = 'cleared', agent = null`,
  )
  return {
    visitor: async () => {
      const { token } = await signInVisitor(test.url)
      return socketTransport({ service: test.url, token: () => Promise.resolve(token) })
    },
    agent: async (nick: string) => {
      const { token } = await signInAgent(test.url, nick)
      return socketTransport({
        ...{ service: test.url, messages: agentMessages },
        token: () => Promise.resolve(token),
      })
    },
    advance: (ms: number) => test.clock.advance(ms),
  }
}

describeService('PKG-13 the contact service', service, { describe, it, hasTime: true })
