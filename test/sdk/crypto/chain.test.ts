import { describe, expect, it } from 'vitest'
import { firstHead, nextHead, sealMac } from '../../../sdk/crypto/chain.ts'

const asHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const keyOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)

describe('the chain and its seals', () => {
  it('ENC-655 another entry, another order or another contact is another head; the address of a file is none', () => {
    const entry = { type: 'text', seq: 1, body: { text: 'x' } }
    const file = (url: string) => ({ type: 'attachment', seq: 2, body: { id: 'f', url } })
    const start = firstHead('c-1')
    const heads = [
      nextHead(start, entry),
      nextHead(start, { ...entry, body: { text: 'y' } }),
      nextHead(firstHead('c-2'), entry),
      nextHead(nextHead(start, entry), file('a')),
      nextHead(nextHead(start, file('a')), entry),
    ].map(asHex)
    expect(new Set(heads).size).toBe(heads.length)
    expect(asHex(nextHead(start, file('a')))).toBe(asHex(nextHead(start, file('b'))))
  })

  it('ENC-655 a seal is another where the log, the place or the body is', () => {
    const place = {
      contact: 'c-1',
      slot: 'agent',
      session: 's-1',
      counter: 1,
      id: 's-1.1',
      type: 'text',
    } as const
    const sealed = { read: 4, head: firstHead('c-1'), body: { text: 'x', seal: { key: 'k', read: 4 } } }
    const key = keyOf(1)
    const macs = [
      sealMac(key, place, sealed),
      sealMac(keyOf(2), place, sealed),
      sealMac(key, { ...place, counter: 2 }, sealed),
      sealMac(key, { ...place, slot: 'visitor' }, sealed),
      sealMac(key, place, { ...sealed, read: 5 }),
      sealMac(key, place, { ...sealed, head: firstHead('c-2') }),
      sealMac(key, place, { ...sealed, body: { ...sealed.body, text: 'y' } }),
    ].map(asHex)
    expect(new Set(macs).size).toBe(macs.length)
    expect(asHex(sealMac(key, place, structuredClone(sealed)))).toBe(macs[0])
    expect(macs[0]).toHaveLength(64)
  })
})
