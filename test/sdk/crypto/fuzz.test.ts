import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsePush } from '../../../protocol/index.ts'
import { ContactError } from '../../../sdk/index.ts'
import type { Contact } from '../../../sdk/index.ts'
import { settled } from '../../../testing/index.ts'
import { joined } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'
import { changes, readBy, readerOf, sealedTexts } from '../../support/made-up-entries.ts'
import { hostileTo } from '../../support/lying-service.ts'
import type { Raw } from '../../support/lying-service.ts'

const secure = { secure: true } as const
/** By `npm run fuzz`: so many ciphertexts, and so many entries. */
const WANTED = Number(process.env['DUOLOG_FUZZ'] ?? 0)
const runs = (ordinary: number): number => WANTED || ordinary
const timeout = WANTED > 0 ? 3_600_000 : 10_000

/** Only errors of Duolog come out. */
function errorOf(run: () => unknown): string | null {
  try {
    run()
    return null
  } catch (thrown) {
    return thrown instanceof ContactError ? thrown.code : `not a ContactError: ${String(thrown)}`
  }
}

describe('what a hostile party makes up', () => {
  it(
    'ENC-270 decrypt and decryptMessage give errors of Duolog for anything but what was encrypted',
    { timeout },
    async () => {
      const { visitor, agent } = await joined(secure)
      const data = visitor.encrypt('a value')
      const near = fc
        .tuple(fc.nat(data.length - 1), fc.string({ minLength: 1, maxLength: 3 }))
        .map(([at, text]) => data.slice(0, at) + text + data.slice(at + text.length))
      fc.assert(
        fc.property(fc.oneof(near, fc.string(), fc.base64String(), fc.anything()), (given) => {
          fc.pre(given !== data)
          const codes = ['invalid_argument', 'invalid_key', 'tampered']
          expect(codes).toContain(errorOf(() => agent.decrypt(given as string)))
          expect(codes).toContain(errorOf(() => agent.decryptMessage({ text: given, encrypted: ['text'] })))
        }),
        { numRuns: runs(60) },
      )
    },
  )

  it('ENC-275 a reader gives errors of Duolog for any entry, whatever of it was changed', { timeout }, () => {
    const log = sealedTexts(3)
    const [last] = log.slice(-1) as [Raw]
    let read = 0
    fc.assert(
      fc.property(changes(last), (given) => {
        const reader = readerOf()
        for (const entry of log.slice(0, -1)) expect(readBy(reader, entry)).toBe('told')
        const outcome = readBy(reader, given)
        expect(['told', 'untold', 'tampered', 'protocol']).toContain(outcome)
        if (outcome !== 'protocol') read++
      }),
      { numRuns: runs(200) },
    )
    expect(read).toBeGreaterThan(0)
  })

  it('ENC-271 nothing is told of an entry that is changed in any place: it breaks the contact, or is none', async () => {
    const junk = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.object({ maxDepth: 1 }))
    const change = fc.record({
      member: fc.constantFrom(
        'body',
        'id',
        'counter',
        'session',
        'time',
        'from',
        'text',
        'seal',
        'encrypted',
      ),
      value: junk,
    })
    await fc.assert(
      fc.asyncProperty(change, async ({ member, value }) => {
        const world = new World()
        const texts: string[] = []
        let isEntry = true
        let isChanged = false
        let first: unknown
        hostileTo(world, 'agent', {
          entries: (entries) => {
            first ??= entries.find(({ type }) => type === 'text')?.['id']
            const given = entries.map((entry) =>
              entry['id'] === first ? changed(entry, member, value) : entry,
            )
            isChanged ||= JSON.stringify(given) !== JSON.stringify(entries)
            isEntry &&= isReadable(given)
            return isEntry ? given : []
          },
        })
        const pair = await joined(
          secure,
          ({ agent }) => void agent.on('text', ({ text }) => void texts.push(text)),
          world,
        )
        await sent(pair.visitor, 'a text')
        await sent(pair.visitor, 'what follows shows that it was changed')
        await settled()
        fc.pre(isChanged)
        const states = [pair.visitor, pair.agent].map(({ verification }) => verification?.state)
        // The service says the time: the next sealed entry of either party shows that it said different ones.
        if (member === 'time' && isEntry) expect(states).toContain('broken')
        else {
          expect(texts).toEqual([])
          expect(['broken', ...(isEntry ? [] : ['unverified'])]).toContain(states[1])
        }
        await Promise.all([pair.visitor.leave(), pair.agent.leave()])
      }),
      { numRuns: 15 },
    )
  })
})

/** Sends a text. Where its page has learned that the other party reads another log, it may say so. */
const sent = (contact: Contact, text: string): Promise<unknown> =>
  contact.sendText(text).catch((error: unknown) => expect(error).toMatchObject({ code: 'tampered' }))

function changed(entry: Raw, member: string, value: unknown): Raw {
  const isInside = ['text', 'seal', 'encrypted'].includes(member)
  return (
    isInside ? { ...entry, body: { ...entry.body, [member]: value } } : { ...entry, [member]: value }
  ) as Raw
}

/** Whether it is a push of the protocol: what is none ends the connection. */
function isReadable(entries: readonly Raw[]): boolean {
  try {
    return parsePush('log.entries', { contact: 'x', entries }) !== null
  } catch {
    return false
  }
}
