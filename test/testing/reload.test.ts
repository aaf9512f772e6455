import { describe, expect, it } from 'vitest'
import { createTestContact, settled } from 'duolog/testing'

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
    expect([heard, presents?.length, observers]).toEqual([
      ['I am back'],
      4,
      ['visitor', 'agent', 'visitor', 'agent'],
    ])
  })

  it.each(['visitor', 'agent'] as const)(
    'PKG-7 the new page of the %s can listen before its events start: it is asked about an offer that stands',
    async (slot) => {
      const test = await createTestContact()
      const both = { tx: 'required', rx: 'required' } as const
      test[slot].on('mediaoffer', () => {})
      const answer = test[slot === 'visitor' ? 'agent' : 'visitor'].offerMedia({ Voice: both })
      await settled()
      await test.reload(slot, (contact) =>
        contact.on('mediaoffer', ({ callback }) => callback(null, { Voice: { tx: true, rx: true } })),
      )
      expect((await answer).Voice).toMatchObject({ tx: true, rx: true })
    },
  )
})
