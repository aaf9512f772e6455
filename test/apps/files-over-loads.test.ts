import { expect, it, vi } from 'vitest'
import type { ContactSession } from '../../apps/ui/src/contact-session.ts'
import type { History, SavedHistory } from '../../apps/ui/src/history.ts'
import type { ContactEvents } from '../../apps/ui/src/sdk.ts'
import { FakeContact } from './fake-contact.ts'

function history(): History {
  const all = new Map<string, string>()
  return {
    load: (id) => JSON.parse(all.get(id) ?? 'null') as SavedHistory | null,
    save: (id, kept) => void all.set(id, JSON.stringify(kept)),
    drop: (id) => void all.delete(id),
  }
}

const shown = ({ state }: ContactSession): string[] =>
  state.transcript.items.flatMap((item) =>
    item.kind === 'own' && item.body.type === 'file' ? [`${item.body.name} ${item.delivery}`] : [],
  )

it('SND-312 a file that was stored while the page was loaded anew is shown once, as sent', async () => {
  const kept = history()
  const refs: string[] = []
  // Each page has modules of its own.
  const page = async () => {
    vi.resetModules()
    const { ContactSession } = await import('../../apps/ui/src/contact-session.ts')
    const fake = new FakeContact('visitor', { state: 'joined', agent: { user: 'a1', nick: 'Ada' } })
    const attach = (_file: File, _description: null, ref: string): Promise<never> => {
      refs.push(ref)
      return new Promise(() => {})
    }
    Object.assign(fake, { attach })
    return { fake, session: new ContactSession(fake.contact, { history: kept }) }
  }
  const stored = (id: string, referenceId: string): ContactEvents['attachment'] => ({
    ...{ id, ts: 1, url: 'https://example.org/f', from_id: 'v1', agent: false },
    meta: { id, originalName: 'a.txt', mimetype: 'text/plain', size: 1, referenceId } as never,
  })
  const before = await page()
  before.session.files.send(['a', 'b'].map((text) => new File([text], 'a.txt', { type: 'text/plain' })))
  before.session.close()
  const { fake, session } = await page()
  expect(shown(session)).toEqual(['a.txt failed', 'a.txt failed'])
  fake.emit('attachment', stored('f2', refs[1] ?? ''))
  expect(shown(session)).toEqual(['a.txt failed', 'a.txt sent'])
  fake.emit('attachment', stored('f3', 'of another tab'))
  expect(shown(session)).toEqual(['a.txt failed', 'a.txt sent', 'a.txt sent'])
  expect(session.state.transcript.items.map(({ key }) => key)).toEqual(['m1', 'm2', 'm3'])
  session.close()
})
