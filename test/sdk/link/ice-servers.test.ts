import { afterEach, describe, expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import type { Transport } from '../../../protocol/index.ts'
import { iceServersOf } from '../../../sdk/link/ice-servers.ts'
import { ServiceLink } from '../../../sdk/link/service-link.ts'
import { TestClock, settled } from '../../../testing/index.ts'

const SERVER = { urls: ['turn:turn.example'], username: 'u', credential: 'c' }

/** A link that is online; `asked` counts the questions, and `answers` says what the service answers. */
class Bench {
  readonly clock = new TestClock()
  asked = 0
  expiresInMs = 600_000
  answers: () => Promise<unknown> = async () => ({
    iceServers: [structuredClone(SERVER)],
    expiresInMs: this.expiresInMs,
  })
  readonly #transport: Transport = {
    connect: (onEvent) => {
      queueMicrotask(() => onEvent({ type: 'up' }))
      return { call: () => (this.asked++, this.answers() as never), close: () => {} }
    },
  }
  readonly link = new ServiceLink({ transport: this.#transport, clock: this.clock, random: () => 0 })

  async online(): Promise<this> {
    this.link.start()
    await settled()
    return this
  }
}

let bench: Bench
afterEach(() => bench.link.close())

describe('ICE servers', () => {
  it('ENG-19 are asked for anew at each start and restart', async () => {
    bench = await new Bench().online()
    await iceServersOf(bench.link)()
    await iceServersOf(bench.link)()
    expect(bench.asked).toBe(2)
  })

  it('SND-306 cost one question, however many want them at the same moment', async () => {
    bench = await new Bench().online()
    await Promise.all(Array.from({ length: 100 }, iceServersOf(bench.link)))
    expect(bench.asked).toBe(1)
  })

  it('SND-306 are asked for half as often as the service allows, however often somebody wants them; then an answer serves for a minute', async () => {
    bench = await new Bench().online()
    const want = async (): Promise<number> => {
      for (let n = 0; n < 200; n++) await iceServersOf(bench.link)()
      return bench.asked
    }
    expect(await want()).toBe(60)
    await bench.clock.advance(3_999)
    expect(await want()).toBe(60)
    await bench.clock.advance(1)
    expect(await want()).toBe(61)
    await bench.clock.advance(4_000)
    expect(await want()).toBe(62)
  })

  it('SND-306 whose credentials do not last are used for a tenth of their life', async () => {
    bench = new Bench()
    bench.expiresInMs = 20_000
    await bench.online()
    for (let n = 0; n < 100; n++) await iceServersOf(bench.link)()
    await bench.clock.advance(1_999)
    await iceServersOf(bench.link)()
    expect(bench.asked).toBe(60)
    await bench.clock.advance(1)
    await iceServersOf(bench.link)()
    expect(bench.asked).toBe(61)
  })

  it('SND-306 are a copy of its own for whoever asks', async () => {
    bench = await new Bench().online()
    const [first] = await Promise.all([iceServersOf(bench.link)(), iceServersOf(bench.link)()])
    Object.assign(first[0] ?? {}, { username: 'spoilt' })
    expect(await iceServersOf(bench.link)()).toEqual([SERVER])
  })

  it('SND-306 that the service does not give are asked for again, after the time that it wants', async () => {
    bench = await new Bench().online()
    const { answers } = bench
    const fails = (error: ContactError) => (bench.answers = () => Promise.reject(error))
    fails(new ContactError('internal', 'unable to answer'))
    await expect(iceServersOf(bench.link)()).rejects.toMatchObject({ code: 'internal' })
    fails(new ContactError('rate_limited', 'too often', { retryAfterMs: 3_000 }))
    await expect(iceServersOf(bench.link)()).rejects.toMatchObject({ code: 'rate_limited' })
    await bench.clock.advance(2_999)
    await expect(iceServersOf(bench.link)()).rejects.toMatchObject({ code: 'rate_limited' })
    expect(bench.asked).toBe(2)
    bench.answers = answers
    await bench.clock.advance(1)
    expect([await iceServersOf(bench.link)(), bench.asked]).toEqual([[SERVER], 3])
  })

  it('SND-306 that were asked for before the contacts were entered again are not used later: the service gives a stranger none that relay', async () => {
    bench = new Bench()
    let resumed = (): void => {}
    bench.link.onResume(
      () => new Promise((resolve) => (resumed = resolve)),
      () => {},
    )
    await bench.online()
    await iceServersOf(bench.link)()
    resumed()
    await settled()
    await iceServersOf(bench.link)()
    expect([bench.link.state, bench.asked]).toEqual(['online', 2])
  })

  it('SND-123 RES-3 a page that wakes asks the service itself, and not what it remembers', async () => {
    bench = await new Bench().online()
    await iceServersOf(bench.link)()
    bench.link.wake()
    await settled()
    expect(bench.asked).toBe(2)
  })
})
