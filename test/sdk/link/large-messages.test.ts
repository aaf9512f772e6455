/** Messages that a slow line carries for longer than the silence that counts as its end. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Push, Transport, TransportEvent } from '../../../protocol/index.ts'
import { ServiceLink } from '../../../sdk/link/service-link.ts'
import { socketTransport } from '../../../sdk/link/socket-transport.ts'
import { TestClock, settled } from '../../../testing/index.ts'
import { watch } from '../../support/contacts.ts'

/** 96 KiB: 24 s at 32 kbit/s. */
const BYTES = 98_304
const COMING: Push = { name: 'link.coming', body: { bytes: BYTES } }

/** A link whose pushes and answers the test sends. */
async function linked() {
  const clock = new TestClock()
  const answers: ((value: unknown) => void)[] = []
  const tell: { event: (event: TransportEvent) => void } = { event: () => {} }
  let connections = 0
  const transport: Transport = {
    connect: (onEvent) => {
      connections += 1
      tell.event = onEvent
      queueMicrotask(() => onEvent({ type: 'up' }))
      return { call: () => new Promise((resolve) => answers.push(resolve as never)), close: () => {} }
    },
  }
  const link = new ServiceLink({ transport, clock, random: () => 0 })
  link.start()
  await settled()
  const push = (push: Push): void => tell.event({ type: 'push', push })
  return { clock, link, answers, push, seen: () => connections }
}

describe('a call over a line of 32 kbit/s', () => {
  it.each([
    ['announced', true],
    ['not announced', false],
  ])('SND-347 has its answer of 96 KiB where that is %s: %s', async (_how, isAnnounced) => {
    const { clock, link, answers, push } = await linked()
    const call = watch(link.call('agent.contacts', {}))
    if (isAnnounced) push(COMING)
    await clock.advance(24_000)
    answers[0]?.({ records: [] })
    await settled()
    expect(call.result).toEqual(isAnnounced ? { value: { records: [] } } : { code: 'timeout' })
    link.close()
  })

  it('SND-347 sends its arguments of 96 KiB while the service tells that they arrive', async () => {
    const { clock, link, answers, push } = await linked()
    const call = watch(link.call('agent.contacts', {}))
    for (let seconds = 0; seconds < 24; seconds += 3) {
      await clock.advance(3_000)
      push({ name: 'link.arriving', body: {} })
    }
    answers[0]?.({ records: [] })
    await settled()
    expect(call.result).toEqual({ value: { records: [] } })
    link.close()
  })

  it('SND-347 fails where the line dies meanwhile, and once the message is here silence counts again', async () => {
    const { clock, link, push } = await linked()
    const dead = watch(link.call('agent.contacts', {}))
    push(COMING)
    await clock.advance(62_000)
    expect(dead.result).toEqual({ code: 'timeout' })
    const other = watch(link.call('agent.contacts', {}))
    push(COMING)
    push({ name: 'agent.paused', body: { reason: 'expired' } })
    await clock.advance(10_000)
    expect(other.result).toEqual({ code: 'timeout' })
    link.close()
  })
})

describe('a WebSocket', () => {
  /** The service's end of it. */
  class Socket extends EventTarget {
    static last: Socket | null = null
    isClosed = false
    constructor() {
      super()
      Socket.last = this
    }
    send(): void {}
    close(): void {
      this.isClosed = true
    }
    hear(data: string): void {
      this.dispatchEvent(new MessageEvent('message', { data }))
    }
  }

  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  it.each([true, false])('SND-347 stays for a large message that was announced: %s', async (isAnnounced) => {
    const told: TransportEvent[] = []
    const transport = socketTransport({
      ...{ service: 'http://localhost', token: 't', WebSocket: Socket as unknown as typeof WebSocket },
    })
    const connection = transport.connect((event) => void told.push(event))
    await vi.advanceTimersByTimeAsync(0)
    Socket.last?.hear(`0${JSON.stringify({ pingInterval: 3_500, pingTimeout: 10_000 })}`)
    Socket.last?.hear('40{}')
    if (isAnnounced) Socket.last?.hear(`42${JSON.stringify(['link.coming', { bytes: BYTES }])}`)
    await vi.advanceTimersByTimeAsync(24_000)
    expect(told.some(({ type }) => type === 'down')).toBe(!isAnnounced)
    Socket.last?.hear('2')
    await vi.advanceTimersByTimeAsync(13_600)
    expect(told.some(({ type }) => type === 'down')).toBe(true)
    connection.close()
  })
})
