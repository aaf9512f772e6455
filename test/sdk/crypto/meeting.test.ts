import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { deriveKey } from '../../../sdk/crypto/agreement.ts'
import { base64 } from '../../../sdk/crypto/bytes.ts'
import type { Contact } from '../../../sdk/index.ts'
import { settled } from '../../../testing/index.ts'
import { changing } from '../../support/attacks.ts'
import { World } from '../../support/world.ts'
import { hostileTransport } from '../../support/hostile-service.ts'
import type { Attack } from '../../support/hostile-service.ts'
import { readBy, readerOf, sealedTexts } from '../../support/made-up-entries.ts'
import type { Authored } from '../../support/made-up-entries.ts'

const outcomes = (authored: readonly Authored[]): readonly string[] => {
  const reader = readerOf()
  return sealedTexts(authored).map((entry) => readBy(reader, entry))
}

describe('what an author has numbered and read', () => {
  it('ENC-254 rises: an entry whose number is not above the last one is tampering', () => {
    const [first, second] = [
      { counter: 1, read: 0 },
      { counter: 2, read: 1 },
    ]
    expect(outcomes([first, second])).toEqual(['told', 'told'])
    expect(outcomes([first, { ...second, counter: 1 }])).toEqual(['told', 'tampered'])
  })

  it('ENC-255 does not fall: an entry whose author has read less than before is tampering', () => {
    const [first, second] = [
      { counter: 1, read: 0 },
      { counter: 2, read: 1 },
    ]
    expect(outcomes([first, second, { counter: 3, read: 1 }])).toEqual(['told', 'told', 'told'])
    expect(outcomes([first, second, { counter: 3, read: 0 }])).toEqual(['told', 'told', 'tampered'])
  })
})

/** A secure contact in which something was said; its page is loaded anew, over a service that is hostile by then. */
async function reloaded(attack: Attack): Promise<Contact | null> {
  const world = new World()
  const tab = memoryStore()
  const hands: { attack: Attack } = { attack: {} }
  const sound = world.link.transport
  const service: Attack = {
    entries: (entries, to) => hands.attack.entries?.(entries, to) ?? entries,
    answer: (name, result, to) => hands.attack.answer?.(name, result, to) ?? result,
  }
  Object.assign(world.link, {
    transport: (party: Parameters<typeof sound>[0]) => hostileTransport(sound(party), party.slot, service),
  })
  const page = world.visitor({ tab })
  const visitor = await page.client.createContact({ secure: true })
  const agent = await world.agent().client.accept(visitor.id)
  await agent.join()
  await settled()
  await agent.sendText('pay nothing')
  await settled()
  await page.client.close()
  hands.attack = attack
  const { contact } = await world.visitor({ tab }).client.resumeContact()
  await settled()
  return contact
}

describe('a page that is loaded anew', () => {
  it('ENC-256 meets the log that the page before it has read, else it fails with tampered', async () => {
    expect((await reloaded({}))?.verification?.state).toBe('unverified')
    // Nothing that this page checks the seal of: what the service wrote itself.
    const another = changing(
      ({ slot, type }) => slot === 'service' && type === 'joined',
      'visitor',
      ({ body, ...entry }) => ({ ...entry, body: { ...body, nick: 'Your bank' } }),
    )
    const contact = await reloaded(another)
    expect(contact?.verification?.state).toBe('broken')
    expect(() => contact?.encrypt('x')).toThrowError(expect.objectContaining({ code: 'tampered' }))
  })

  it('ENC-257 takes no record of a contact that is not secure any more', async () => {
    const contact = await reloaded({
      answer: (_name, result: { readonly record?: object }, to) =>
        to === 'visitor' && result.record
          ? { ...result, record: { ...result.record, secure: false } }
          : result,
    })
    expect([contact?.secure ?? true, contact?.verification?.state ?? 'broken']).toEqual([true, 'broken'])
  })

  it('ENC-257 also where only the record that the page reads first says so: nothing is entered', async () => {
    let entered = 0
    let isLowered = false
    const contact = await reloaded({
      answer: (name, result: { readonly record?: object }, to) => {
        if (to !== 'visitor') return result
        if (name === 'contact.open') entered += 1
        if (!result.record || isLowered) return result
        isLowered = true
        return { ...result, record: { ...result.record, secure: false } }
      },
    })
    expect([contact?.verification?.state, entered]).toEqual(['broken', 0])
  })
})

describe('a key that goes on from another', () => {
  it('ENC-258 cannot be made without the secret of the other', () => {
    const bytes = (value: number, length = 32) => new Uint8Array(length).fill(value)
    const transcript = {
      ...{ contact: 'c-1', visitorSession: 'v', agentSession: 'a', commit: bytes(1) },
      ...{ agentKey: bytes(2), visitorKey: bytes(3) },
    }
    const made = (secret: number) =>
      deriveKey(bytes(9), { ...transcript, resumed: { id: bytes(4, 8), secret: bytes(secret) } })
    const [one, other] = [made(5), made(6)]
    expect(one.id).not.toBe(other.id)
    expect(base64(one.visitor.cipher)).not.toBe(base64(other.visitor.cipher))
    expect(made(5).id).toBe(one.id)
  })
})
