import { describe, expect, it, vi } from 'vitest'
import type { Contact } from '../../../sdk/index.ts'
import { createTestContact } from '../../../testing/index.ts'
import { codeOf } from './code-of.ts'

const FILE = new File(['hi'], 'note.txt', { type: 'text/plain' })

/** Operations whose code is loaded with their first use, and which. */
const LOADED: readonly (readonly [
  operation: string,
  part: string,
  run: (contact: Contact) => Promise<unknown>,
])[] = [
  ['attach', 'attachments/attach', (contact) => contact.attach(FILE)],
  ['attachmentUrl', 'attachments/attach', (contact) => contact.attachmentUrl('file-1')],
  ['openAttachment', 'attachments/attach', (contact) => contact.openAttachment('file-1')],
  ['getDataChannel', 'data-channels/channels', (contact) => contact.getDataChannel('x')],
  ['sendData', 'data-channels/channels', (contact) => contact.sendData('x', 1)],
  ['readTranscript', 'transcript/transcript', (contact) => contact.readTranscript()],
  [
    'transcript',
    'transcript/transcript',
    async (contact) => contact.transcript()[Symbol.asyncIterator]().next(),
  ],
]

describe('code that cannot be loaded', () => {
  it.each(LOADED)(
    'ERR-2 PKG-3 %s then gives offline with the cause, and works when it is tried again',
    async (_operation, part, run) => {
      const path = `../../../sdk/${part}.ts`
      vi.doMock(path, () => {
        throw new TypeError('Failed to fetch dynamically imported module')
      })
      const { visitor } = await createTestContact()
      await expect(run(visitor)).rejects.toMatchObject({
        code: 'offline',
        retryable: true,
        cause: expect.any(Error),
        message: expect.stringContaining('could not be loaded'),
      })
      vi.doUnmock(path)
      expect(['not_found', null]).toContain(await codeOf(run(visitor)))
      await visitor.leave()
    },
  )
})
