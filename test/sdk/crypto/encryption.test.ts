import { describe, expect, it, vi } from 'vitest'
import { settled } from '../../../testing/index.ts'
import { answering, endCleanly, joined, offering, required } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

const notThere = (): Promise<never> => Promise.reject(new Error('the chunk does not load'))

describe('encryption whose code cannot be loaded', () => {
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
      for (const call of calls)
        expect(call).toThrowError(
          expect.objectContaining({ name: 'ContactError', code: 'invalid_key', retryable: false }),
        )
    }
    await endCleanly(pair)
  })

  it('SEC-2 SEC-3 a secure contact of another party: it is not joined in the clear, and the four operations throw no_crypto', async () => {
    const world = new World({ secrecy: notThere })
    const connection = world.link.transport({ slot: 'visitor', id: 'visitor-1' }).connect(() => {})
    await settled()
    const { contact: id } = await connection.call('contact.create', {
      request: 'r',
      contact: { secure: true },
    })
    const contact = await world.agent().client.accept(id)
    expect(contact.secure).toBe(true)
    const calls = [
      () => contact.encrypt('x'),
      () => contact.decrypt('eA=='),
      () => contact.encryptMessage({ text: 'x' }, ['text']),
      () => contact.decryptMessage({ text: 'x' }),
    ]
    for (const call of calls)
      expect(call).toThrowError(
        expect.objectContaining({ name: 'ContactError', code: 'no_crypto', retryable: false }),
      )
    await expect(contact.join()).rejects.toMatchObject({ code: 'no_crypto' })
    await expect(contact.sendText('in the clear')).rejects.toMatchObject({ code: 'not_joined' })
    expect(world.entries).toEqual(['assigned'])
    connection.close()
  })

  it('SEC-3 a secure contact is refused with no_crypto, and nothing is created instead', async () => {
    const world = new World({ secrecy: notThere })
    await expect(world.visitor().client.createContact({ secure: true })).rejects.toMatchObject({
      code: 'no_crypto',
    })
    expect([world.link.contacts.size, world.clock.pending]).toEqual([0, 0])
  })

  it('ENC-656 a contact that is not secure never asks for it: for messages, requests, a call, a transfer or its end', async () => {
    const secrecy = vi.fn(notThere)
    const world = new World({ secrecy })
    const pair = await joined({}, undefined, world)
    const { visitor, agent, pages } = pair
    answering(agent)
    agent.on('ask', (_data, callback) => callback(null, 'answer'))
    await visitor.sendText('hello')
    await agent.sendLink('https://a.example/')
    expect(await visitor.request('ask', null)).toBe('answer')
    await visitor.offerMedia(offering({ Voice: required }))
    await settled()
    expect(await agent.getMedia()).toMatchObject({ Voice: { tx: true } })
    const next = world.agent({ id: 'agent-2', nick: 'Bo' })
    const id = await pages.agent.client.transfer(visitor.id, { toAgent: 'agent-2' })
    await settled()
    await (await next.client.accept(id)).join()
    await settled()
    await visitor.leave()
    await settled()
    expect(secrecy).not.toHaveBeenCalled()
    await world
      .visitor()
      .client.createContact({ secure: true })
      .catch(() => {})
    expect(secrecy).toHaveBeenCalledOnce()
  })
})
