import { describe, expect, it, vi } from 'vitest'
import { KeyRing } from '../../../sdk/crypto/key-ring.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { ContactError } from '../../../protocol/index.ts'
import { settled } from '../../../testing/index.ts'
import { browser } from '../../support/browser-tabs.ts'
import { joined, record } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'
import { events, expectBroken, scene } from '../../support/hostile-scene.ts'
import { hostileTransport } from '../../support/hostile-service.ts'

const SECURE = { secure: true } as const
const bytes = (length: number, value: number): string => Buffer.alloc(length, value).toString('base64')
/** A key as a tab tells it to the others, agreed at an entry. */
const keyAt = (since: number, contact: string) => ({
  ...{ id: bytes(8, since % 251), contact, since, until: null, resume: null, verified: null },
  ...{ visitor: bytes(96, 1), agent: bytes(96, 2), code: bytes(6, 3) },
})

describe('what is not sealed is not sent', () => {
  it('ENC-563 the key in use is kept, however many newer keys other tabs have', async () => {
    const openTabs = browser()
    const pair = await joined(SECURE, undefined, new World({ openTabs }))
    const told = record(pair.agent, 'text', 'insecure', 'error')
    const channel = openTabs(`duolog:http://localhost:${pair.visitor.id}:visitor`, () => {})
    const newer = Array.from({ length: 100 }, (_, at) => keyAt(1000 + at, pair.visitor.id))
    channel?.post({ type: 'keys', keys: newer })
    await settled()
    await pair.visitor.sendText('my secret')
    await settled()
    expect(told).toMatchObject([['text', { text: 'my secret' }]])
    expect(JSON.stringify(pair.world.contact.entries)).not.toContain('my secret')
  })

  it('ENC-564 without its key a page sends neither entries nor frames', async () => {
    const sent: string[] = []
    const world = new World()
    const sound = world.link.transport
    Object.assign(world.link, {
      transport: (party: Parameters<typeof sound>[0]) =>
        hostileTransport(sound(party), party.slot, {
          ask: (name, args) => {
            if (!JSON.stringify(args).includes('my secret')) return args
            sent.push(name)
            throw new ContactError('unauthorized', 'it would be stored')
          },
        }),
    })
    const pair = await joined(SECURE, undefined, world)
    const keysOf = vi.spyOn(KeyRing.prototype, 'keysOf').mockReturnValue(null)
    try {
      await expect(pair.visitor.sendText('my secret')).rejects.toMatchObject({ code: 'invalid_key' })
      pair.visitor.sendData('c', { d: 'my secret' }, undefined, 'sio').catch(() => {})
      await settled()
    } finally {
      keysOf.mockRestore()
    }
    expect(sent).toEqual([])
    await pair.visitor.sendText('sealed again')
  })

  it('ENC-565 nothing is decrypted any more after the contact is broken', async () => {
    const { visitor } = await joined(SECURE)
    const [value, message] = [visitor.encrypt('x'), visitor.encryptMessage({ a: 'x' }, ['a'])]
    visitor.verify(false)
    expect(() => visitor.decrypt(value)).toThrow(expect.objectContaining({ code: 'tampered' }))
    expect(() => visitor.decryptMessage(message)).toThrow(expect.objectContaining({ code: 'tampered' }))
  })

  it('ENC-566 an entry that cannot be checked at all was tampered with', async () => {
    const { visitor, agent, heard, attack } = await scene()
    attack({
      entries: (entries, to) =>
        entries.map((entry) =>
          to === 'agent' && entry.type === 'text' ? { ...entry, counter: 2 ** 33 } : entry,
        ),
    })
    await visitor.sendText('x')
    await settled()
    expect(events(heard.agent)).toEqual(['error tampered'])
    await expectBroken(agent)
  })

  it('ENC-563 a ring keeps the key in use beside the 100 newest', () => {
    const inUse = keyAt(1, 'c-1')
    const ring = new KeyRing('c-1', { service: 's', store: memoryStore(), inUse: () => inUse.id })
    ring.add(inUse)
    ring.take(Array.from({ length: 100 }, (_, at) => keyAt(2 + at, 'c-1')))
    expect([ring.all.length, ring.get(inUse.id)?.since]).toEqual([101, 1])
  })
})
