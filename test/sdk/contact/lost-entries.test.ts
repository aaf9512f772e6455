import { describe, expect, it } from 'vitest'
import type { Transport } from '../../../protocol/index.ts'
import { settled } from '../../../testing/index.ts'
import { World, joined } from '../../support/contacts.ts'

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
})
