import { describe, expect, it } from 'vitest'
import type { EngineHost } from '../../../engines/index.ts'
import { NativeEngine } from '../../../engines/index.ts'
import { FakeDevices, FakeEngine, settled } from '../../../testing/index.ts'
import { CALL, joined, record, watch } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

/** A world whose pages have one engine for calls each, those made so far, and the devices of all. */
function worldOf() {
  const devices = new FakeDevices()
  const made: FakeEngine[] = []
  const world = new World({
    engines: () => {
      const engine = new FakeEngine({ id: 'WebRTC', media: ['Voice', 'Video', 'Screen'], devices })
      made.push(engine)
      return [new NativeEngine(), engine]
    },
  })
  return { world, made, devices }
}

/** Whose attaching the test ends. */
class SlowEngine extends FakeEngine {
  readonly #attached: Promise<void>
  isThere: () => void = () => {}

  constructor() {
    super({ id: 'Acme', media: ['Whiteboard'], via: 'acme' })
    this.#attached = new Promise((resolve) => (this.isThere = resolve))
  }

  override attach(host: EngineHost): void {
    super.attach(host)
    return this.#attached as unknown as void
  }
}

describe('engines are stopped with the page’s part in the contact', () => {
  it.each([
    ['declines it', (desk, id) => desk.decline(id)],
    ['hands it on', (desk, id) => desk.transfer(id, { toAgent: 'agent-2' })],
    ['closes the console', (desk) => desk.close()],
  ] as readonly [string, (desk: ReturnType<World['agent']>['client'], id: string) => Promise<unknown>][])(
    'SND-304 also where the agent %s before joining: a camera of a preview goes off',
    async (_name, end) => {
      const { world, devices } = worldOf()
      const visitor = await world.visitor().client.createContact()
      const desk = world.agent().client
      const contact = await desk.accept(visitor.id)
      await contact.getMediaEngine('WebRTC')?.prepare({ Video: CALL })
      expect(devices.inUse).toEqual(['Video'])
      await end(desk, visitor.id)
      await settled()
      expect(devices.inUse).toEqual([])
    },
  )

  it('SND-304 also where the contact could not be entered', async () => {
    const { world, made } = worldOf()
    world.link.faults = { onMessage: (_party, name) => (name === 'contact.open' ? 'drop' : 'pass') }
    const creating = watch(world.visitor().client.createContact())
    await world.clock.advance(60_000)
    expect(creating.result).toEqual({ code: 'offline' })
    expect(made.map(({ calls }) => calls.includes('stop'))).toEqual([true])
  })

  it('SND-304 one that is still being attached is stopped, and never is there', async () => {
    const pair = await joined()
    const engine = new SlowEngine()
    const registering = watch(pair.visitor.registerMediaEngine(engine))
    await settled()
    const told = record(pair.visitor, 'localcapabilities')
    await pair.visitor.leave()
    await settled()
    engine.isThere()
    await settled()
    expect([engine.calls, registering.result, told]).toEqual([['stop'], { code: 'left' }, []])
    expect(pair.visitor.getMediaEngine('Acme')).toBe(undefined)
    await pair.agent.leave()
    expect(pair.clock.pending).toBe(0)
  })

  it('SND-304 one that is attached while the page leaves is stopped as well', async () => {
    const pair = await joined()
    const engine = new SlowEngine()
    const registering = watch(pair.visitor.registerMediaEngine(engine))
    await settled()
    pair.link.faults = { onMessage: (_party, name) => (name === 'contact.leave' ? 'drop' : 'pass') }
    const leaving = watch(pair.visitor.leave())
    await settled()
    engine.isThere()
    await pair.clock.advance(20_000)
    expect([leaving.result, registering.result]).toEqual([{ value: undefined }, { code: 'left' }])
    expect(engine.calls).toContain('stop')
  })
})
