import { afterEach, describe, expect, it, vi } from 'vitest'
import { MemoryService, settled } from '../../../testing/index.ts'
import { VOICE, joined } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

const NUL = { code: 'invalid_argument', message: expect.stringContaining('NUL') as unknown }

describe('texts that no store takes', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
  })

  it.each([
    ['a NUL', 'not\0 now', 'not now'],
    ['half a character', 'not\ud83d now', 'not\ufffd now'],
    ['a character at the cut', `${'x'.repeat(255)}😀`, 'x'.repeat(255)],
  ])('SND-23 a reason with %s is cleaned: the offer is rejected, once', async (_what, reason, cause) => {
    const { world, visitor, agent } = await joined()
    agent.on('mediaoffer', ({ callback }) => callback(new Error(reason)))
    await expect(visitor.offerMedia(VOICE)).rejects.toMatchObject({ code: 'rejected', cause })
    await settled()
    expect(world.contact.entries.filter(({ type }) => type === 'reject')).toMatchObject([
      { body: { reason: cause } },
    ])
  })

  it('SND-23 a NUL in an argument is refused at once, and nothing is lost of what follows', async () => {
    const { world, visitor } = await joined()
    await expect(visitor.leave('a\0b')).rejects.toMatchObject(NUL)
    await expect(visitor.sendText('a\0b')).rejects.toMatchObject(NUL)
    await expect(visitor.sendLink('https://shop.example/', 'a\0b')).rejects.toMatchObject(NUL)
    await visitor.sendText('still\ud83d here')
    expect(world.contact.entries.at(-1)).toMatchObject({ type: 'text', body: { text: 'still\ufffd here' } })
    await visitor.leave('half \ud83d')
    expect(world.contact.entries.some(({ type }) => type === 'left')).toBe(true)
  })

  it("SND-114 the page's title is not cut within a character", async () => {
    vi.stubGlobal('document', { title: `${'x'.repeat(255)}😀`, referrer: '', addEventListener: () => {} })
    vi.stubGlobal('navigator', { userAgent: 'a test', language: 'en' })
    vi.stubGlobal('location', { href: 'https://shop.example/' })
    const answer = vi.spyOn(MemoryService.prototype, 'answer')
    await new World().visitor().client.createContact()
    expect(answer.mock.calls.find(([, name]) => name === 'contact.create')?.[2]).toMatchObject({
      contact: { visit: { page: { title: 'x'.repeat(255) } } },
    })
  })
})
