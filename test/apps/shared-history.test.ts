/** What a visitor's page tells the next agent of an earlier contact, on the pages of both. */
import { describe, expect, it } from 'vitest'
import { ContactSession } from '../../apps/ui/src/contact-session.ts'
import type { ContactEvents, Slot } from '../../apps/ui/src/sdk.ts'
import { FakeContact } from './fake-contact.ts'

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const when = { time: '2026-01-01T09:00:00.000Z', ts: Date.parse('2026-01-01T09:00:00.000Z') }
const visitor = { from_id: 'v1', agent: false }
const meta: ContactEvents['attachment']['meta'] = {
  id: 'f1',
  originalName: 'history.json',
  mimetype: 'application/json',
  size: 99,
  sha256: '',
  encrypted: true,
  kind: 'history',
}

/** A page that is told of a history, and may read it in the transcript. */
async function told(role: Slot): Promise<{ readonly fake: FakeContact; readonly items: readonly string[] }> {
  const fake = new FakeContact(role, { state: 'joined', agent: { user: 'a2', nick: 'Bo' } })
  fake.secure = true
  fake.verification = { state: 'unverified', code: null, by: null }
  const session = new ContactSession(fake.contact)
  fake.stored = [
    { type: 'attachment', meta, url: '', id: 'f1', contact: 'c2', ...when, ...visitor },
    { type: 'text', text: 'my number is 4711', id: 'm1', contact: 'c1', ...when, ...visitor },
  ]
  fake.emit('attachment', { id: 'f1', ts: when.ts, ...visitor, url: '', meta })
  await settle()
  const items = session.state.transcript.items.map((item) =>
    item.kind === 'notice' ? item.notice : item.body.type === 'text' ? item.body.text : item.body.type,
  )
  return { fake, items }
}

describe('what was said before a transfer, told to the next agent', () => {
  it('ENC-600 is a notice on the agent’s page, which shows what was said', async () => {
    const { items } = await told('agent')
    expect(items.toSorted()).toEqual(['my number is 4711', 'noticeHistory'])
  })

  it('ENC-600 is a notice on the visitor’s page, and no file', async () => {
    const { fake, items } = await told('visitor')
    expect(items).toEqual(['noticeHistoryShared'])
    expect(fake.calls.filter(([name]) => name === 'readTranscript')).toEqual([])
  })
})
