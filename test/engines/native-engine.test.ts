import { describe, expect, it } from 'vitest'
import { NativeEngine } from '../../engines/index.ts'

const on = { tx: true, rx: true, via: 'net', engine: 'Native' }
const transition = (to: object, signal = new AbortController().signal) => ({ from: {}, to: to as never, wasOffered: false, restore: false, signal })

describe('NativeEngine', () => {
  it('ENG-4 carries Sharing and Chat, and no Voice without a gateway', async () => {
    const engine = new NativeEngine()
    expect(await engine.capabilities()).toEqual({ Sharing: { via: 'net' }, Chat: { via: 'net' } })
    await engine.prepare({ Chat: on })
    await engine.transit(transition({ Sharing: on, Chat: on }))
    await engine.undo({ Sharing: on })
    await expect(engine.transit(transition({ Voice: { ...on, via: 'pstn' } }))).rejects.toMatchObject({ code: 'engine_failed' })
    await expect(engine.transit(transition({ Chat: on }, AbortSignal.abort()))).rejects.toMatchObject({ code: 'left' })
    expect(engine.data()).toEqual({})
    await engine.stop()
  })
})
