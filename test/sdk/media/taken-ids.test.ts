import { expect, it } from 'vitest'
import { settled } from '../../../testing/index.ts'
import { VOICE, answering, joined, record, watch } from '../../support/contacts.ts'

it('SND-302 LOG-9 a remote that knows the session of the other side takes no id of its next entries', async () => {
  const pair = await joined()
  const { world, agent, visitor, clock } = pair
  const session = world.contact.state.shared.session.agent ?? ''
  world.contact.announce('hostile', { slot: 'visitor', id: 'visitor-1' })
  const names = Array.from({ length: 20 }, (_, n) => [
    `${session}.${n + 2}`,
    `${session}.ack.${n + 1}`,
  ]).flat()
  const drafts = names.map((id, n) => ({
    id,
    session: 'hostile',
    counter: n + 1,
    type: 'text',
    body: { text: 'x' },
  }))
  world.contact.append('visitor', 'hostile', drafts)
  pair.link.deliver()
  await settled()
  const errors = record(agent, 'error')
  answering(agent)
  const offered = watch(visitor.offerMedia(VOICE))
  await clock.advance(1_000)
  expect(offered.result).toMatchObject({ value: { Voice: { tx: true } } })
  expect([agent.mediaState, errors]).toEqual(['idle', []])
})

it('SND-302 LOG-9 no id of an entry tells that of another', async () => {
  const { world } = await joined()
  const ids = world.contact.entries.filter(({ slot }) => slot !== 'service').map(({ id }) => id)
  expect(ids.length).toBeGreaterThan(1)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/)
})
