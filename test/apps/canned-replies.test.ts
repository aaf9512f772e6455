import { describe, expect, it } from 'vitest'
import {
  CannedReplies,
  REPLIES,
  filled,
  isReply,
  matching,
  typedShortcut,
} from '../../apps/agent/src/canned-replies.ts'
import { ContactError } from '../../protocol/index.ts'

const storeOf = (kept?: string) => {
  const map = new Map<string, string>()
  if (kept !== undefined) map.set('duolog-agent-replies:ada', kept)
  return {
    map,
    getItem: (key: string) => map.get(key) ?? null,
    setItem: (key: string, value: string) => void map.set(key, value),
  }
}
const offered = (...shortcuts: readonly string[]) =>
  shortcuts.map((shortcut) => ({ shortcut, text: shortcut, isOwn: true }))

describe('canned replies', () => {
  it('PRD-174 are asked for by a slash and the beginning of a shortcut, and nothing else', () => {
    expect(['/', '/he', '/grüße', 'x /he', '/he llo', '/a/b', '//', ''].map(typedShortcut)).toEqual([
      ...['', 'he', 'grüße', null, null, null, null, null],
    ])
  })

  it('PRD-174 those that begin as typed come first, at most eight', () => {
    const all = offered('bye', 'hello', 'oh-he', 'he')
    expect(matching(all, 'HE').map(({ shortcut }) => shortcut)).toEqual(['he', 'hello', 'oh-he'])
    expect(matching(all, '').map(({ shortcut }) => shortcut)).toEqual(['bye', 'he', 'hello', 'oh-he'])
    expect(matching(offered(...'abcdefghijk'.split('')), '')).toHaveLength(8)
  })

  it('PRD-174 have the names of the parties in place of their placeholders, and fill nothing twice', () => {
    const names = { visitor: '{agent} $& Robin', agent: 'Ada' }
    expect(filled('Hi {visitor}, {agent} here. {other} {visitor}', names)).toBe(
      'Hi {agent} $& Robin, Ada here. {other} {agent} $& Robin',
    )
  })

  it('PRD-172 of an agent are kept in the browser under their id, and bounded', () => {
    const store = storeOf()
    const replies = new CannedReplies('ada', () => store)
    expect(replies.keep({ shortcut: 'hello', text: 'Hello!' })).toBeNull()
    expect(replies.keep({ shortcut: 'HELLO', text: 'Again' })).toBe('taken')
    expect(replies.keep({ shortcut: 'hello', text: 'Good day' }, 'hello')).toBeNull()
    for (const wrong of [
      { shortcut: '', text: 'x' },
      { shortcut: 'a b', text: 'x' },
      { shortcut: 'x'.repeat(REPLIES.shortcut + 1), text: 'x' },
      { shortcut: 'x', text: ' ' },
      { shortcut: 'x', text: 'x'.repeat(REPLIES.text + 1) },
    ])
      expect(replies.keep(wrong)).toBe('invalid')
    expect(new CannedReplies('ada', () => store).own).toEqual([{ shortcut: 'hello', text: 'Good day' }])
    expect(new CannedReplies('bo', () => store).own).toEqual([])
    expect(replies.remove('hello')).toBeNull()
    for (let n = 0; n < REPLIES.most; n++) replies.keep({ shortcut: `r${n}`, text: 'x' })
    expect(replies.keep({ shortcut: 'more', text: 'x' })).toBe('full')
    expect(replies.own).toHaveLength(REPLIES.most)
  })

  it('PRD-172 what the browser kept is checked, and a browser that keeps nothing is said', () => {
    const good = { shortcut: 'ok', text: 'Fine' }
    const kept = JSON.stringify([good, { shortcut: 'OK', text: 'twice' }, { shortcut: 1 }, null, 'x'])
    expect(new CannedReplies('ada', () => storeOf(kept)).own).toEqual([good])
    for (const broken of ['{', '{}', 'null'])
      expect(new CannedReplies('ada', () => storeOf(broken)).own).toEqual([])
    const blocked = new CannedReplies('ada', () => {
      throw new Error('blocked')
    })
    expect([blocked.keep(good), blocked.own]).toEqual(['unkept', [good]])
    expect(isReply({ shortcut: 'x', text: 'y', more: 1 })).toBe(true)
  })

  it('PRD-173 of the organisation stand beside the own ones, which hide them, and a failure leaves them', async () => {
    const replies = new CannedReplies('ada', () => storeOf())
    replies.keep({ shortcut: 'hello', text: 'mine' })
    const shared = [
      { shortcut: 'Hello', text: 'theirs' },
      { shortcut: 'bye', text: 'Bye' },
    ]
    let announced = 0
    replies.subscribe(() => (announced += 1))
    await replies.read({ replies: () => Promise.resolve(shared) })
    expect([replies.shared, announced]).toEqual([shared, 1])
    expect(replies.all.map(({ text, isOwn }) => [text, isOwn])).toEqual([
      ['mine', true],
      ['Bye', false],
    ])
    await replies.read({ replies: () => Promise.reject(new ContactError('offline', 'no')) })
    expect(replies.shared).toEqual(shared)
  })
})
