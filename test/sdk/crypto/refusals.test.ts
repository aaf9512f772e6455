/** Codes with which the operations of a secure contact refuse what they are asked. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Contact } from '../../../sdk/index.ts'
import { settled } from '../../../testing/index.ts'
import { joined, openTab, watch } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'
import type { Pair } from '../../support/contacts.ts'

const FILE = new File(['the whole estate'], 'last will.txt', { type: 'text/plain' })
const refuses = (call: () => void, code: string): void =>
  expect(call).toThrowError(expect.objectContaining({ name: 'ContactError', code }))

/** Reading and encrypting a file take their own time. */
async function sent(pair: Pair): Promise<void> {
  const sending = watch(pair.visitor.attach(FILE))
  while (sending.result === 'pending') {
    await new Promise((resolve) => setImmediate(resolve))
    await pair.clock.advance(10)
  }
  await settled()
}

/** Another agent goes on. */
async function changeAgent({ world, visitor, pages }: Pair): Promise<Contact> {
  const next = world.agent({ id: 'agent-2', nick: 'Bo' })
  const id = await pages.agent.client.transfer(visitor.id, { toAgent: 'agent-2' })
  await settled()
  const agent = await next.client.accept(id)
  await agent.join()
  await settled()
  return agent
}

/** A secure contact on a page whose encryption does not load. */
async function withoutCode(): Promise<Contact> {
  const world = new World({ secrecy: () => Promise.reject(new Error('the code is not there')) })
  const connection = world.link.transport({ slot: 'visitor', id: 'visitor-1' }).connect(() => {})
  await settled()
  const created = { request: 'r', contact: { secure: true } }
  const { contact: id } = await connection.call('contact.create', created)
  const contact = await world.agent().client.accept(id)
  connection.close()
  return contact
}

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

describe('verify and acceptKey', () => {
  it('ENC-272 ERR-1 need a secure contact with a key, and an answer', async () => {
    const plain = await joined()
    refuses(() => plain.visitor.verify(true), 'invalid_key')
    refuses(() => plain.visitor.acceptKey(), 'invalid_key')
    const waiting = await new World().visitor().client.createContact({ secure: true })
    refuses(() => waiting.verify(true), 'invalid_key')
    const { visitor } = await joined({ secure: true })
    refuses(() => visitor.verify('yes' as never), 'invalid_argument')
    refuses(() => visitor.acceptKey(), 'invalid_state')
    expect(visitor.verification?.state).toBe('unverified')
  })

  it('ENC-590 what the user says of a code is taken of no other key, and of a changed one neither', async () => {
    const pair = await joined({ secure: true })
    const { visitor } = pair
    const { digits = '' } = visitor.verification?.code ?? {}
    const other = digits.replace(/^./, (digit) => String((Number(digit) + 1) % 10))
    for (const matches of [true, false]) {
      refuses(() => visitor.verify(matches, other), 'invalid_key')
      refuses(() => visitor.verify(matches, 7 as never), 'invalid_argument')
      refuses(() => visitor.verify(matches, ''), 'invalid_key')
    }
    expect(visitor.verification?.state).toBe('unverified')
    visitor.verify(true, digits)
    expect(visitor.verification?.state).toBe('verified')
    await changeAgent(pair)
    const changed = visitor.verification?.code?.digits ?? ''
    expect([visitor.verification?.state, changed === digits]).toEqual(['changed', false])
    refuses(() => visitor.acceptKey(digits), 'invalid_key')
    refuses(() => visitor.acceptKey(7 as never), 'invalid_argument')
    refuses(() => visitor.verify(true, digits), 'invalid_key')
    expect(visitor.verification?.state).toBe('changed')
    visitor.acceptKey(changed)
    expect(visitor.verification?.state).toBe('unverified')
  })

  it('ENC-272 ERR-1 have no_crypto without the code, and tampered when broken', async () => {
    const without = await withoutCode()
    refuses(() => without.verify(true), 'no_crypto')
    refuses(() => without.acceptKey(), 'no_crypto')
    const { visitor } = await joined({ secure: true })
    visitor.verify(false)
    refuses(() => visitor.verify(true), 'tampered')
    refuses(() => visitor.acceptKey(), 'tampered')
  })
})

describe('files of a secure contact', () => {
  it('ENC-273 ERR-1 need the code, and a secure origin', async () => {
    const pair = await joined({ secure: true })
    await sent(pair)
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
    await expect(pair.agent.openAttachment('file-1')).rejects.toMatchObject({ code: 'no_crypto' })
    await expect(pair.agent.attach(FILE)).rejects.toMatchObject({ code: 'no_crypto' })
  })

  it('ENC-273 ERR-1 are not opened where the key is missing, or the bytes are others', async () => {
    const pair = await joined({ secure: true })
    await sent(pair)
    const real = globalThis.fetch
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (...how) => {
      const bytes = new Uint8Array(await (await real(...how)).arrayBuffer())
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
      return new Response(bytes)
    })
    await expect(pair.agent.openAttachment('file-1')).rejects.toMatchObject({ code: 'tampered' })
    vi.restoreAllMocks()
    await pair.pages.visitor.client.close()
    const { contact } = await openTab(pair)
    await pair.clock.advance(5_000)
    await expect(contact.openAttachment('file-1')).rejects.toMatchObject({ code: 'invalid_key' })
  })
})
