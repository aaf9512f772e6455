import { describe, expect, it, vi } from 'vitest'
import { EarlierContacts } from '../../apps/visitor/src/earlier-contacts.ts'
import type { EarlierSource } from '../../apps/visitor/src/earlier-contacts.ts'
import { failureText, identityFrom, isSameVisitor } from '../../apps/visitor/src/identity.ts'
import { wordsFor } from '../../apps/ui/src/words.ts'
import { ContactError } from '../../protocol/index.ts'
import type { TranscriptMessage } from '../../sdk/index.ts'

const jwt = (claims: object): string =>
  `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${Math.random()}`

describe('who a site says the visitor is', () => {
  it('PRD-190 stays the same with a fresh JWT of the same issuer and subject, and with a fresh function', () => {
    const of = (sub: string, iss = 'https://shop.example.org'): string => jwt({ iss, sub, name: 'Zoë' })
    const give = (): string => of('c-1')
    expect(isSameVisitor(of('c-1'), of('c-1'))).toBe(true)
    expect(isSameVisitor(give, () => of('c-1'))).toBe(true)
    for (const [before, after] of [
      [of('c-1'), of('c-2')],
      [of('c-1'), of('c-1', 'https://other.example.org')],
      [of('c-1'), ''],
      ['', of('c-1')],
      [of('c-1'), give],
      [give, ''],
      ['no JWT', 'another'],
      [jwt({}), jwt({})],
    ] as const)
      expect(isSameVisitor(before, after)).toBe(false)
  })

  it('PRD-190 is asked of what the element has by then', async () => {
    let current: string | (() => string) = 'first'
    const asked = identityFrom(() => current)
    expect(await asked()).toBe('first')
    current = () => 'second'
    expect(await asked()).toBe('second')
  })
})

it('PRD-190 a visitor whose identity is refused reads that, and nobody else does', () => {
  const words = wordsFor(['en'])
  const text = (code: 'not_found' | 'unauthorized' | 'offline', isIdentified: boolean): string =>
    failureText(code, isIdentified, words)
  for (const code of ['not_found', 'unauthorized'] as const) {
    expect(text(code, true)).toBe(words.t('identityRefused'))
    expect(text(code, false)).toBe(words.error(code))
  }
  expect(text('offline', true)).toBe(words.error('offline'))
})

const past = (
  id: string,
  more: object = {},
): Awaited<ReturnType<EarlierSource['history']>>['contacts'][0] => ({
  id,
  state: 'cleared',
  created: '2026-01-01T09:00:00.000Z',
  agent: 'Ada',
  messages: 2,
  ...more,
})
const text = (id: string, words: string, agent: boolean): TranscriptMessage =>
  ({ id, seq: 1, ts: 1, from_id: 'x', agent, type: 'text', text: words }) as unknown as TranscriptMessage
const FILE = {
  ...text('f1', '', false),
  type: 'attachment',
  meta: { id: 'f1', originalName: 'oak.png', size: 10, mimetype: 'image/png' },
} as unknown as TranscriptMessage

describe('the earlier contacts of a visitor', () => {
  it('PRD-191 are those that have messages, page after page', async () => {
    const history = vi
      .fn<EarlierSource['history']>()
      .mockResolvedValueOnce({ contacts: [past('c3', { state: 'joined' }), past('c2')], before: 'cursor' })
      .mockResolvedValueOnce({ contacts: [past('c1'), past('c0', { messages: 0 })], before: null })
    const earlier = new EarlierContacts({ history, readTranscript: vi.fn<EarlierSource['readTranscript']>() })
    const ids = (): unknown[] => [earlier.contacts.map(({ id }) => id), earlier.hasMore]
    await earlier.more()
    expect(ids()).toEqual([['c3', 'c2'], true])
    await earlier.more()
    expect(ids()).toEqual([['c3', 'c2', 'c1'], false])
    await earlier.more()
    expect(history.mock.calls).toEqual([[null], ['cursor']])
  })

  it('PRD-191 are read from their newest message back; of a file its name', async () => {
    const readTranscript = vi
      .fn<EarlierSource['readTranscript']>()
      .mockResolvedValueOnce({ messages: [FILE, text('m2', 'It is.', true)], events: [], before: 'older' })
      .mockResolvedValueOnce({ messages: [text('m1', 'Is it in stock?', false)], events: [], before: null })
    const earlier = new EarlierContacts({ history: vi.fn<EarlierSource['history']>(), readTranscript })
    await earlier.open(past('c1'))
    expect(earlier.hasMore).toBe(true)
    await earlier.more()
    const said = earlier.opened?.items.map(
      (item) => item.kind !== 'notice' && [item.kind, item.key, item.body],
    )
    expect(said).toEqual([
      ['own', 'm1', { type: 'text', text: 'Is it in stock?' }],
      ['remote', 'm2', { type: 'text', text: 'It is.' }],
      ['own', 'f1', { type: 'file', name: 'oak.png', size: 10, mimetype: 'image/png' }],
    ])
    expect(readTranscript.mock.calls).toEqual([
      ['c1', { limit: 100 }],
      ['c1', { limit: 100, before: 'older' }],
    ])
    earlier.close()
    expect(earlier.opened).toBeNull()
  })

  it('PRD-191 say what went wrong and can be asked for again; one that is chosen meanwhile is read', async () => {
    const history = vi
      .fn<EarlierSource['history']>()
      .mockRejectedValueOnce(new ContactError('offline', 'unable'))
      .mockResolvedValueOnce({ contacts: [past('c1')], before: null })
    let answer = (): void => {}
    const readTranscript = vi.fn<EarlierSource['readTranscript']>((id) =>
      id === 'c1'
        ? new Promise((resolve) => (answer = () => resolve({ messages: [], events: [], before: null })))
        : Promise.resolve({ messages: [text('m9', 'hello', false)], events: [], before: null }),
    )
    const earlier = new EarlierContacts({ history, readTranscript })
    await earlier.more()
    expect([earlier.failure, earlier.hasMore]).toEqual(['offline', true])
    await earlier.more()
    expect([earlier.failure, earlier.contacts.length]).toEqual([null, 1])
    const first = earlier.open(past('c1'))
    const second = earlier.open(past('c2'))
    answer()
    await Promise.all([first, second])
    expect(earlier.opened?.items.map(({ key }) => key)).toEqual(['m9'])
  })
})
