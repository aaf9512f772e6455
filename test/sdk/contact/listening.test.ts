import { describe, expect, it } from 'vitest'
import { createTestContact, settled } from '../../../testing/index.ts'
import { World } from '../../support/world.ts'

type Listen = (
  name: string,
  handler: (event: never) => void,
  options?: { readonly signal?: AbortSignal },
) => () => void

/** Whatever handlers can be given to, with a name that nothing emits by itself and a way to emit it. */
async function sources() {
  const { visitor, agent } = await createTestContact()
  const channel = await visitor.getDataChannel('pointer', 'sio')
  const remote = await agent.getDataChannel('pointer', 'sio')
  const page = new World().agent()
  const emitted = {
    contact: async () => void (await agent.sendText('x')),
    channel: () => remote.send(1, 'moved'),
    agent: () => page.client.ready(),
  }
  const of = (source: { on: unknown; once: unknown }) => ({
    on: (source.on as Listen).bind(source),
    once: (source.once as Listen).bind(source),
  })
  return [
    { ...of(visitor), name: 'text', emit: emitted.contact },
    { ...of(channel), name: 'moved', emit: emitted.channel },
    { ...of(page.client), name: 'connection', emit: emitted.agent },
  ]
}

/** A signal that counts its listeners. */
function counted(): {
  readonly signal: AbortSignal
  readonly abort: () => void
  readonly listeners: () => number
} {
  const controller = new AbortController()
  let count = 0
  const { signal } = controller
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)]
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    count++
    add(...args)
  }
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    count--
    remove(...args)
  }
  return { signal, abort: () => controller.abort(), listeners: () => count }
}

describe('listening', () => {
  it('SND-313 on and once give a function that takes just their handler off, on contacts, channels and agents', async () => {
    for (const { on, once, name, emit } of await sources()) {
      const told: string[] = []
      const handler = (): void => void told.push('twice')
      const stops = [on(name, handler), on(name, handler), once(name, () => void told.push('once'))]
      on(name, () => void told.push('kept'))
      stops[0]?.()
      stops[0]?.()
      stops[2]?.()
      await emit()
      await settled()
      const heard = told.filter((each) => each === 'twice').length
      expect(
        [heard > 0, told.filter((each) => each === 'kept').length === heard, told.includes('once')],
        name,
      ).toEqual([true, true, false])
      stops[1]?.()
    }
  })

  it('SND-313 an aborted signal takes its handlers off, at once and before; none of them stays on the signal', async () => {
    for (const { on, once, name, emit } of await sources()) {
      const told: string[] = []
      const [view, over] = [counted(), counted()]
      over.abort()
      on(name, () => void told.push('on'), { signal: view.signal })
      once(name, () => void told.push('once'), { signal: view.signal })
      on(name, () => void told.push('over'), { signal: over.signal })
      const stop = on(name, () => void told.push('stopped'), { signal: view.signal })
      // One for all handlers of a signal.
      expect([view.listeners(), over.listeners()]).toEqual([1, 0])
      stop()
      view.abort()
      expect(view.listeners()).toBe(0)
      await emit()
      await settled()
      expect(told, name).toEqual([])
    }
  })

  it('SND-313 a handler that one before it takes off is not called any more', async () => {
    const { visitor, agent } = await createTestContact()
    const told: string[] = []
    visitor.on('text', () => stop())
    const stop = visitor.on('text', () => void told.push('text'))
    await agent.sendText('x')
    await settled()
    expect(told).toEqual([])
  })

  it('SND-313 off and once leave nothing on a signal, which is an AbortSignal or refused', async () => {
    const { visitor, agent } = await createTestContact()
    const { signal, listeners } = counted()
    const handler = (): void => {}
    visitor.on('text', handler, { signal })
    visitor.on('text', handler, { signal })
    visitor.once('text', () => {}, { signal })
    visitor.off('text', handler)
    expect(listeners()).toBe(1)
    await agent.sendText('x')
    await settled()
    expect(listeners()).toBe(1)
    visitor.off('text')
    expect(listeners()).toBe(0)
    const trap = Object.defineProperty({}, 'signal', { get: () => expect.fail('a trap') })
    for (const options of [{ signal: 'x' }, { signal: null }, trap]) {
      expect(() => visitor.on('text', handler, options as never)).toThrowError(
        expect.objectContaining({ code: 'invalid_argument' }),
      )
    }
    expect(() => visitor.on('text', handler, null as never)).not.toThrow()
  })
})
