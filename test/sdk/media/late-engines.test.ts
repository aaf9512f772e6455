import { afterEach, describe, expect, it, vi } from 'vitest'
import { WebRtcEngine } from '../../../engines/index.ts'
import type { JsonValue } from '../../../protocol/index.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { silentLog } from '../../../sdk/client/silent-log.ts'
import { here, later } from '../../../sdk/contact/lazy-modules.ts'
import { ContactEngines } from '../../../sdk/media/contact-engines.ts'
import { LateEngines } from '../../../sdk/media/late-engines.ts'
import type { LateEnginesOptions } from '../../../sdk/media/late-engines.ts'
import { LateWebRtc } from '../../../sdk/media/late-webrtc.ts'
import { FakeEngine, TestClock, settled } from '../../../testing/index.ts'
import { START, joined, required } from '../../support/contacts.ts'

const KEY = 'duolog:http://localhost:contact-1:controls:visitor'

/** The engines of a page whose negotiation has not come. `signal`: a frame of the other side. */
function late() {
  const [clock, seen] = [new TestClock(), memoryStore()]
  let signal: (body: JsonValue | undefined) => void = () => {}
  const options = {
    ...{ clock, seen, log: silentLog, service: 'http://localhost', role: 'visitor' },
    ...{ record: { id: 'contact-1' }, contact: () => 'contact-1', holdsSlot: () => true },
    ...{ shared: () => ({ media: START }), over: new AbortController().signal },
    ...{ onDropVideo: () => {}, onReport: () => {}, delivery: { emit: () => {} }, link: {} },
    relay: { on: (_kind: string, handler: typeof signal) => void (signal = handler) },
  } as unknown as LateEnginesOptions
  const engines = new LateEngines(options)
  return { clock, seen, engines, signal: (body: JsonValue | undefined) => signal(body) }
}

afterEach(() => vi.restoreAllMocks())

describe('the engines of a page before the negotiation is there', () => {
  it('PKG-2 ENG-2 are known with what they carry, and attached once when it comes', async () => {
    const { engines } = late()
    const engine = new FakeEngine({ id: 'WebRTC', media: ['Voice'] })
    expect(await engines.add(engine)).toEqual(['Voice'])
    expect([engines.get('WebRTC'), engines.get('None'), engine.host]).toEqual([engine, undefined, null])
    expect(engines.withData(START)).toBe(START)
    const { registry } = engines.attached(ContactEngines)
    expect(engine.host).toMatchObject({ slot: 'visitor' })
    expect(engines.attached(ContactEngines).registry).toBe(registry)
    expect([engines.get('WebRTC'), registry.viaOf('Voice', 'WebRTC')]).toEqual([engine, 'net'])
    await expect(engines.add(new FakeEngine({ id: 'WebRTC', media: ['Voice'] }))).rejects.toMatchObject({
      code: 'invalid_argument',
    })
  })

  it('PKG-2 PKG-16 what is muted before is stored when the negotiation comes, and nothing where nothing was', async () => {
    const [muted, other] = [late(), late()]
    for (const { engines, clock } of [muted, other]) await engines.add(new LateWebRtc({}, clock))
    ;(muted.engines.get('WebRTC') as LateWebRtc).muteLocalAudio()
    expect(muted.seen.getItem(KEY)).toBeNull()
    for (const { engines } of [muted, other]) engines.attached(ContactEngines)
    const stored = JSON.stringify({ WebRTC: { muted: ['Voice'], held: false } })
    expect([muted.seen.getItem(KEY), other.seen.getItem(KEY)]).toEqual([stored, null])
  })

  it('PKG-2 PKG-16 a signal that comes before waits, in order, until the engine is attached', async () => {
    const { engines, signal, clock } = late()
    const heard: unknown[] = []
    vi.spyOn(WebRtcEngine.prototype, 'receive').mockImplementation((data) => void heard.push(data))
    await engines.add(new LateWebRtc({}, clock))
    for (const body of [undefined, null, 'x', { engine: 1 }, { engine: 'None', data: 0 }]) signal(body)
    signal({ engine: 'WebRTC', data: 'first' })
    await (engines.get('WebRTC') as LateWebRtc).listDevices().catch(() => {})
    await settled()
    signal({ engine: 'WebRTC', data: 'second' })
    expect(heard).toEqual([])
    engines.attached(ContactEngines)
    signal({ engine: 'WebRTC', data: 'third' })
    signal({ engine: 'WebRTC' })
    expect(heard).toEqual(['first', 'second', 'third', null])
  })

  it('PKG-2 SND-313 without it there is no offer that an application could answer', async () => {
    const { visitor } = await joined()
    const offer = { Voice: { ...required, via: 'net', engine: 'WebRTC' } }
    expect(visitor.answer(offer)).toMatchObject({ Voice: { tx: true, rx: true } })
    here.negotiation = null
    try {
      expect(() => visitor.answer(offer)).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
    } finally {
      here.negotiation = await later.negotiation()
    }
  })

  it('PKG-2 ENG-2 are stopped with the contact, before and after', async () => {
    const { engines } = late()
    const engine = new FakeEngine({ id: 'WebRTC', media: ['Voice'] })
    const stop = vi.spyOn(engine, 'stop')
    await engines.add(engine)
    await engines.stop()
    engines.attached(ContactEngines)
    await engines.stop()
    expect(stop).toHaveBeenCalledTimes(2)
  })
})
