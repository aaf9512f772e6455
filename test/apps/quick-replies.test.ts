import { describe, expect, it } from 'vitest'
import { ContactSession } from '../../apps/ui/src/contact-session.ts'
import { quickReplies } from '../../apps/ui/src/quick-replies.ts'
import { FakeContact } from './fake-contact.ts'

const ASKED = { text: 'Which lamp?', replies: ['Oak', 'Willow'] }
const LETTERS = Array.from('abcdefghijkl')

describe('quick replies', () => {
  it('PRD-12 are a text with answers; what is none of it is left out, and another action is none', () => {
    expect(quickReplies('duolog.replies', [ASKED])).toEqual(ASKED)
    const odd = { text: 'Which?', replies: ['Oak', '', 7, null, 'x'.repeat(81), ...LETTERS] }
    expect(quickReplies('duolog.replies', [odd])?.replies).toEqual(['Oak', ...LETTERS.slice(0, 9)])
    expect(quickReplies('duolog.replies', [{ text: 'Which?' }])).toEqual({ text: 'Which?', replies: [] })
    for (const args of [[], [null], ['text'], [[ASKED]], [{ replies: ['Oak'] }], [{ text: ' ' }]])
      expect(quickReplies('duolog.replies', args)).toBeNull()
    expect(quickReplies('ShowProduct', [ASKED])).toBeNull()
  })

  it('PRD-12 of the other side are shown as a message, and other actions are not', () => {
    const fake = new FakeContact('visitor', { state: 'joined' })
    const session = new ContactSession(fake.contact)
    const said = { id: 'a1', ts: 1, from_id: 'ada', from_nick: 'Ada', agent: true }
    fake.emit('action', { ...said, action_code: 'duolog.replies', args: [ASKED] })
    fake.emit('action', { ...said, id: 'a2', action_code: 'ShowProduct', args: ['oak'] })
    const shown = session.state.transcript.items.map(
      (item) => item.kind === 'remote' && [item.nick, item.body],
    )
    expect(shown).toEqual([['Ada', { type: 'text', ...ASKED }]])
    expect(session.state.unread).toBe(1)
    session.close()
  })
})
