import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { inspection, watchPages } from '../../apps/inspector/src/recorder.ts'
import { ContactSession } from '../../apps/ui/src/contact-session.ts'
import { VisitorModel } from '../../apps/visitor/src/visitor-model.ts'
import { ContactError } from '../../protocol/index.ts'
import { FakeContact } from './fake-contact.ts'

const world = vi.hoisted(() => ({ client: {} }))
vi.mock(import('duolog'), async (original) => ({
  ...(await original()),
  createClient: () => world.client as never,
}))

beforeEach(() => {
  vi.stubGlobal('BroadcastChannel', function refuse() {
    throw new DOMException('The operation is insecure.', 'SecurityError')
  })
})
afterEach(() => void vi.unstubAllGlobals())

function widgetOf(fake: FakeContact): VisitorModel {
  world.client = {
    createContact: () => Promise.resolve(fake.contact),
    resumeContact: () => Promise.resolve({ contact: null, resumed: false }),
    close: () => Promise.resolve(),
  }
  return new VisitorModel('http://localhost')
}
const START = { nick: 'Robin', lang: 'en', firstMessage: 'hello', data: [] }

it('SND-312 a page whose browser has no channel between pages shows and ends the contact that it has started', async () => {
  const fake = new FakeContact()
  const model = widgetOf(fake)
  await model.resume()
  await model.start(START)
  expect([model.phase, model.failure]).toEqual(['conversation', null])
  await model.session?.leave()
  expect([model.session?.state.stage, fake.calls.at(-1)]).toEqual(['ended', ['leave', null]])
  model.close()
  const console = new ContactSession(new FakeContact('agent').contact)
  console.close()
})

it('SND-312 a page that is inspected there works, and the inspector sees nothing', () => {
  vi.stubGlobal('location', { search: '?inspect' })
  expect(inspection('visitor').inspect).toBeTypeOf('function')
  watchPages(() => {})()
})

it('SND-312 a contact that was created and cannot be shown is left: it waits in no queue', async () => {
  const fake = new FakeContact()
  fake.data = () => {
    throw new ContactError('internal', 'no')
  }
  const model = widgetOf(fake)
  await model.resume()
  await model.start(START)
  expect([model.phase, model.failure, fake.calls]).toEqual(['form', 'internal', [['leave', null]]])
})
