import { EventEmitter } from 'node:events'
import { Agent, request } from 'node:http'
import type { Socket } from 'socket.io'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { countArrivingBytes } from '../../../service/src/connections/arriving-bytes.ts'
import { signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

let test: TestService
beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

/** One TCP connection, as a reverse proxy with upstream keep-alive uses it for many pages. */
const proxyLine = (): Agent => new Agent({ keepAlive: true, maxSockets: 1 })

function answerTo(agent: Agent, path: string, body?: string): Promise<string> {
  return new Promise((settle, fail) => {
    const asked = request(`${test.url}${path}`, {
      agent,
      method: body === undefined ? 'GET' : 'POST',
      headers: body === undefined ? {} : { 'content-type': 'text/plain;charset=UTF-8' },
    })
    asked.on('response', (response) => {
      let text = ''
      response.on('data', (part: Buffer) => (text += String(part)))
      response.on('end', () => settle(text))
    })
    asked.on('error', fail)
    asked.end(body)
  })
}
const at = (sid?: string) => `/v1/link/?EIO=4&transport=polling${sid ? `&sid=${sid}` : ''}`

async function openPolling(agent: Agent): Promise<string> {
  const { token } = await signInVisitor(test.url)
  const { sid } = JSON.parse((await answerTo(agent, at())).slice(1)) as { sid: string }
  await answerTo(agent, at(sid), `40${JSON.stringify({ token, protocol: '1.1' })}`)
  expect(await answerTo(agent, at(sid))).toMatch(/^40/)
  return sid
}

/** A connection of Engine.IO whose timeout counts how often it was put off. */
function fakeConnection(transport: object) {
  let signs = 0
  const tcp = new EventEmitter()
  const conn = Object.assign(new EventEmitter(), {
    ...{ transport, request: { socket: tcp } },
    pingTimeoutTimer: { refresh: () => void (signs += 1) },
  })
  countArrivingBytes({ conn } as unknown as Socket)
  return { conn, tcp, signs: () => signs }
}

it('SND-303 bytes of other requests on the TCP connection of a long poller are no sign of life of its page', () => {
  const { tcp, signs } = fakeConnection({ onRequest: () => {} })
  tcp.emit('data', Buffer.alloc(1))
  expect([signs(), tcp.listenerCount('data')]).toEqual([0, 0])
})

it('SND-303 bytes of a message that a long poller sends are a sign of life, on whichever TCP connection they come', () => {
  const passed: unknown[] = []
  const transport = { onRequest: (asked: unknown) => void passed.push(asked) }
  const { signs } = fakeConnection(transport)
  const [post, poll] = ['POST', 'GET'].map((method) => Object.assign(new EventEmitter(), { method }))
  transport.onRequest(post)
  transport.onRequest(poll)
  post?.emit('data', Buffer.alloc(1))
  post?.emit('data', Buffer.alloc(1))
  expect([signs(), passed, poll?.listenerCount('data')]).toEqual([2, [post, poll], 0])
})

it('SND-303 after an upgrade the bytes of the WebSocket are a sign of life, until it closes', () => {
  const { conn, signs } = fakeConnection({ onRequest: () => {} })
  const tcp = new EventEmitter()
  const webSocket = Object.assign(new EventEmitter(), { socket: { _socket: tcp } })
  conn.emit('upgrade', webSocket)
  tcp.emit('data', Buffer.alloc(1))
  webSocket.emit('close')
  expect([signs(), tcp.listenerCount('data')]).toEqual([1, 0])
})

it('SND-306 long pollers that have ended leave nothing on the TCP connection that they came over', async () => {
  const agent = proxyLine()
  const warnings: string[] = []
  const heard = (warning: Error): void => void warnings.push(warning.message)
  process.on('warning', heard)
  for (let count = 0; count < 12; count += 1) await answerTo(agent, at(await openPolling(agent)), '1')
  // A warning is emitted on the next tick.
  await new Promise((settle) => setImmediate(settle))
  process.off('warning', heard)
  expect(warnings).toEqual([])
  agent.destroy()
})

it('SND-303 a message of a long poller arrives whole, though its bytes are counted', async () => {
  const agent = proxyLine()
  const sid = await openPolling(agent)
  const call = [
    'contact.create',
    { request: 'one', contact: { visit: { page: 'x'.repeat(2_000) }, data: [] } },
  ]
  expect(await answerTo(agent, at(sid), `421${JSON.stringify(call)}`)).toBe('ok')
  expect(await answerTo(agent, at(sid))).toMatch(/^431\[\{"ok":/)
  await answerTo(agent, at(sid), '1')
  agent.destroy()
})
