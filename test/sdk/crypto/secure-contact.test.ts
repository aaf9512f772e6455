import { describe, expect, it } from 'vitest'
import { settled } from '../../../testing/index.ts'
import { World, record } from '../../support/contacts.ts'

describe('a secure contact', () => {
  it('ENC-220 texts written in the queue are read by the agent who joins, and the codes are equal', async () => {
    const world = new World()
    const visitor = await world.visitor().client.createContact({ secure: true })
    const sending = visitor.sendText('before anybody is there')
    await settled()
    expect(visitor.verification).toEqual({ state: 'agreeing', code: null, by: null })
    expect(() => visitor.encrypt('x')).toThrowError(expect.objectContaining({ code: 'invalid_key' }))
    const agent = await world.agent().client.accept(visitor.id)
    const told = record(agent)
    await agent.join()
    await settled()
    const id = await sending
    await settled()
    expect(told.filter(([name]) => name === 'text')).toMatchObject([
      ['text', { text: 'before anybody is there', id }],
    ])
    expect(visitor.verification?.code).toEqual(agent.verification?.code)
    expect(JSON.stringify(world.contact.entries)).not.toContain('before anybody')
    expect(agent.decrypt(visitor.encrypt('4111 1111'))).toBe('4111 1111')
  })
})
