import { afterEach, describe, expect, it } from 'vitest'
import type { KeyValueStore } from '../../../sdk/api/client.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import { pageStore } from '../../../sdk/client/page-storage.ts'
import { settled } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import { World, fakes } from '../../support/world.ts'

const KINDS = ['localStorage', 'sessionStorage'] as const

/** The page's storage as a browser gives it; `get` may throw, as in a frame whose storage is blocked. */
function provide(get: () => KeyValueStore | undefined): void {
  for (const kind of KINDS) Object.defineProperty(globalThis, kind, { configurable: true, get })
}
const blocked = (): never => {
  throw new DOMException('The operation is insecure.', 'SecurityError')
}
afterEach(() => {
  for (const kind of KINDS) Reflect.deleteProperty(globalThis, kind)
})

/** A page of the visitor with the storage that there is. */
function page(world: World, told: string[]): VisitorClient {
  const warn = (message: string): void => void told.push(message)
  const environment = {
    ...testEnvironment(world.clock, fakes),
    store: pageStore('localStorage', warn),
    tab: pageStore('sessionStorage', warn),
  }
  return new VisitorClient(
    { service: 'http://localhost', transport: world.link.transport({ slot: 'visitor', id: 'visitor-1' }) },
    environment,
  )
}

describe('storage of the page', () => {
  it('RES-8 where it is blocked all works but resuming, and the log is told once of each', async () => {
    provide(blocked)
    const [world, told] = [new World(), [] as string[]]
    const client = page(world, told)
    const visitor = await client.createContact()
    visitor.on('Count', (_data, callback) => callback(null, 1))
    const agent = await world.agent().client.accept(visitor.id)
    await agent.join()
    await settled()
    await Promise.all([visitor.sendText('one'), agent.sendText('two'), agent.request('Count')])
    world.link.cut('visitor')
    await world.clock.advance(5_000)
    await visitor.sendText('three')
    await client.close()
    expect(await page(world, []).resumeContact()).toEqual({ contact: null, resumed: false })
    expect(told.toSorted()).toEqual([
      'localStorage cannot be used; nothing is kept over page loads',
      'sessionStorage cannot be used; nothing is kept over page loads',
    ])
  })

  it('RES-8 what does not fit any more is remembered by the page, and newer than what was kept', () => {
    const values = new Map([['a', 'old']])
    let isFull = true
    provide(() => ({
      getItem: (key) => values.get(key) ?? null,
      setItem(key, value) {
        if (isFull) throw new DOMException('full', 'QuotaExceededError')
        values.set(key, value)
      },
      removeItem: (key) => void values.delete(key),
    }))
    const told: string[] = []
    const store = pageStore('localStorage', (message) => void told.push(message))
    expect(store.getItem('a')).toBe('old')
    store.setItem('a', 'new')
    store.setItem('b', '1')
    expect([store.getItem('a'), store.getItem('b'), told.length]).toEqual(['new', '1', 1])
    isFull = false
    store.setItem('a', 'newer')
    expect([store.getItem('a'), values.get('a')]).toEqual(['newer', 'newer'])
    for (const key of ['a', 'b']) store.removeItem(key)
    expect([store.getItem('a'), store.getItem('b'), values.size]).toEqual([null, null, 0])
  })

  it('RES-8 where there is none, as in Node, the page remembers', () => {
    const store = pageStore('localStorage', () => {})
    store.setItem('a', '1')
    expect([store.getItem('a'), store.getItem('b')]).toEqual(['1', null])
  })
})
