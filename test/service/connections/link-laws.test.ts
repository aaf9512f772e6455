import { afterAll, beforeAll, describe, it } from 'vitest'
import { WebSocket as NodeSocket } from 'ws'
import { socketTransport } from '../../../sdk/link/socket-transport.ts'
import { describeLink } from '../../../testing/index.ts'
import { breakableProxy } from '../../support/breakable-proxy.ts'
import { freePort } from '../../support/free-port.ts'
import { oldProxy } from '../../support/old-proxy.ts'
import { signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

let test: TestService

beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

const POLLING = 'long polling'
const WAYS = {
  'a WebSocket': { WebSocket: NodeSocket as unknown as typeof WebSocket },
  [POLLING]: { WebSocket: null },
  'what Node has': {},
}

for (const [name, way] of Object.entries(WAYS)) {
  describeLink(
    `LOG-14 Socket.IO over ${name}`,
    async () => {
      const { token } = await signInVisitor(test.url)
      const proxy = await (name === POLLING ? oldProxy : breakableProxy)(test.url)
      return {
        transport: socketTransport({ ...way, service: proxy.url, token: () => Promise.resolve(token) }),
        refused: socketTransport({ ...way, service: proxy.url, token: () => Promise.resolve('no token') }),
        unreachable: socketTransport({
          ...way,
          service: `http://127.0.0.1:${await freePort()}`,
          token: () => Promise.resolve(token),
        }),
        cut: () => proxy.cut(),
        end: () => proxy.close(),
      }
    },
    { describe, it, has: ['refused', 'unreachable', 'cut'] },
  )
}
