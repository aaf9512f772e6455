import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import type { Contact } from '../../../sdk/index.ts'
import { settled } from '../../../testing/index.ts'
import { VOICE, answering, asked, fakeOf, inCall, joined, watch } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'
import type { Pair } from '../../support/contacts.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** The visitor offers a call that does not come further than `prepare` lets it. */
async function offering(prepare: (pair: Pair) => void): Promise<Pair> {
  const pair = await joined()
  prepare(pair)
  watch(pair.visitor.offerMedia(VOICE))
  await settled()
  return pair
}

/** What the visitor is in the middle of when they leave. */
const MOMENTS: Readonly<Record<string, () => Promise<Pair>>> = {
  'nothing is going on': () => joined(),
  'they talk': () => inCall(),
  'the browser asks for a device': () =>
    offering(({ visitor, agent }) => {
      answering(agent)
      fakeOf(visitor).script('prepare', 'freeze')
    }),
  'an offer stands': () => offering(({ agent }) => void asked(agent)),
  'an engine works': () =>
    offering(({ visitor, agent }) => {
      answering(agent)
      fakeOf(visitor).script('transit', 'freeze')
    }),
  'a file is uploaded': async () => {
    const world = new World()
    const reached = new Promise<void>((resolve) => {
      world.link.files.upload = () => {
        resolve()
        return new Promise(() => {})
      }
    })
    const pair = await joined({}, undefined, world)
    watch(pair.visitor.attach(new File(['x'], 'x.txt')))
    await reached
    return pair
  },
  'a request waits, and a channel is open': async () => {
    const pair = await joined()
    pair.agent.on('Wait', () => {})
    watch(pair.visitor.request('Wait'))
    await pair.visitor.sendData('pointer', 1, undefined, 'sio')
    await settled()
    return pair
  },
}

/**
 * Leaves, and keeps nothing but what an application keeps that goes on: its clients, the service, the other
 * party.
 */
async function left(
  moment: () => Promise<Pair>,
): Promise<{ readonly kept: Omit<Pair, 'visitor'>; readonly gone: WeakRef<Contact> }> {
  const { visitor, ...kept } = await moment()
  visitor.on('text', () => {})
  await visitor.leave()
  await settled()
  return { kept, gone: new WeakRef(visitor) }
}

describe('a contact that was left', () => {
  it.each(Object.keys(MOMENTS))('LIFE-20 while %s is given back to the garbage collector', async (name) => {
    const { kept, gone } = await left(MOMENTS[name] ?? expect.fail(name))
    for (let turn = 0; turn < 5 && gone.deref(); turn++) {
      await new Promise((resolve) => setTimeout(resolve, 0))
      collectGarbage()
    }
    expect(gone.deref()).toBe(undefined)
    expect(kept.pages.visitor.client).toBeDefined()
    await kept.agent.leave()
    await settled()
    expect(kept.clock.pending).toBe(0)
  })
})
