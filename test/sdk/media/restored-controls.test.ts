import { describe, expect, it } from 'vitest'
import { NativeEngine } from '../../../engines/index.ts'
import type { KeyValueStore } from '../../../sdk/api/client.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { FakeDevices, FakeEngine, createTestContact, settled } from '../../../testing/index.ts'
import {
  CALL,
  VOICE,
  answering,
  fakeOf,
  joined,
  mediaOf,
  offering,
  openTab,
  record,
  required,
} from '../../support/contacts.ts'
import { World } from '../../support/world.ts'
import type { Pair } from '../../support/contacts.ts'

const BOTH = { Voice: required, Video: required }

/**
 * A world whose engines have devices, and whose visitor keeps things in `store`, the agent in `agentStore`.
 */
function storing(store: KeyValueStore, agentStore?: KeyValueStore) {
  const devices = new FakeDevices()
  const world = new World({
    engines: () => [
      new NativeEngine(),
      new FakeEngine({ id: 'WebRTC', media: ['Voice', 'Video', 'Screen'], devices }),
    ],
  })
  Object.defineProperty(world, 'store', { value: store })
  Object.defineProperty(world, 'agentStore', { value: agentStore })
  return { world, devices }
}

async function calling(store: KeyValueStore, agentStore?: KeyValueStore) {
  const { world, devices } = storing(store, agentStore)
  const pair = await joined({}, ({ agent }) => answering(agent), world)
  await pair.visitor.offerMedia(offering(BOTH))
  await settled()
  return { pair, devices }
}

const again = async (pair: Pair, tab = pair.tab) => {
  await pair.pages.visitor.client.close()
  const { contact } = await pair.world.visitor({ tab }).client.resumeContact()
  if (!contact) throw new Error('there is no contact')
  const told = record(contact, 'restored')
  await settled()
  return { contact, told }
}

const liveOf = (devices: FakeDevices): readonly unknown[] =>
  devices.captures.filter(({ isLive }) => isLive).map(({ medium, isMuted }) => [medium, isMuted])

describe('mute and hold over a page load', () => {
  it.each([memoryStore(), undefined])(
    'SND-10 a muted microphone is muted from the first moment of the restored call; the camera is not',
    async (tab) => {
      const { pair, devices } = await calling(memoryStore())
      fakeOf(pair.visitor).muteLocalAudio()
      const before = devices.captures.length
      const { contact, told } = await again(pair, tab)
      expect(fakeOf(contact).controls()).toEqual({ muted: ['Voice'], held: false })
      expect(
        devices.captures
          .slice(before)
          .filter(({ isLive, medium }) => isLive && medium === 'Voice')
          .some(({ isMuted }) => isMuted),
      ).toBe(true)
      expect(told).toMatchObject([['restored', { muted: ['Voice'], held: false, missing: {} }]])
    },
  )

  it('SND-10 hold lasts, and what was unmuted again stays so', async () => {
    const { pair } = await calling(memoryStore())
    const engine = fakeOf(pair.visitor)
    engine.muteLocalVideo()
    engine.unmuteLocalVideo()
    engine.setControls({ muted: [], held: true })
    const { contact, told } = await again(pair)
    expect([fakeOf(contact).controls(), told]).toMatchObject([
      { muted: [], held: true },
      [['restored', { held: true }]],
    ])
  })

  it('SND-10 a call in which nobody has muted anything comes back as it was', async () => {
    const { pair } = await calling(memoryStore())
    const { contact } = await again(pair)
    expect(fakeOf(contact).controls()).toEqual({ muted: [], held: false })
  })

  it.each([
    ['keeps nothing', () => ({ getItem: () => null, setItem: () => {}, removeItem: () => {} })],
    ['is full', () => stuck('not full')],
  ] as const)(
    'SND-10 where the storage %s, the call comes back with everything muted',
    async (_how, make) => {
      const values = memoryStore()
      const store = make()
      const mixed: KeyValueStore = {
        getItem: (key) => (key.includes(':controls') ? store.getItem(key) : values.getItem(key)),
        setItem: (key, value) =>
          key.includes(':controls') ? store.setItem(key, value) : values.setItem(key, value),
        removeItem: (key) => (key.includes(':controls') ? store.removeItem(key) : values.removeItem(key)),
      }
      const { pair, devices } = await calling(mixed)
      fakeOf(pair.visitor).muteLocalAudio()
      const { contact, told } = await again(pair)
      expect(fakeOf(contact).controls()).toEqual({ muted: ['Voice', 'Video'], held: false })
      expect([told, liveOf(devices).length > 0]).toMatchObject([
        [['restored', { muted: ['Voice', 'Video'] }]],
        true,
      ])
    },
  )

  it('SND-10 what is kept is gone with the contact', async () => {
    const store = memoryStore()
    const keys = new Set<string>()
    const watched: KeyValueStore = {
      getItem: (key) => store.getItem(key),
      setItem: (key, value) => {
        keys.add(key)
        store.setItem(key, value)
      },
      removeItem: (key) => {
        keys.delete(key)
        store.removeItem(key)
      },
    }
    const { pair } = await calling(watched)
    expect([...keys].filter((key) => key.includes(':controls')).length).toBe(1)
    await pair.visitor.leave()
    await settled()
    expect([...keys].filter((key) => key.includes(':controls'))).toEqual([])
  })

  it('SND-10 a page that follows does not write over what the page with the call keeps', async () => {
    const { pair } = await calling(memoryStore())
    const tab = memoryStore()
    const { contact: newer } = await openTab(pair, tab)
    fakeOf(newer).muteLocalAudio()
    fakeOf(pair.visitor).unmuteLocalAudio()
    fakeOf(pair.visitor).muteLocalVideo()
    const { contact } = await again({ ...pair }, tab)
    expect(fakeOf(contact).controls().muted).toEqual(['Video'])
  })

  it('SND-10 the console of the agent does the same', async () => {
    const { visitor, agent, reload } = await createTestContact()
    answering(agent)
    await visitor.offerMedia(VOICE)
    await settled()
    fakeOf(agent).muteLocalAudio()
    const page = await reload('agent')
    expect([fakeOf(page).controls(), mediaOf({ visitor, agent: page }).agent]).toMatchObject([
      { muted: ['Voice'] },
      { Voice: CALL },
    ])
  })
})

describe('mute where both sides are loaded anew together', () => {
  /**
   * Both pages are closed in a call in which the agent is muted; the visitor's next page is the first to
   * offer it again.
   */
  async function bothAgain(store: KeyValueStore) {
    const { pair } = await calling(memoryStore(), store)
    fakeOf(pair.agent).muteLocalAudio()
    await settled()
    await Promise.all([pair.pages.visitor.client.close(), pair.pages.agent.client.close()])
    const { contact: visitor } = await pair.world.visitor({ tab: pair.tab }).client.resumeContact()
    const [agent] = await pair.world.agent().client.contacts()
    if (!visitor || !agent) throw new Error('there is no contact')
    answering(agent)
    await agent.join()
    await pair.clock.advance(5_000)
    return { visitor, agent }
  }

  it('SND-10 the side that is asked comes back as it was left, too', async () => {
    const { visitor, agent } = await bothAgain(memoryStore())
    expect([agent.data().mediaState, visitor.data().mediaState]).toMatchObject([
      { Voice: CALL, Video: CALL },
      { Voice: CALL, Video: CALL },
    ])
    expect([fakeOf(agent).controls(), fakeOf(visitor).controls()]).toEqual([
      { muted: ['Voice'], held: false },
      { muted: [], held: false },
    ])
  })

  it('SND-10 and muted where that is not known', async () => {
    const values = memoryStore()
    const { agent } = await bothAgain({
      ...values,
      getItem: (key) => (key.includes(':controls') ? null : values.getItem(key)),
    })
    expect([agent.data().mediaState, fakeOf(agent).controls()]).toMatchObject([
      { Voice: CALL, Video: CALL },
      { muted: ['Voice', 'Video'], held: false },
    ])
  })

  it('SND-10 a page that goes on while the other is loaded anew stays as its user has it', async () => {
    const values = memoryStore()
    const { pair } = await calling(memoryStore(), {
      ...values,
      getItem: (key) => (key.includes(':controls') ? null : values.getItem(key)),
    })
    fakeOf(pair.agent).muteLocalVideo()
    await again(pair)
    expect(fakeOf(pair.agent).controls()).toEqual({ muted: ['Video'], held: false })
  })
})

/** A storage that takes the first value of a key and no other. */
function stuck(_why: string): KeyValueStore {
  const values = new Map<string, string>()
  let writes = 0
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => {
      if (++writes <= 1) values.set(key, value)
    },
    removeItem: (key) => void values.delete(key),
  }
}
