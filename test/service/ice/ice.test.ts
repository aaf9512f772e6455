import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joinBoth } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireSession } from '../../support/wire-client.ts'

const ice = {
  stun: ['stun:stun.example'],
  turn: ['turn:turn.example:3478', 'turns:turn.example:5349'],
  turnSecret: 'a secret that is long',
}
let test: TestService

beforeAll(async () => {
  test = await startTestService({ ice })
})
afterAll(() => test.close())

describe('TURN credentials', () => {
  it('SRV-18 are given to each party of its own, for the configured servers and ten minutes', async () => {
    const { visitor, agent } = await joinBoth(test)
    const names: string[] = []
    for (const { client } of [visitor, agent]) {
      const { iceServers, expiresInMs } = await client.call('ice.servers', {})
      const [stun, turn] = iceServers
      expect(expiresInMs).toBe(600_000)
      expect(stun).toEqual({ urls: ice.stun })
      const [expiry, party] = (turn?.username ?? '').split(':')
      expect(Number(expiry) * 1_000).toBeLessThanOrEqual(test.clock.now() + 600_000)
      expect(Number(expiry) * 1_000).toBeGreaterThan(test.clock.now() + 598_000)
      expect(turn).toEqual({
        urls: ice.turn,
        username: turn?.username,
        credential: createHmac('sha1', ice.turnSecret).update(`${turn?.username}`).digest('base64'),
      })
      names.push(party ?? '')
    }
    expect(new Set(names).size).toBe(2)
    test.clock.advance(60_000)
    const later = (await visitor.client.call('ice.servers', {})).iceServers[1]?.username ?? ''
    expect(Number(later.split(':')[0]) * 1_000).toBeGreaterThan(test.clock.now() + 598_000)
  })

  it('SND-123 SRV-18 are given only to who has a contact that is not over', async () => {
    const client = await test.visitor()
    const servers = async () => (await client.call('ice.servers', {})).iceServers.map(({ urls }) => urls)
    expect(await servers()).toEqual([ice.stun])
    const { contact } = await client.call('contact.create', { request: 'r', contact: {} })
    expect(await servers()).toEqual([ice.stun, ice.turn])
    const session = new WireSession(client, contact)
    await session.open()
    await session.present()
    expect(await servers()).toEqual([ice.stun, ice.turn])
    await session.leave()
    expect(await servers()).toEqual([ice.stun])
    const agent = await test.agent()
    expect((await agent.call('ice.servers', {})).iceServers).toEqual([{ urls: ice.stun }])
  })

  it('SRV-18 the secret goes to nobody', async () => {
    const { visitor } = await joinBoth(test)
    expect(JSON.stringify(await visitor.client.call('ice.servers', {}))).not.toContain(ice.turnSecret)
  })
})
