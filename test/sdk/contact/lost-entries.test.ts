import { describe, expect, it } from 'vitest'
import { foldEntry } from '../../../protocol/index.ts'
import type { Entry, Transport } from '../../../protocol/index.ts'
import { ContactLog } from '../../../sdk/log/log-reader.ts'
import { TestClock, settled } from '../../../testing/index.ts'
import { joined } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

/** A connection of the visitor on which the pushes with a text are lost so many times; counts its opens. */
function losing(world: World, text: string, times: number): { opens: number } {
  const seen = { opens: 0 }
  let left = times
  const make = world.link.transport.bind(world.link)
  world.link.transport = (party): Transport => {
    const transport = make(party)
    if (party.slot !== 'visitor') return transport
    return {
      connect: (hear) => {
        const connection = transport.connect((event) => {
          const isLost =
            event.type === 'push' &&
            event.push.name === 'log.entries' &&
            event.push.body.entries.some(
              (entry) => entry.type === 'text' && 'text' in entry.body && entry.body.text === text,
            )
          if (!isLost || left-- <= 0) hear(event)
        })
        const call: typeof connection.call = (name, args) => {
          if (name === 'contact.open') seen.opens++
          return connection.call(name, args)
        }
        return { call, close: () => connection.close() }
      },
    }
  }
  return seen
}

describe('an entry that is lost on a connection that lives', () => {
  it.each([1, 2, 3])('SND-303 LOG-4 %i times is had in the end, and all that follows', async (times) => {
    const world = new World()
    const seen = losing(world, 'two', times)
    const pair = await joined({}, () => {}, world)
    const before = seen.opens
    const told: string[] = []
    pair.visitor.on('text', ({ text }) => void told.push(text))
    for (const text of ['one', 'two', 'three', 'four', 'five']) {
      await pair.agent.sendText(text)
      await settled()
      await pair.clock.advance(2_000)
    }
    await pair.clock.advance(60_000)
    expect(told).toEqual(['one', 'two', 'three', 'four', 'five'])
    expect(seen.opens - before).toBeLessThanOrEqual(times + 1)
  })

  it('SND-343 what is lost twice, and nothing follows that would show it, is had within 20 s', async () => {
    const world = new World()
    const seen = losing(world, 'two', 2)
    const pair = await joined({}, () => {}, world)
    const told: string[] = []
    pair.visitor.on('text', ({ text }) => void told.push(text))
    const before = seen.opens
    for (const text of ['one', 'two', 'three']) await pair.agent.sendText(text)
    await settled()
    expect([told, seen.opens - before]).toEqual([['one'], 1])
    await pair.clock.advance(20_000)
    expect([told, seen.opens - before]).toEqual([['one', 'two', 'three'], 2])
    await pair.clock.advance(300_000)
    expect(seen.opens - before).toBe(2)
  })
})

describe('what a page waits for in the log', () => {
  const entry = (seq: number): Entry => ({
    ...{ seq, id: `m-${seq}`, time: 0, slot: 'visitor', session: 's', counter: seq, from: { id: 'v' } },
    ...{ type: 'text', body: { text: 'a text' } },
  })

  /** A log over a line on which nothing else comes, or something all the time. */
  function waiting({
    isBusy = false,
    hasKey = () => true,
  }: { isBusy?: boolean; hasKey?: () => boolean } = {}) {
    const clock = new TestClock()
    const gaps: boolean[] = []
    const log = new ContactLog({
      ...{ reader: 'agent', initialOffer: undefined, onEntry: () => {} },
      onGap: (isAwaited) => void gaps.push(isAwaited),
      guard: { check: hasKey, fold: foldEntry, open: (read) => read },
      line: {
        clock,
        get silentMs() {
          return isBusy ? 500 : clock.now()
        },
      },
    })
    return { clock, gaps, log, reached: log.reaches(2) }
  }

  it('SND-343 is missing after 15 s of silence, and again, until it is there', async () => {
    const { clock, gaps, log, reached } = waiting()
    await clock.advance(14_999)
    expect(gaps).toEqual([])
    await clock.advance(1)
    expect(gaps).toEqual([true])
    log.receive([entry(1)])
    await clock.advance(14_999)
    expect(gaps).toEqual([true])
    await clock.advance(1)
    expect(gaps).toEqual([true, true])
    log.receive([entry(2)])
    await reached
    await clock.advance(600_000)
    expect(gaps.length).toBe(2)
  })

  it('SND-343 is behind what else arrives for two minutes at most', async () => {
    const { clock, gaps } = waiting({ isBusy: true })
    await clock.advance(119_000)
    expect(gaps).toEqual([])
    await clock.advance(1_000)
    expect(gaps).toEqual([true])
  })

  it('SND-343 is not missing while it waits for its key, nor when nobody reads any more', async () => {
    let isThere = false
    const { clock, gaps, log } = waiting({ hasKey: () => isThere })
    log.receive([entry(1)])
    await clock.advance(600_000)
    expect(gaps).toEqual([])
    isThere = true
    log.goOn()
    await clock.advance(15_000)
    expect(gaps).toEqual([true])
    log.stop()
    await clock.advance(600_000)
    expect(gaps).toEqual([true])
  })
})
