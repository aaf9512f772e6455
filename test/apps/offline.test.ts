import { expect, it } from 'vitest'
import { ContactSession } from '../../apps/ui/src/contact-session.ts'
import { statusText } from '../../apps/ui/src/status.ts'
import { wordsFor } from '../../apps/ui/src/words.ts'
import { ContactError } from '../../protocol/index.ts'
import type { ErrorCode } from '../../protocol/index.ts'
import { FakeContact } from './fake-contact.ts'

function begin(): {
  readonly fake: FakeContact
  readonly session: ContactSession
  readonly shown: () => string[]
} {
  const fake = new FakeContact('visitor', { state: 'joined', agent: { user: 'a1', nick: 'Ada' } })
  const session = new ContactSession(fake.contact)
  const shown = (): string[] =>
    session.state.transcript.items.flatMap((item) => (item.kind === 'own' ? [item.delivery] : []))
  return { fake, session, shown }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const WORDS = wordsFor(['en'])
const file = (name: string): File => new File(['x'], name, { type: 'text/plain' })

it('UI-3 the head never says that it is connected while there is no connection', () => {
  const { fake, session } = begin()
  const states = (['connecting', 'offline', 'online'] as const).map((state) => {
    fake.emit('connection', { state })
    return statusText(session.state, WORDS)
  })
  expect(states).toEqual(['Connecting…', 'Offline', 'Connected'])
  session.close()
})

it('SND-312 UI-3 a file that is chosen without a connection goes when there is one, and can be cancelled until then', async () => {
  const { fake, session, shown } = begin()
  const asked: string[] = []
  let code: ErrorCode | null = 'offline'
  const attach = (
    { name }: File,
    _desc: null,
    _ref: string,
    { signal }: { signal: AbortSignal },
  ): Promise<unknown> => {
    asked.push(name)
    if (signal.aborted) return Promise.reject(new ContactError('withdrawn', 'no'))
    return code ? Promise.reject(new ContactError(code, 'no')) : Promise.resolve({ id: `f-${name}` })
  }
  Object.assign(fake, { attach })
  session.files.send([file('a'), file('b')])
  await settle()
  expect([asked, shown()]).toEqual([
    ['a', 'b'],
    ['sending', 'sending'],
  ])
  session.files.cancel(session.state.transcript.items[1]?.key ?? '')
  await settle()
  expect(shown()).toEqual(['sending'])
  code = null
  fake.emit('connection', { state: 'online' })
  await settle()
  expect([asked, shown()]).toEqual([['a', 'b', 'b', 'a'], ['sent']])
  code = 'too_large'
  session.files.send([file('c')])
  await settle()
  expect(shown()).toEqual(['sent', 'failed'])
  session.close()
})
