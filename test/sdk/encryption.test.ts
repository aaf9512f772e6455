import { describe, expect, it } from 'vitest'
import { World, endCleanly, joined } from '../support/contacts.ts'

describe('encryption, which is not available yet', () => {
  it('SEC-1 the four operations throw invalid_key on a contact that is not secure, whatever they are given', async () => {
    const pair = await joined()
    const { visitor, agent } = pair
    for (const contact of [visitor, agent]) {
      expect(contact.secure).toBe(false)
      const calls = [
        () => contact.encrypt('x'),
        () => contact.decrypt('eA=='),
        () => contact.encryptMessage({ text: 'x' }, ['text']),
        () => contact.decryptMessage({ text: 'x' }),
        () => contact.encrypt(undefined as never),
      ]
      for (const call of calls) expect(call).toThrowError(expect.objectContaining({ name: 'ContactError', code: 'invalid_key', retryable: false }))
    }
    await endCleanly(pair)
  })

  it('SEC-3 a secure contact is refused with no_crypto, and nothing is created instead', async () => {
    const world = new World()
    await expect(world.visitor().client.createContact({ secure: true })).rejects.toMatchObject({ code: 'no_crypto' })
    expect([world.link.contacts.size, world.clock.pending]).toEqual([0, 0])
  })
})
