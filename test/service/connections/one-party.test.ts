import { Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

let test: TestService
beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

const metric = async (name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await (await fetch(`${test.url}/metrics`)).text())?.[1])

/**
 * Sends the sign-ins at once over one connection: in one write, as what comes after the first has been admitted
 * ends the connection. Returns the packets that answer them.
 */
async function signIns(tokens: readonly string[]) {
  const line = new Socket()
  const url = new URL(test.url)
  const socket = new WebSocket(`ws://${url.host}/v1/link/?EIO=4&transport=websocket`, {
    createConnection: () => line.connect(Number(url.port), url.hostname),
  })
  const packets: string[] = []
  await new Promise((settle) => socket.once('message', settle))
  const all = new Promise<void>((settle) => {
    socket.on('close', () => settle())
    socket.on('message', (data: Buffer) => {
      const packet = String(data)
      if (packet.startsWith('4')) packets.push(packet.slice(0, 2))
      if (packets.length === tokens.length) settle()
    })
  })
  line.cork()
  for (const token of tokens) socket.send(`40${JSON.stringify({ token, protocol: '1.1' })}`)
  line.uncork()
  await all
  return { packets, close: () => socket.terminate() }
}

it('SND-306 one connection is one party: of several sign-ins at once one is admitted', async () => {
  const { token } = await signInVisitor(test.url)
  const warnings: string[] = []
  const heard = (warning: Error): void => void warnings.push(warning.message)
  process.on('warning', heard)
  const { packets, close } = await signIns(Array.from({ length: 20 }, () => token))
  process.off('warning', heard)
  expect([packets.filter((packet) => packet === '40').length, packets.length]).toEqual([1, 20])
  expect([await metric('duolog_connections'), warnings]).toEqual([1, []])
  close()
})

it('SND-306 after a refused sign-in another one is admitted over the same connection', async () => {
  const { token } = await signInVisitor(test.url)
  const socket = new WebSocket(`${test.url.replace('http', 'ws')}/v1/link/?EIO=4&transport=websocket`)
  const next = (): Promise<string> =>
    new Promise((settle) => socket.once('message', (data: Buffer) => settle(String(data).slice(0, 2))))
  await next()
  const answers: string[] = []
  for (const auth of ['none', token]) {
    const answer = next()
    socket.send(`40${JSON.stringify({ token: auth, protocol: '1.1' })}`)
    answers.push(await answer)
  }
  expect(answers).toEqual(['44', '40'])
  socket.terminate()
})
