import { deepEqual } from 'node:assert/strict'
import { afterEach, describe, expect, it } from 'vitest'
import { settled } from '../../testing/test-clock.ts'
import { EnginePair, NOTHING_LEFT, codeOf, media, picture } from '../support/engine-pair.ts'
import type { Party } from '../support/engine-pair.ts'
import { until } from '../support/node-media.ts'

const call = media({ Video: 'tx rx' })
const isUp = ({ counted }: Party): boolean => counted.made.at(-1)?.connectionState === 'connected'
const made = ({ counted }: Party): number => counted.made.length

describe('WebRtcEngine: what is done while an offer stands', () => {
  let pair = new EnginePair()
  const start = (): EnginePair => (pair = new EnginePair())

  afterEach(async () => {
    await pair.stop()
    await settled()
    deepEqual(pair.leftovers, NOTHING_LEFT)
  })

  it('ENG-26 both sides have agreed: they find each other before the log decides, send and show nothing, and then need nothing more', async () => {
    const { visitor, agent } = start()
    await Promise.all([visitor.engine.prepare(call, true), agent.engine.prepare(call, true)])
    await until('they are connected', () => isUp(visitor) && isUp(agent))
    const senders = [visitor, agent].flatMap(({ counted }) =>
      counted.made.flatMap((connection) => connection.getSenders().map(({ track }) => track)),
    )
    expect([senders.every((track) => track === null), visitor.engine.data(), agent.engine.data()]).toEqual([
      true,
      {},
      {},
    ])
    const told = [visitor.told.length, agent.told.length]
    await pair.transit({ Video: 'tx rx' })
    await Promise.all([picture(visitor), picture(agent)])
    expect([visitor.told.length, agent.told.length, made(visitor), made(agent)]).toEqual([...told, 1, 1])
  })

  it('ENG-26 who has not agreed tells nothing: the visitor makes no connection, the agent reads what comes and answers when it has agreed', async () => {
    const { visitor, agent } = start()
    await Promise.all([visitor.engine.prepare(call), agent.engine.prepare(call)])
    await settled()
    expect([visitor.sent, made(visitor), made(agent)]).toEqual([[], 0, 0])
    await visitor.engine.prepare(call, true)
    await until(
      'the agent has read the offer',
      () => agent.counted.made[0]?.signalingState === 'have-remote-offer',
    )
    await settled()
    expect([agent.sent, agent.counted.made[0]?.iceGatheringState]).toEqual([[], 'new'])
    await agent.engine.prepare(call, true)
    await until('they are connected', () => isUp(visitor) && isUp(agent))
  })

  it('ENG-26 an offer that comes to nothing leaves nothing on either side', async () => {
    const { visitor, agent } = start()
    await Promise.all([visitor.engine.prepare(call, true), agent.engine.prepare(call)])
    await until('the agent has read the offer', () => made(agent) === 1)
    await visitor.engine.undo({})
    await until('the agent has given it up', () => agent.counted.open() === 0)
    await agent.engine.undo({})
    await settled()
    expect([pair.leftovers, visitor.events, agent.events]).toEqual([NOTHING_LEFT, [], []])
  })

  it('ENG-26 a new page of the agent knows nothing of what was sent to the one before: the visitor starts again', async () => {
    const { visitor, agent } = start()
    pair.tamper = () => undefined
    await visitor.engine.prepare(call, true)
    await until('its offer', () => visitor.sent.length > 0)
    pair.tamper = (_from, data) => data
    await pair.clock.advance(2_000)
    await pair.transit({ Video: 'tx rx' })
    await picture(visitor)
    expect([agent.sent[0], made(visitor), made(agent)]).toEqual([{ type: 'want' }, 2, 1])
  })

  it('ENG-26 what was found early and leads nowhere any more has five seconds', async () => {
    const { visitor, agent } = start()
    pair.tamper = (from, data) => (from === 'agent' ? undefined : data)
    await Promise.all([visitor.engine.prepare(call, true), agent.engine.prepare(call, true)])
    await until('an answer', () => agent.sent.length > 0)
    pair.tamper = (_from, data) => data
    const transits = Promise.all([visitor, agent].map((party) => codeOf(party.transit({ Video: 'tx rx' }))))
    await settled()
    await pair.clock.advance(4_999)
    expect(made(visitor)).toBe(1)
    await pair.clock.advance(1)
    expect(await transits).toEqual(['done', 'done'])
    expect([made(visitor), made(agent)]).toEqual([2, 2])
    await picture(visitor)
  })
})
