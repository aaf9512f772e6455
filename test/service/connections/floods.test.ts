import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONTACT_LIMITS } from '../../../service/src/contacts/index.ts'
import { joinBoth, queueVisitor } from '../../support/parties.ts'
import { signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

const faults: unknown[] = []
let test: TestService
let port = 0

beforeAll(async () => {
  test = await startTestService(
    { maxConnections: 1_000 },
    { report: { info: () => {}, fault: (thrown) => faults.push(thrown) } },
  )
  port = Number(new URL(test.url).port)
})
afterAll(() => test.close())

interface Raw {
  readonly socket: Socket
  readonly closed: Promise<number>
  /** After so many milliseconds the service closed it, or said goodbye on its WebSocket (RFC 6455, 5.5.1). */
  readonly ended: Promise<number>
  text: string
}

/** A TCP connection to the service that says what it is told. */
async function raw(first: string | Buffer = ''): Promise<Raw> {
  const socket = connect(port, '127.0.0.1')
  const start = performance.now()
  const passed = (): number => performance.now() - start
  const closed = new Promise<number>((settle) => socket.once('close', () => settle(passed())))
  const goodbye = new Promise<number>((settle) =>
    socket.on('data', (data) => data.includes(0x88) && settle(passed())),
  )
  const found: Raw = { socket, text: '', closed, ended: Promise.race([closed, goodbye]) }
  socket.on('error', () => {})
  socket.on('data', (data) => (found.text += data.toString('latin1')))
  await new Promise((settle) => {
    socket.once('connect', settle)
    socket.once('close', settle)
  })
  if (first.length > 0) socket.write(first)
  return found
}

const REQUEST = 'GET /v1/openapi.json HTTP/1.1\r\nHost: x\r\n'
const UPGRADE =
  'GET /v1/link/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n'

/** One WebSocket frame as a client masks it (RFC 6455, 5.2). */
function frame(payload: string | Buffer, { opcode = 1, fin = true, mask = true, rsv = 0 } = {}): Buffer {
  const bytes = Buffer.from(payload)
  const head = Buffer.from([
    (fin ? 0x80 : 0) | rsv | opcode,
    (mask ? 0x80 : 0) | (bytes.length < 126 ? bytes.length : 126),
  ])
  const length = bytes.length < 126 ? Buffer.alloc(0) : Buffer.from([bytes.length >> 8, bytes.length & 0xff])
  return Buffer.concat([head, length, mask ? Buffer.alloc(4) : Buffer.alloc(0), bytes])
}

/** A connection whose WebSocket is open, below Socket.IO. */
async function opened(): Promise<Raw> {
  const found = await raw(UPGRADE)
  while (!found.text.includes('"sid"') && !found.socket.destroyed)
    await new Promise((settle) => found.socket.once('data', settle))
  return found
}

const many = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)))

/**
 * How long visitors take to enter the queue while this goes on, milliseconds: the slowest of twenty but one.
 */
async function joining(): Promise<number> {
  const times: number[] = []
  for (let count = 0; count < 20; count += 1) {
    const start = performance.now()
    const { client } = await queueVisitor(test)
    times.push(performance.now() - start)
    client.close()
  }
  return times.toSorted((a, b) => a - b)[18] ?? Number.POSITIVE_INFINITY
}

async function expectServed(): Promise<void> {
  const { visitor, agent, id } = await joinBoth(test)
  await visitor.session.text('still there')
  await agent.client.entry(id, 'text')
  expect(faults).toEqual([])
  for (const { client } of [visitor, agent]) client.close()
}

describe('those who only hold connections', () => {
  it(
    'SRV-22 RES-4 dribbling, silent, half-open and half-signed-in connections are ended, and delay nobody',
    { timeout: 60_000 },
    async () => {
      const { token } = await signInVisitor(test.url)
      const undisturbed = await joining()
      const dribbling = await many(200, () => raw(REQUEST))
      const dribble = setInterval(
        () =>
          dribbling.forEach(
            ({ socket }, index) => socket.writable && socket.write(index % 2 ? 'X' : 'X: y\r\n'),
          ),
        1_000,
      )
      const silent = await many(100, () => raw())
      const halfSignedIn = await many(50, () => opened())
      const halfOpen = await many(50, async () => {
        const found = await opened()
        found.socket.write(frame(`40{"token":"${token}","protocol":"1.0"}`))
        return found
      })
      const p95 = await joining()
      const slowest = async (lines: readonly Raw[]): Promise<number> =>
        Math.max(...(await Promise.all(lines.map(({ ended }) => ended))))
      const times = await Promise.all([dribbling, silent, halfSignedIn, halfOpen].map(slowest))
      clearInterval(dribble)
      // On a machine that is slow by itself, that counts: others must not take three times as long because of
      // the flood.
      expect(p95).toBeLessThan(Math.max(1_000, 3 * undisturbed))
      expect(Math.max(...times)).toBeLessThan(25_000)
      expect(Math.min(...(await Promise.all(halfOpen.map(({ ended }) => ended))))).toBeGreaterThan(13_000)
      expect(CONTACT_LIMITS.graceMs).toBe(60_000)
      for (const { socket } of [...halfSignedIn, ...halfOpen]) socket.destroy()
      await expectServed()
    },
  )

  it('SRV-22 a connection ends when its party signs out of it, though it goes on to answer pings', async () => {
    const { token } = await signInVisitor(test.url)
    const { socket, ended } = await opened()
    let heard = ''
    const admitted = new Promise<void>((settle) =>
      socket.on('data', (data) => {
        heard += data.toString('latin1')
        if (heard.includes('40{')) settle()
        if (data.toString('latin1').endsWith('\u00012')) socket.write(frame('3'))
      }),
    )
    socket.write(frame(`40${JSON.stringify({ token, protocol: '1.0' })}`))
    await admitted
    socket.write(frame('41'))
    await ended
    socket.destroy()
  })

  it('SRV-22 more connections than the service may have are closed at once, and those that are open go on', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    const flood = await many(1_200, () => raw())
    await new Promise<void>((settle) => {
      let refused = 0
      for (const { closed } of flood) void closed.then(() => (refused += 1) === 150 && settle())
    })
    await visitor.session.text('in the flood')
    await agent.client.entry(id, 'text')
    for (const { socket } of flood) socket.destroy()
    await Promise.all(flood.map(({ closed }) => closed))
    await expectServed()
  })
})

describe('bytes that are not of the protocol', () => {
  const SPOILT: readonly [string, () => Buffer][] = [
    [
      'hundreds of thousands of empty frames',
      () => Buffer.concat(Array.from({ length: 200_000 }, () => frame(''))),
    ],
    [
      'tiny fragments without an end',
      () =>
        Buffer.concat([
          frame('4', { fin: false }),
          ...Array.from({ length: 100_000 }, () => frame('2', { opcode: 0, fin: false })),
        ]),
    ],
    ['a frame that is not masked', () => frame('2probe', { mask: false })],
    ['compressed bits that were never agreed on', () => frame('4x', { rsv: 0x40 })],
    ['an unknown kind of frame', () => frame('4x', { opcode: 11 })],
    ['a continuation of nothing', () => frame('4x', { opcode: 0 })],
    [
      'a length of 2^63',
      () => Buffer.from([0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]),
    ],
    ['bytes that are no UTF-8', () => frame(Buffer.from([0x34, 0xc3, 0x28, 0xff]))],
    ['a long control frame', () => frame('x'.repeat(126), { opcode: 9 })],
    [
      'a storm of pings',
      () => Buffer.concat(Array.from({ length: 50_000 }, () => frame('x', { opcode: 9 }))),
    ],
    [
      'more attachments than there are numbers',
      () => frame('451999999999999-["x",{"_placeholder":true,"num":0}]'),
    ],
    [
      'attachments that never come',
      () => Buffer.concat([frame('40'), frame('452-["x",{"_placeholder":true,"num":0}]')]),
    ],
  ]

  it.each(SPOILT)('SRV-6 SRV-22 %s', async (_name, make) => {
    for (let count = 0; count < 3; count += 1) {
      const found = await opened()
      found.socket.write(Buffer.concat([make(), frame('2')]))
      await new Promise((settle) =>
        found.socket.once('drain', settle).once('close', settle).once('data', settle),
      )
      found.socket.destroy()
      await found.closed
    }
    await expectServed()
  })

  it(
    'SRV-6 SRV-22 10,000 packets of random bytes, before and after the upgrade',
    { timeout: 60_000 },
    async () => {
      for (let round = 0; round < 100; round += 1) {
        const lines = await many(5, (index) => (index % 2 === 0 ? raw() : opened()))
        for (let packet = 0; packet < 20; packet += 1)
          for (const { socket } of lines)
            if (socket.writable) socket.write(randomBytes(1 + ((packet * 37) % 400)))
        for (const { socket } of lines) socket.destroy()
      }
      await expectServed()
    },
  )

  it.each([
    ['5,000 headers', `${REQUEST}${'Header: b\r\n'.repeat(5_000)}\r\n`, 431],
    ['a header of 1 MB', `${REQUEST}A: ${'x'.repeat(1_048_576)}\r\n\r\n`, 431],
    ['an address of 100 KB', `GET /${'x'.repeat(102_400)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    [
      'two lengths',
      'POST /v1/visitors HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
      400,
    ],
    [
      'a length and chunks',
      'POST /v1/visitors HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'a body that is too large',
      `POST /v1/visitors/refresh HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n`,
      413,
    ],
    [
      'a compressed body',
      'POST /v1/visitors/refresh HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\u001f\u008b\u0008',
      400,
    ],
  ])('SRV-6 SRV-22 a request with %s is refused', async (_name, request, status) => {
    const found = await raw(request)
    while (!found.text.includes('\r\n') && !found.socket.destroyed)
      await new Promise((settle) => found.socket.once('data', settle).once('close', settle))
    expect(Number(found.text.split(' ')[1])).toBe(status)
    found.socket.destroy()
  })
})
