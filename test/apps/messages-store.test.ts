import { expect, it } from 'vitest'
import { messagesOf } from '../../apps/react/src/messages-store.ts'
import { ContactError } from '../../protocol/index.ts'
import { FakeContact } from './fake-contact.ts'

it('PRD-7 UI-5 what is on its way stands last, and what has failed stays where it is below what was said before', async () => {
  const fake = new FakeContact('visitor', { state: 'joined', agent: { user: 'a1', nick: 'Ada' } })
  const store = messagesOf(fake.contact)
  const shown = (): string[] => store.getSnapshot().map(({ text, delivery }) => `${text} ${delivery ?? ''}`)
  const says = (text: string): void =>
    fake.emit('text', { id: text, text, ts: 1, from_id: 'a1', from_nick: 'Ada', agent: true })
  let refuse = (_reason: Error): void => {}
  const sendText = (): Promise<string> => new Promise((_sent, reject) => (refuse = reject))
  Object.assign(fake, { sendText })
  says('a')
  const sending = store.send('mine')
  says('b')
  expect(shown()).toEqual(['a ', 'b ', 'mine sending'])
  refuse(new ContactError('too_large', 'unable to send the message; it is too large'))
  await sending
  says('c')
  expect(shown()).toEqual(['a ', 'b ', 'mine failed', 'c '])
})
