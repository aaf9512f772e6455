import { expect } from 'vitest'
import { settled } from '../../testing/index.ts'
import { START, fakeOf, mediaOf, record } from './contacts.ts'
import type { Pair } from './contacts.ts'

/** Both sides idle, in the same state, engines where the contact is; texts pass. */
export async function expectSound(pair: Pair, media = START): Promise<void> {
  const { visitor, agent } = pair
  await settled()
  expect([visitor.mediaState, agent.mediaState]).toEqual(['idle', 'idle'])
  expect(mediaOf(pair)).toEqual({ visitor: media, agent: media })
  const carried = Object.fromEntries(
    Object.entries(media).filter(([, details]) => details?.engine === 'WebRTC'),
  )
  expect([fakeOf(visitor).carried, fakeOf(agent).carried]).toEqual([carried, carried])
  const heard = record(agent, 'text')
  await visitor.sendText('still here')
  await settled()
  expect(heard.length).toBe(1)
}
