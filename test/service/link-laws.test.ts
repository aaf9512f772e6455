import { afterAll, beforeAll, describe, it } from 'vitest'
import { socketTransport } from '../../sdk/link/socket-transport.ts'
import { describeLink } from '../../testing/index.ts'
import { breakableProxy } from '../support/breakable-proxy.ts'
import { freePort } from '../support/free-port.ts'
import { signInVisitor, startTestService } from '../support/service.ts'
import type { TestService } from '../support/service.ts'

let test: TestService

beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

describeLink(
  'LOG-14 Socket.IO',
  async () => {
    const { token } = await signInVisitor(test.url)
    const proxy = await breakableProxy(test.url)
    return {
      transport: socketTransport({ service: proxy.url, token: () => Promise.resolve(token) }),
      refused: socketTransport({ service: proxy.url, token: () => Promise.resolve('no token') }),
      unreachable: socketTransport({ service: `http://127.0.0.1:${await freePort()}`, token: () => Promise.resolve(token) }),
      cut: () => proxy.cut(),
      end: () => proxy.close(),
    }
  },
  { describe, it, has: ['refused', 'unreachable', 'cut'] },
)
