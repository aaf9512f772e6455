import { expect, it } from 'vitest'
import type { Transport } from '../../../protocol/index.ts'
import type { KeyValueStore } from '../../../sdk/api/client.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import type { Environment } from '../../../sdk/client/environment.ts'
import { settled } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import { CALLING, VOICE, answering } from '../../support/contacts.ts'
import { World, fakes } from '../../support/world.ts'

/** A line on which nobody hears that a page has closed its connection: it looks alive. */
const losing = (line: Transport): Transport => ({
  connect: (onEvent) => {
    const connection = line.connect(onEvent)
    return { call: (name, args) => connection.call(name, args), close: () => {} }
  },
})

function browser() {
  const world = new World()
  const transport = losing(world.link.transport({ slot: 'visitor', id: 'visitor-1' }))
  const open = (tab: KeyValueStore) => {
    const life = { wake: [] as (() => void)[], hide: [] as (() => void)[] }
    const onWake: Environment['onWake'] = (wake, hide) => {
      life.wake.push(wake)
      life.hide.push(hide)
      return () => {}
    }
    const client = new VisitorClient(
      { service: 'http://localhost', transport },
      { ...testEnvironment(world.clock, fakes), store: world.store, tab, onWake },
    )
    const all = (what: 'wake' | 'hide') => (): void => life[what].forEach((run) => run())
    return { client, hide: all('hide'), wake: all('wake') }
  }
  return { world, open }
}

/** A call of a page. */
async function calling() {
  const { world, open } = browser()
  const tab = new Map<string, string>()
  const store = (from: Map<string, string>): KeyValueStore => ({
    getItem: (key) => from.get(key) ?? null,
    setItem: (key, value) => void from.set(key, value),
    removeItem: (key) => void from.delete(key),
  })
  const page = open(store(tab))
  const visitor = await page.client.createContact()
  const agent = await world.agent().client.accept(visitor.id)
  answering(agent)
  await agent.join()
  await settled()
  await visitor.offerMedia(VOICE)
  await settled()
  const load = async (from: Map<string, string>) => {
    const { contact } = await open(store(from)).client.resumeContact()
    await settled()
    return contact
  }
  return { page, visitor, agent, tab, load }
}

it('SND-309 RES-5 MED-29 a page that is loaded anew has slot and call at once, also where the service has not heard that the earlier one of its tab is gone', async () => {
  const { page, agent, tab, load } = await calling()
  page.hide()
  await settled()
  const contact = await load(tab)
  expect([contact?.mediaState, contact?.data().mediaState, agent.data().mediaState]).toEqual([
    'idle',
    CALLING,
    CALLING,
  ])
})

it.each(['is there', 'is back from the cache of the browser'])(
  'SND-309 RES-6 a duplicate of a tab takes nothing from the one whose page %s',
  async (how) => {
    const { page, visitor, tab, load } = await calling()
    if (how !== 'is there') page.hide()
    if (how !== 'is there') page.wake()
    await settled()
    const contact = await load(new Map(tab))
    expect([visitor.mediaState, contact?.mediaState, contact?.data().mediaState]).toEqual([
      'idle',
      'init',
      CALLING,
    ])
  },
)

it('SND-309 RES-5 what a tab keeps of a page that is gone concerns that page alone', async () => {
  const { page, tab, load } = await calling()
  page.hide()
  const [first, second] = [new Map(tab), new Map(tab)]
  const contact = await load(first)
  const other = await load(second)
  expect([contact?.mediaState, other?.mediaState]).toEqual(['idle', 'init'])
})
