import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonValue } from '../../../protocol/index.ts'
import { joinBoth, timerSet } from '../../support/parties.ts'
import type { Party } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireSession } from '../../support/wire-client.ts'

let test: TestService

beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

const send = (from: Party, to: string, n: number, body: JsonValue = { n }) =>
  from.client.call('relay.send', {
    contact: from.session.contact,
    session: from.session.id,
    to,
    frame: { n, ack: 0, kind: 'data', body },
  })

const received = ({ client }: Party): number[] =>
  client.pushes.flatMap((push) => (push.name === 'relay.frame' ? [push.body.frame.n] : []))

describe('the ephemeral relay', () => {
  it('LOG-12 frames arrive in order, among the entries of the log, and are not stored', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    const count = 300
    await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        await send(visitor, agent.session.id, index + 1)
        if (index % 30 === 0) await visitor.session.text(`text ${index}`)
      }),
    )
    await agent.client.until(() => received(agent).length === count, 'all frames')
    expect(received(agent)).toEqual(Array.from({ length: count }, (_, index) => index + 1))
    const { entries } = await agent.client.call('log.read', { contact: id, after: 0, limit: 1_000 })
    expect(entries.filter(({ type }) => type === 'text')).toHaveLength(10)
    expect(entries).toHaveLength(14)
  })

  it('LOG-12 a frame comes after the entries that were stored before it was sent', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    const page = new WireSession(visitor.client, id)
    await page.open()
    await page.present(visitor.session.id)
    await send({ client: visitor.client, session: page }, agent.session.id, 1)
    await agent.client.until(() => received(agent).length === 1, 'the frame')
    const names = agent.client.pushes.map((push) =>
      push.name === 'relay.frame'
        ? 'frame'
        : push.name === 'log.entries' &&
            push.body.entries.some((entry) => 'session' in entry && entry.session === page.id)
          ? 'present'
          : '',
    )
    expect(names.indexOf('present')).toBeLessThan(names.indexOf('frame'))
    expect(names).toContain('present')
  })

  it('LOG-13 passes only between the sessions that hold the slots', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    const follower = new WireSession(visitor.client, id)
    await follower.open()
    await follower.present(null)
    await expect(
      send({ client: visitor.client, session: follower }, agent.session.id, 1),
    ).rejects.toMatchObject({ code: 'peer_left' })
    await expect(send(agent, follower.id, 1)).rejects.toMatchObject({ code: 'peer_left' })
    await expect(send(agent, agent.session.id, 1)).rejects.toMatchObject({ code: 'peer_left' })
    await send(agent, visitor.session.id, 1)
    await visitor.client.until(() => received(visitor).length === 1, 'the frame')
    expect(visitor.client.pushes.at(-1)).toEqual({
      name: 'relay.frame',
      body: { contact: id, from: agent.session.id, frame: { n: 1, ack: 0, kind: 'data', body: { n: 1 } } },
    })
  })

  it('LOG-12 the sender is told when the other session has no connection, and when it has left', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    visitor.client.close()
    await timerSet(test, id, 'absence')
    await expect(send(agent, visitor.session.id, 1)).rejects.toMatchObject({ code: 'offline' })
    test.clock.advance(60_000)
    await agent.client.entry(id, 'left')
    await expect(send(agent, visitor.session.id, 2)).rejects.toMatchObject({ code: 'peer_left' })
  })

  it('SRV-7 a frame may be as large as its kind allows and no larger', async () => {
    const { visitor, agent } = await joinBoth(test)
    const limit = Math.ceil((16_384 * 4) / 3) + 1_024 - 2
    await send(visitor, agent.session.id, 1, 'x'.repeat(limit))
    await expect(send(visitor, agent.session.id, 2, 'x'.repeat(limit + 1))).rejects.toMatchObject({
      code: 'too_large',
    })
  })
})
