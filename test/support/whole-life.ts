import type { DataCollection, JsonValue, Push, Transport } from '../../protocol/index.ts'
import type { Contact, ContactOptions } from '../../sdk/index.ts'
import { VisitorClient } from '../../sdk/client/create-client.ts'
import { settled } from '../../testing/index.ts'
import { testEnvironment } from '../../testing/test-contact.ts'
import { OFF, VOICE, answering, fakeOf } from './contacts.ts'
import { World, fakes } from './world.ts'

const DATA: DataCollection = [
  {
    name: 'order',
    desc: 'Order',
    data: [{ name: 'note', desc: 'Note', type: 'text', value: 'x', editable: true }],
  },
]

export interface LifeOptions extends ContactOptions {
  /** What the agent changes in the form `order`: fields and values. */
  readonly edits?: readonly (readonly [string, JsonValue])[]
}

/**
 * A whole life of a contact in which every event comes. `watch` is given each party's contact as it is made.
 * Gives the visitor's.
 */
export async function wholeLife(
  watch: (contact: Contact) => void,
  { edits = [['note', 'y']], ...options }: LifeOptions = {},
): Promise<Contact> {
  const world = new World()
  const party = { slot: 'visitor', id: 'visitor-1', nick: 'Vera' } as const
  let push = (_push: Push): void => {}
  const transport: Transport = {
    connect(onEvent) {
      push = (each) => onEvent({ type: 'push', push: each })
      return world.link.transport(party).connect(onEvent)
    },
  }
  const environment = {
    ...testEnvironment(world.clock, fakes),
    upload: world.link.files.upload.bind(world.link.files),
  }
  const client = new VisitorClient({ service: 'http://localhost', transport }, environment)
  const visitor = await client.createContact({ nick: 'Vera', data: DATA, ...options })
  watch(visitor)
  await settled()
  push({ name: 'contact.queue', body: { contact: visitor.id, position: 2, expectedWaitMs: 5_000 } })
  push({ name: 'contact.queue', body: { contact: visitor.id, position: 1 } })
  const first = world.agent({
    avatar: { base_url: 'https://example.org/', images: [{ size: '40', file: 'a.png' }] },
  })
  await first.client.accept(visitor.id)
  await settled()
  await first.client.decline(visitor.id)
  await settled()
  const agent = await first.client.accept(visitor.id)
  watch(agent)
  answering(visitor)
  answering(agent)
  await agent.join()
  await settled()
  for (const [here, there] of [
    [visitor, agent],
    [agent, visitor],
  ] as const) {
    await here.sendText('hello', 'en')
    await here.sendLink('https://example.org', 'An example')
    await here.sendLink('https://example.org')
    await here.sendAction('Blink', ['a', 'b'])
    await here.attach(new File(['x'], 'x.txt'), 'A file', 'ref')
    await here.sendRead('m1')
    here.sendIsWriting()
    await here.setLocalCapability('CoBrowsing', true)
    await here.sendData('pointer', 1)
    await here.sendData('pointer', 2, 'joined')
    await here.offerMedia(VOICE)
    await settled()
    fakeOf(there).host?.observed({
      media: { Voice: { tx: { isFlowing: true, bitRate: 1 } } },
      roundTripMs: 1,
      score: 4,
    })
    for (const on of [true, false]) fakeOf(there).host?.report({ type: 'remote_held', on })
    fakeOf(there).host?.report({ type: 'remote_muted', muted: ['Voice'] })
    fakeOf(there).host?.report({ type: 'interrupted', medium: 'Voice', on: true })
    fakeOf(there).host?.report({ type: 'liveness', silent: ['Voice'], step: 'ice_restart' })
    await import('../../sdk/media/statistics.ts')
    await settled()
    await here.mergeAndTransitMedia({ Voice: OFF })
    await settled()
  }
  world.link.faults = { onConnect: () => 'drop' }
  world.link.cut('agent')
  await world.clock.advance(1_000)
  world.link.faults = {}
  await world.clock.advance(10_000)
  for (const [field, value] of edits) await agent.editData('order', field, value)
  world.contact.say({ text: 'Shipped', lang: 'en', nick: 'Orders' })
  world.link.deliver()
  await settled()
  world.link.cut('visitor')
  await world.clock.advance(5_000)
  await visitor.offerMedia(VOICE)
  fakeOf(visitor).script('undo', 'engine_failed')
  fakeOf(visitor).script('transit', 'media_failed')
  await visitor.mergeAndTransitMedia({ Voice: OFF }).catch(() => {})
  await world.clock.advance(40_000)
  await first.client.transfer(agent.id, { toAgent: 'agent-2' })
  await settled()
  const page = world.agent({ id: 'agent-2', nick: 'Bo' }).client
  const second = await page.accept(visitor.id)
  watch(second)
  answering(second)
  await second.join()
  await settled()
  await visitor.offerMedia(VOICE)
  await page.close()
  const [third] = await world.agent({ id: 'agent-2', nick: 'Bo' }).client.contacts()
  if (!third) throw new Error('the contact is gone')
  watch(third)
  await third.join()
  await settled()
  await third.leave()
  await settled()
  return visitor
}
