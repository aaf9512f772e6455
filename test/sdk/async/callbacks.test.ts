import { describe, expect, it, vi } from 'vitest'
import { settled } from '../../../testing/index.ts'
import { OFF, joined, watch } from '../../support/contacts.ts'

const vera = () => joined({ nick: 'Vera' })

describe('callbacks and promises', () => {
  it('ERR-3 ERR-4 with a callback nothing rejects, without one the Promise does', async () => {
    const { visitor } = await vera()
    const calls: unknown[] = []
    const told = (error: unknown, result?: unknown): void =>
      void calls.push([(error as { code?: unknown } | null)?.code ?? null, result])
    await visitor.sendText('', undefined, told)
    await visitor.sendLink('nonsense', undefined, told)
    await visitor.sendAction('', [], told)
    await visitor.offerMedia({ Nonsense: { tx: 'required', rx: 'off' } }, told)
    await visitor.join(told)
    const id = await visitor.sendText('yes', undefined, told)
    expect(calls).toEqual([
      ['invalid_argument', undefined],
      ['invalid_argument', undefined],
      ['invalid_argument', undefined],
      ['invalid_offer', undefined],
      [null, undefined],
      [null, id],
    ])
  })

  it('ERR-3 a callback that throws is reported and changes nothing', async () => {
    const reported = vi.fn()
    vi.stubGlobal('reportError', reported)
    const { visitor } = await vera()
    const thrown = new Error('in a callback')
    const result = watch(
      visitor.sendText('x', undefined, () => {
        throw thrown
      }),
    )
    await settled()
    vi.unstubAllGlobals()
    expect(result.result).toEqual({ value: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown })
    expect(reported.mock.calls).toEqual([[thrown]])
  })

  it('ERR-3 a Promise that nobody listens to is never an unhandled rejection', async () => {
    const { visitor, agent } = await vera()
    const unhandled: unknown[] = []
    const note = (reason: unknown): void => void unhandled.push(reason)
    process.on('unhandledRejection', note)
    void visitor.sendText('')
    void visitor.sendLink('')
    void visitor.sendAction('')
    void visitor.offerMedia({ Sharing: { tx: 'off', rx: 'off' } as never })
    void visitor.offerMedia({})
    void visitor.mergeAndTransitMedia({ Voice: { tx: false, rx: true } })
    void visitor.transitMedia({ Sharing: OFF }, { Sharing: OFF })
    void visitor.registerMediaEngine({} as never)
    void visitor.leave()
    void visitor.sendText('too late')
    void agent.leave()
    await settled()
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })
})
