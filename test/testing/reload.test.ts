import { describe, expect, it } from 'vitest'
import { createTestContact, settled } from 'parley-sdk/testing'

describe('createTestContact', () => {
  it('PKG-7 loads the page of either party anew: the contact goes on, in another session', async () => {
    const observers: string[] = []
    const { visitor, agent, link, reload } = await createTestContact({
      inspect: (slot) => {
        observers.push(slot)
        return () => {}
      },
    })
    const heard: string[] = []
    agent.on('text', ({ text }) => heard.push(text))
    const loaded = await reload('visitor')
    expect(loaded.id).toBe(visitor.id)
    await loaded.sendText('I am back')
    const later = await reload('agent')
    expect([later.id, later.mediaState, loaded.mediaState]).toEqual([visitor.id, 'idle', 'idle'])
    await settled()
    const presents = link.contacts.get(visitor.id)?.entries.filter(({ type }) => type === 'present')
    expect([heard, presents?.length, observers]).toEqual([['I am back'], 4, ['visitor', 'agent', 'visitor', 'agent']])
  })
})
