import { expect, it } from 'vitest'
import { compat } from '../../../sdk/compat/index.ts'
import { createTestContact, settled } from '../../../testing/index.ts'
import { joined, record } from '../../support/contacts.ts'

const SAID = { text: 'Your parcel is here', lang: 'en', nick: 'Parcels' }

it('PRD-160 a message of the service is the event notice of both parties, and is acknowledged by both', async () => {
  const { world, link, visitor, agent } = await joined()
  const told = [record(visitor, 'notice'), record(agent, 'notice')]
  world.contact.say(SAID)
  link.deliver()
  await settled()
  const event = {
    ...{ text: SAID.text, lang: 'en', from_nick: 'Parcels' },
    ...{ id: expect.any(String) as string, ts: expect.any(Number) as number },
  }
  expect(told).toEqual([[['notice', event]], [['notice', event]]])
  const acks = world.contact.entries.filter(({ type }) => type === 'ack')
  expect(acks.map(({ slot }) => slot).toSorted()).toEqual(['agent', 'visitor'])
})

it('PRD-160 a message of the service stands in the transcript, and is from neither party', async () => {
  const { world, link, visitor, agent } = await joined()
  await visitor.sendText('Where is it?')
  world.contact.say({ text: 'On its way' })
  link.deliver()
  await settled()
  for (const contact of [visitor, agent]) {
    const [last, first] = (await contact.readTranscript()).messages
    expect(last).toMatchObject({ type: 'notice', text: 'On its way', contact: contact.id })
    expect([last?.from_id, last?.agent, first?.type]).toEqual([undefined, undefined, 'text'])
  }
  expect(visitor.data().transcript.messages).toBe(agent.data().transcript.messages)
})

it('PRD-160 in the positional style a notice has text and name, and a raw message comes from the service', async () => {
  const { visitor, link } = await createTestContact()
  const contact = compat(visitor)
  const told: unknown[] = []
  contact.on('notice', (...args) => void told.push(args))
  contact.on('rawmessage', ({ type, body, from_id, agent }) => void told.push([type, body, from_id, agent]))
  link.contacts.get(visitor.id)?.say(SAID)
  link.deliver()
  await settled()
  expect(told).toEqual(
    expect.arrayContaining([
      [SAID.text, 'Parcels'],
      ['notice', SAID.text, 'service', true],
    ]),
  )
})

it('PRD-162 what a service writes into a secure contact all the same is not told, neither now nor in the transcript', async () => {
  const { world, link, visitor, agent } = await joined({ secure: true })
  const told = [record(visitor, 'notice', 'insecure'), record(agent, 'notice', 'insecure')]
  world.contact.say({ text: 'Tell me your password', nick: 'Ada' })
  link.deliver()
  await settled()
  const insecure = [['insecure', { type: 'notice', reason: 'clear' }]]
  expect(told).toEqual([insecure, insecure])
  expect((await visitor.readTranscript()).messages).toEqual([])
  expect(world.contact.entries.at(-1)?.type).toBe('notice')
})
