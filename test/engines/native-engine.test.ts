import { describe, expect, it } from 'vitest'
import { NativeEngine } from '../../engines/index.ts'
import type { EngineHost } from '../../engines/index.ts'
import { TelephonyEngine } from '../../engines/telephone/index.ts'
import { describeMediaEngine } from '../../testing/index.ts'

const on = { tx: true, rx: true, via: 'net', engine: 'Native' }
const transition = (to: object, signal = new AbortController().signal) => ({
  from: {},
  to: to as never,
  wasOffered: false,
  restore: false,
  signal,
})

describe('NativeEngine', () => {
  it('ENG-4 carries Sharing and Chat, and no Voice without a gateway', async () => {
    const engine = new NativeEngine()
    expect(await engine.capabilities()).toEqual({ Sharing: { via: 'net' }, Chat: { via: 'net' } })
    await engine.prepare({ Chat: on })
    await engine.transit(transition({ Sharing: on, Chat: on }))
    await engine.undo({ Sharing: on })
    await expect(engine.transit(transition({ Voice: { ...on, via: 'pstn' } }))).rejects.toMatchObject({
      code: 'engine_failed',
    })
    await expect(engine.transit(transition({ Chat: on }, AbortSignal.abort()))).rejects.toMatchObject({
      code: 'left',
    })
    expect(engine.data()).toEqual({})
    await engine.stop()
  })
})

describe('TelephonyEngine', () => {
  const PHONE = { ...on, via: 'pstn' }
  const make = () => {
    const engine = new TelephonyEngine()
    const events: unknown[] = []
    engine.attach({ report: (event: unknown) => void events.push(event) } as EngineHost)
    return { engine, events }
  }
  const BROKE = {
    type: 'broke',
    media: ['Voice'],
    error: { code: 'engine_failed', message: 'unable to carry Voice; telephone: hung_up' },
  }

  it('ENG-4 carries Voice over the telephone, and over nothing else', async () => {
    const { engine } = make()
    expect(await engine.capabilities()).toEqual({
      Sharing: { via: 'net' },
      Chat: { via: 'net' },
      Voice: { via: 'pstn' },
    })
    await expect(engine.prepare({ Voice: on })).rejects.toMatchObject({ code: 'engine_failed' })
  })

  it('ENG-4 waits for the answer, also where it was told before; a call that ends breaks Voice where it is on', async () => {
    const { engine, events } = make()
    engine.told(false, { state: 'ended', reason: 'hung_up' })
    engine.told(false, null)
    const settled: string[] = []
    const waiting = engine.transit(transition({ Chat: on, Voice: PHONE })).then(() => settled.push('done'))
    await Promise.resolve()
    expect([settled, events]).toEqual([[], []])
    engine.told(false, { state: 'answered' })
    await waiting
    engine.told(false, { state: 'ended', reason: 'hung_up' })
    expect(events).toEqual([])
    engine.told(true)
    expect(events).toMatchObject([BROKE])
    engine.told(false, { state: 'answered' })
    await engine.transit(transition({ Voice: PHONE }))
  })

  it.each(['busy', 'no_answer', 'refused', 'unreachable', 'no_number', 'failed'] as const)(
    'ENG-4 a call that ends %s fails the transition',
    async (reason) => {
      const { engine, events } = make()
      const waiting = engine.transit(transition({ Voice: PHONE }))
      engine.told(false, { state: 'ended', reason })
      await expect(waiting).rejects.toMatchObject({
        code: 'engine_failed',
        message: `unable to carry Voice; telephone: ${reason}`,
      })
      expect(events).toEqual([])
    },
  )

  it('ENG-4 ENG-21 an abort and a stop end the waiting with left', async () => {
    const ways: ((engine: TelephonyEngine, abort: AbortController) => void)[] = [
      (_engine, abort) => abort.abort(),
      (engine) => void engine.stop(),
    ]
    for (const end of ways) {
      const [{ engine }, abort] = [make(), new AbortController()]
      const waiting = engine.transit(transition({ Voice: PHONE }, abort.signal))
      const code = waiting.catch((error: { readonly code: string }) => error.code)
      await Promise.resolve()
      end(engine, abort)
      expect(await code).toBe('left')
    }
  })
})

function answered(): TelephonyEngine {
  const engine = new TelephonyEngine()
  engine.told(false, { state: 'answered' })
  return engine
}
describeMediaEngine('the Native engine with a telephone', () => ({ engine: answered() }), {
  describe,
  it: (name, run) => it(`ENG-3 ENG-4 ${name}`, run),
})
