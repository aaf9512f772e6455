import { expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import { settled } from '../../../testing/index.ts'
import { joined, watch } from '../../support/contacts.ts'

const note = (): File => new File(['hello'], 'a.txt', { type: 'text/plain' })

it('SND-311 ATT-3 a file that is sent at the moment of a transfer goes with the contact, where this page has not read of it', async () => {
  const { world, link, visitor, clock } = await joined()
  let once = true
  link.faults = {
    onMessage: ({ slot }, name) => {
      if (slot !== 'visitor' || name !== 'attachment.open' || !once) return 'pass'
      once = false
      world.contact.transfer({})
      throw new ContactError('left', 'unable to take the file; the contact has gone on')
    },
  }
  const sent = watch(visitor.attach(note()))
  await expect.poll(() => once).toBe(false)
  link.deliver()
  await settled()
  await expect.poll(() => clock.advance(500).then(() => sent.result)).not.toBe('pending')
  expect([sent.result, visitor.id]).toMatchObject([{ value: { id: /./ } }, 'contact-2'])
})

it('SND-25 ATT-3 a state of a later minor version is asked for again, and the file is sent', async () => {
  const { link, visitor, clock } = await joined()
  const open = link.files.open.bind(link.files)
  let asked = 0
  link.files.open = (...given) => {
    const answer = open(...given)
    return (asked += 1) === 1 ? ({ id: answer.id, state: 'checking' } as never) : answer
  }
  const sent = watch(visitor.attach(note()))
  await expect.poll(() => clock.advance(500).then(() => sent.result)).not.toBe('pending')
  expect(sent.result).toMatchObject({ value: { id: /./ } })
  expect(asked).toBeGreaterThan(1)
})
