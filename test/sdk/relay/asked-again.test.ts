import { describe, expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import { settled } from '../../../testing/index.ts'
import { joined, watch } from '../../support/contacts.ts'

describe('the relay after a reconnection', () => {
  it.each(['rate_limited', 'internal'] as const)(
    'SND-302 DATA-1 what was sent meanwhile arrives, although the service does not take the first question for it: %s',
    async (code) => {
      const { link, clock, visitor, agent } = await joined()
      const got: unknown[] = []
      agent.on('data', ({ data }) => void got.push(data))
      await visitor.sendData('pointer', 1, undefined, 'sio')
      await clock.advance(1_000)
      link.faults = { onConnect: ({ slot }) => (slot === 'agent' ? 'drop' : 'pass') }
      link.cut('agent')
      await settled()
      void watch(visitor.sendData('pointer', 2, undefined, 'sio'))
      await settled()
      let refusals = 2
      link.faults = {
        onMessage: ({ slot }, name) => {
          if (slot === 'agent' && name === 'relay.send' && refusals-- > 0)
            throw new ContactError(code, 'unable to hand the frame over now')
          return 'pass'
        },
      }
      await clock.advance(10_000)
      expect(refusals).toBeLessThan(1)
      expect(got).toEqual([1, 2])
    },
  )

  it('SND-302 typing that is over is not told', async () => {
    const { visitor, agent, clock, link } = await joined()
    let typing = 0
    visitor.on('iswriting', () => void typing++)
    let isOut = true
    link.faults = { onConnect: ({ slot }) => (slot === 'visitor' && isOut ? 'drop' : 'pass') }
    link.cut('visitor')
    for (let times = 0; times < 4; times++) {
      agent.sendIsWriting()
      await clock.advance(3_000)
    }
    await clock.advance(10_000)
    isOut = false
    await clock.advance(5_000)
    expect(typing).toBe(0)
    agent.sendIsWriting()
    await settled()
    expect(typing).toBe(1)
  })
})
