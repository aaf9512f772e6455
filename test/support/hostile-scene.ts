/** A secure contact whose service becomes hostile, and what its pages tell of that. */
import { expect } from 'vitest'
import type { Contact } from '../../sdk/index.ts'
import { settled } from '../../testing/index.ts'
import { attackable } from './attacks.ts'
import { World } from './world.ts'
import type { Organisation } from './world.ts'
import { hostileTransport } from './hostile-service.ts'
import type { Attack } from './hostile-service.ts'

interface Told {
  readonly event: unknown
}
export interface Scene {
  readonly world: World
  readonly visitor: Contact
  readonly agent: Contact
  /** Texts, faults and what was not safe, as each page was told. */
  readonly heard: { readonly visitor: readonly Told[]; readonly agent: readonly Told[] }
  /** From now on the service is hostile in this way. */
  readonly attack: (attack: Attack) => void
}

/** What of a page's events matters here. */
function hearing(contact: Contact): Told[] {
  const heard: Told[] = []
  contact.on('text', ({ text }) => void heard.push({ event: `text ${text}` }))
  contact.on('error', ({ code }) => void heard.push({ event: `error ${code}` }))
  contact.on('insecure', (event) => void heard.push({ event }))
  contact.on('ack', ({ ref }) => void heard.push({ event: `ack ${ref}` }))
  return heard
}

/** A secure contact of two pages over a service that may become hostile; `from` the start where that is given. */
export async function scene(from: Attack | null = null, organisation?: Organisation): Promise<Scene> {
  const world = new World(organisation && { organisation })
  const hands = attackable()
  hands.attack = from
  const sound = world.link.transport
  Object.assign(world.link, {
    transport: (party: Parameters<typeof sound>[0]) =>
      hostileTransport(sound(party), party.slot, hands.service),
  })
  const visitor = await world.visitor().client.createContact({ secure: true })
  await settled()
  const agent = await world.agent().client.accept(visitor.id)
  const heard = { visitor: hearing(visitor), agent: hearing(agent) }
  await agent.join()
  await settled()
  return { world, visitor, agent, heard, attack: (attack) => void (hands.attack = attack) }
}

export const events = (heard: readonly Told[]): readonly unknown[] => heard.map(({ event }) => event)
export const stateOf = (contact: Contact): unknown => contact.verification?.state
const TAMPERED = { code: 'tampered' }

/** The page trusts nothing any more: nothing is sent, nothing is on, and leaving works. */
export async function expectBroken(contact: Contact): Promise<void> {
  expect(stateOf(contact)).toBe('broken')
  await expect(contact.sendText('x')).rejects.toMatchObject(TAMPERED)
  expect(() => contact.encrypt('x')).toThrowError(expect.objectContaining(TAMPERED))
  expect(contact.mediaState).toBe('init')
}
