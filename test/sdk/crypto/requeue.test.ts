import { describe, expect, it } from 'vitest'
import type { AgentImpl } from '../../../sdk/agent/create-agent.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import type { KeyValueStore } from '../../../sdk/index.ts'
import { settled } from '../../../testing/index.ts'
import { textsOf } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'
import type { Page } from '../../support/world.ts'

const rings = (kept: ReadonlyMap<string, string>): string[] =>
  [...kept.keys()].filter((key) => /:(?:keys|head)$/.test(key))

/** A verified contact whose agent's tab can be looked into. */
async function verified() {
  const world = new World()
  const kept = new Map<string, string>()
  const tab: KeyValueStore = {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  }
  const visitor = await world.visitor().client.createContact({ secure: true })
  const page: Page<AgentImpl> = world.agent({}, tab)
  const agent = await page.client.accept(visitor.id)
  await agent.join()
  await settled()
  for (const contact of [visitor, agent]) contact.verify(true)
  return { world, visitor, agent, page, kept, code: visitor.verification?.code?.digits }
}

describe('a secure contact that goes back to the queue', () => {
  it('ENC-286 goes on with the key in the same tab of the same agent: still verified, the same code', async () => {
    const { visitor, page, code } = await verified()
    const id = await page.client.transfer(visitor.id, { toTags: ['again'] })
    await settled()
    const again = await page.client.accept(id)
    await again.join()
    await settled()
    expect([visitor.verification, again.verification]).toEqual([
      { state: 'verified', by: 'user', code: expect.objectContaining({ digits: code }) as unknown },
      { state: 'verified', by: 'user', code: expect.objectContaining({ digits: code }) as unknown },
    ])
    const texts = textsOf(again)
    await visitor.sendText('you again')
    await settled()
    expect(texts).toEqual(['you again'])
  })

  it('ENC-286 also where the agent was silent, and never read that it went on', async () => {
    const { world, visitor, page, code } = await verified()
    const before = visitor.id
    world.link.faults = { onConnect: ({ slot }) => (slot === 'agent' ? 'drop' : 'pass') }
    world.link.cut('agent')
    await world.clock.advance(60_000)
    expect(visitor.id).not.toBe(before)
    world.link.faults = {}
    await world.clock.advance(60_000)
    await settled()
    const again = await page.client.accept(visitor.id)
    await again.join()
    await settled()
    expect([visitor.verification?.state, again.verification?.state]).toEqual(['verified', 'verified'])
    expect(again.verification?.code?.digits).toBe(code)
  })

  it('ENC-287 in another tab of the agent it is another key, and the visitor is asked', async () => {
    const { world, visitor, page } = await verified()
    const id = await page.client.transfer(visitor.id, { toTags: ['again'] })
    await settled()
    const again = await world.agent({}, memoryStore()).client.accept(id)
    await again.join()
    await settled()
    expect(visitor.verification?.state).toBe('changed')
  })

  it('ENC-288 the keys of contacts that went on without the agent are kept of the newest 16; of one that the agent has left, none', async () => {
    const { world, visitor, agent, page, kept } = await verified()
    await page.client.transfer(visitor.id, { toTags: ['away'] })
    await settled()
    expect(rings(kept).some((key) => key.includes(agent.id))).toBe(true)
    for (let at = 0; at < 16; at++) {
      const other = await world.visitor().client.createContact({ secure: true })
      const contact = await page.client.accept(other.id)
      await contact.join()
      await settled()
      await page.client.transfer(other.id, { toTags: ['away'] })
      await settled()
    }
    expect(rings(kept).some((key) => key.includes(`:${agent.id}:`))).toBe(false)
    expect(rings(kept).filter((key) => key.endsWith(':keys'))).toHaveLength(16)
    const other = await world.visitor().client.createContact({ secure: true })
    const last = await page.client.accept(other.id)
    await last.join()
    await settled()
    await last.leave()
    expect(rings(kept).some((key) => key.includes(`:${other.id}:`))).toBe(false)
  })
})
