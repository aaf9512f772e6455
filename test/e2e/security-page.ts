/** Runs in the page: the widget with a secure contact whose verification the test sets. */
import { ContactSession } from '../../apps/ui/src/index.ts'
import type { Verification } from '../../apps/ui/src/sdk.ts'
import { DuologWidget } from '../../apps/visitor/src/widget.ts'
import { FakeContact } from '../apps/fake-contact.ts'

declare global {
  /** Sets the state of the verification, and the digits of its code. */
  var show: (state: Verification['state'], by?: Verification['by'], digits?: string) => void
  /** What the pages have called, with its arguments. */
  var called: readonly unknown[][]
  /** A message of the user that is not sent yet. */
  var write: (text: string) => void
  /** The other side has sent a file; opening it takes until `opened` is called. */
  var file: (id: string) => void
  var opened: () => void
}

const CODE = { symbols: [31, 47, 19, 28, 39, 37, 9], digits: '2181095913801' }
const parameters = new URLSearchParams(location.search)
document.documentElement.dir = parameters.get('dir') ?? 'ltr'
document.documentElement.lang = parameters.get('lang') ?? 'en'
document.title = 'Secure contact'

const fake = new FakeContact('visitor', { state: 'joined', agent: { user: 'a1', nick: 'Ada' } })
fake.sendText = () => new Promise(() => {})
fake.verification = { state: 'agreeing', code: null, by: null }
globalThis.called = fake.calls
globalThis.show = (state, by = null, digits = CODE.digits) => {
  fake.verification = { state, by, code: state === 'agreeing' ? null : { ...CODE, digits } }
  fake.emit('verification', fake.verification)
}
let openAll: (() => void)[] = []
fake.secure = true
fake.openAttachment = (id) => {
  fake.calls.push(['openAttachment', id])
  return new Promise((resolve) => openAll.push(() => resolve(new Blob(['the bytes']))))
}
globalThis.opened = () => {
  for (const open of openAll) open()
  openAll = []
}
globalThis.file = (id) =>
  fake.emit('attachment', {
    ...{ id: `m-${id}`, ts: 1, from_id: 'a1', from_nick: 'Ada', agent: true, url: '' },
    meta: { id, originalName: 'bill.pdf', mimetype: 'application/pdf', size: 9, sha256: '' },
  })
const session = new ContactSession(fake.contact)
globalThis.write = (text) => session.send(text)

const widget = new DuologWidget()
document.body.append(widget)
// Its first update takes up a model of its own.
void widget.updateComplete.then(() => {
  widget.model?.close()
  widget.model = { phase: 'conversation', session, close: () => {} } as never
  widget.open()
})
