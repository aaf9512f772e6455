import '../../support/loaded-code.ts'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAgent } from '../../../sdk/agent/index.ts'
import { createClient } from '../../../sdk/index.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import { pageClock } from '../../../sdk/client/clock.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { TestClock } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import { originRule } from '../../../service/src/auth/origins.ts'
import { linkServer } from '../../../service/src/connections/link-server.ts'
import { readOptions } from '../../../service/src/options.ts'
import { next } from '../../support/next-event.ts'
import { oldProxy } from '../../support/old-proxy.ts'
import { signInAgent, signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient } from '../../support/wire-client.ts'

let test: TestService

beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })

/** The answer to a request for a WebSocket. */
const upgrade = (url: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const key = Buffer.alloc(16, 1).toString('base64')
    const asked = request(url, {
      headers: {
        ...headers,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': key,
      },
    })
    asked.on('response', (response) => resolve(response.resume().statusCode ?? 0))
    asked.on('upgrade', (response, socket) => {
      socket.destroy()
      resolve(response.statusCode ?? 0)
    })
    asked.on('error', reject).end()
  })

/** What somebody is answered who knows the id of a connection: to a poll, to a message, to an upgrade. */
async function steal(sid: string, headers: Record<string, string>): Promise<number[]> {
  const url = `${test.url}/v1/link/?EIO=4&sid=${sid}&transport=`
  const polled = await fetch(`${url}polling`, { headers })
  const posted = await fetch(`${url}polling`, { method: 'POST', headers, body: '41' })
  return [polled.status, posted.status, await upgrade(`${url}websocket`, headers)]
}

describe('long polling', () => {
  it.each([
    { opened: 'with its token', thief: 'with the token of another', own: true, other: true },
    { opened: 'with its token', thief: 'without one', own: true, other: false },
    { opened: 'without one', thief: 'with the token of another', own: false, other: true },
  ])('SRV-3 the id of a connection that was opened $opened is of no use $thief', async ({ own, other }) => {
    const [{ token }, thief] = [await signInVisitor(test.url), await signInVisitor(test.url)]
    const client = await WireClient.connect(test.url, token, {
      transports: ['polling'],
      headers: own ? bearer(token) : {},
    })
    expect(await steal(client.socket.io.engine.id, other ? bearer(thief.token) : {})).toEqual([400, 400, 400])
    expect(await client.call('ice.servers', {})).toMatchObject({ expiresInMs: 600_000 })
    client.close()
  })

  it('SND-109 SRV-3 nor where a request names it beside another', async () => {
    const [{ token }, thief] = [await signInVisitor(test.url), await signInVisitor(test.url)]
    const client = await WireClient.connect(test.url, token, {
      transports: ['polling'],
      headers: bearer(token),
    })
    const { id } = client.socket.io.engine
    const other = await WireClient.connect(test.url, thief.token, {
      transports: ['polling'],
      headers: bearer(thief.token),
    })
    for (const sid of [
      `x&sid=${id}`,
      `${id}&sid=x`,
      `${other.socket.io.engine.id}&sid=${id}`,
      `&sid=${id}`,
      `x&s%69d=${id}`,
      `${id}&%73id=${id}`,
      `${id}&transport=polling`,
    ])
      for (const headers of [{}, bearer(thief.token)])
        expect(await steal(sid, headers), sid).toEqual([400, 400, 400])
    expect(await client.call('ice.servers', {})).toMatchObject({ expiresInMs: 600_000 })
    client.close()
    other.close()
  })

  it('SRV-3 behind a proxy without WebSockets both sides write, and who reads its log of addresses hears nothing', async () => {
    const proxy = await oldProxy(test.url)
    const { token } = await signInAgent(test.url, 'Ada')
    const agent = createAgent({ service: proxy.url, token })
    const client = createClient({ service: proxy.url, storage: memoryStore() })
    const offered = new Promise<string>((resolve) => agent.once('distribution', ({ id }) => resolve(id)))
    await agent.ready()
    const visitor = await client.createContact({ nick: 'Vera' })
    const contact = await agent.accept(await offered)
    const joined = next(visitor, 'joined')
    await contact.join()
    await joined
    expect(proxy.ids.size).toBe(2)
    for (const sid of proxy.ids) expect(await steal(sid, {})).toEqual([400, 400, 400])
    const [there, back] = [next(contact, 'text'), next(visitor, 'text')]
    await visitor.sendText('hello')
    await contact.sendText('good day')
    expect([(await there).text, (await back).text]).toEqual(['hello', 'good day'])
    await visitor.leave()
    await agent.close()
    await client.close()
    await proxy.close()
  })

  it('SND-309 RES-5 a page that is loaded anew has its slot at once, also where the goodbye of the earlier one was lost on the way', async () => {
    const proxy = await oldProxy(test.url)
    const [store, tab] = [memoryStore(), memoryStore()]
    const hides: (() => void)[] = []
    const page = (): VisitorClient =>
      new VisitorClient(
        { service: proxy.url },
        {
          ...testEnvironment(new TestClock()),
          clock: pageClock,
          random: Math.random,
          store,
          tab,
          onWake: (_wake, hide) => (hides.push(hide), () => {}),
        },
      )
    const first = page()
    const { id } = await first.createContact()
    proxy.lose()
    for (const hide of hides) hide()
    const second = page()
    const { contact } = await second.resumeContact()
    expect([contact?.id, contact?.mediaState]).toEqual([id, 'idle'])
    expect(contact?.data().channels.vvcu).toBe(2)
    await contact?.leave()
    await Promise.all([first.close(), second.close()])
    await proxy.close()
  })
})

describe('long polling among several nodes', () => {
  /** What a link that is made so answers to a poll, and to a request for a WebSocket. */
  const greeting = async (options: { polling: boolean; nodeName: string | null }) => {
    const http = createServer()
    const io = linkServer(http, { origins: originRule({ origins: [], loopback: true }), ...options })
    await new Promise<void>((settle) => http.listen(0, '127.0.0.1', settle))
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1/link/?EIO=4&transport=`
    const polled = await fetch(`${url}polling`)
    const answer = [polled.status, await polled.text()] as const
    const opened = await upgrade(`${url}websocket`, {})
    await io.close()
    return { answer, opened }
  }

  it('CLU-98 is refused where it is off; a WebSocket gets through', async () => {
    const { answer, opened } = await greeting({ polling: false, nodeName: null })
    expect([answer[0], opened]).toEqual([400, 101])
  })

  it('CLU-98 the option: off with --bus, on with --polling and for a single node', () => {
    const polling = (...args: string[]) => readOptions(args, {})?.polling
    expect([polling(), polling('--bus', 'nats://a'), polling('--bus', 'nats://a', '--polling')]).toEqual([
      ...[true, false, true],
    ])
    expect(readOptions(['--node-name', 'berlin-1'], {})?.nodeName).toBe('berlin-1')
    expect(() => readOptions(['--node-name', 'a.b'], {})).toThrow('--node-name must be')
  })

  it('CLU-98 the id of a connection begins with the name of its node, which a single node does not tell', async () => {
    const named = await greeting({ polling: true, nodeName: 'berlin-1' })
    expect(named.answer).toEqual([200, expect.stringMatching(/"sid":"berlin-1\.[\w-]{20}"/)])
    const { answer } = await greeting({ polling: true, nodeName: null })
    expect(answer).toEqual([200, expect.stringMatching(/"sid":"[\w-]{20}"/)])
  })
})
