import { beforeAll, describe, expect, it } from 'vitest'
import type { Contact } from '../../../sdk/index.ts'
import { settled } from '../../../testing/index.ts'
import { VOICE, asked, fakeOf, joined, leaveBoth } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'
import { CALLS, LOADING_MS, documented, faultsOf, trap } from './arbitrary-arguments.ts'

/** Operations that a class has, whoever added them. */
const methodsOf = (object: object): string[] => {
  const names = new Set<string>()
  for (let type = object; type !== Object.prototype; type = Object.getPrototypeOf(type) as object)
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(type)))
      if (typeof value === 'function' && name !== 'constructor') names.add(name)
  return [...names]
}

/** A contact in each stage of its life. */
const STAGES: Readonly<Record<string, () => Promise<Contact>>> = {
  'not entered': async () => {
    const world = new World()
    const visitor = await world.visitor().client.createContact()
    return world.agent().client.accept(visitor.id)
  },
  queued: () => new World().visitor().client.createContact(),
  idle: async () => (await joined()).visitor,
  offering: async () => {
    const { visitor, agent } = await joined()
    asked(agent)
    void visitor.offerMedia(VOICE)
    await settled()
    return visitor
  },
  offered: async () => {
    const { visitor, agent } = await joined()
    asked(visitor)
    void agent.offerMedia(VOICE)
    await settled()
    return visitor
  },
  transiting: async () => {
    const { visitor, agent } = await joined()
    agent.on('mediaoffer', ({ callback: answer }) => answer(null, { Voice: { tx: true, rx: true } }))
    fakeOf(visitor).script('transit', 'hang')
    void visitor.offerMedia({ Voice: VOICE.Voice ?? { tx: 'off', rx: 'off' } })
    await settled()
    return visitor
  },
  offline: async () => {
    const { visitor, link } = await joined()
    link.faults = { onConnect: () => 'drop' }
    link.cut('visitor')
    return visitor
  },
  left: async () => {
    const pair = await joined()
    await leaveBoth(pair)
    return pair.visitor
  },
}
const MEDIA_STATES: Readonly<Record<string, string>> = {
  queued: 'idle',
  idle: 'idle',
  offering: 'offering',
  offered: 'offered',
  transiting: 'transiting',
  offline: 'idle',
}

/** Methods that only the SDK itself calls. */
const INTERNAL = ['drop', 'endOutside', 'follow', 'isConnected']
const { names: OPERATIONS, codesOf } = documented(['sdk', 'api', 'contact.ts'], 'Contact')

/** Loads what operations load when they are first called. */
beforeAll(async () => {
  const { visitor } = await joined()
  const called = OPERATIONS.map(async (operation) =>
    (visitor as unknown as Record<string, () => unknown>)[operation]?.call(visitor),
  )
  await Promise.race([Promise.allSettled(called), new Promise((resolve) => setTimeout(resolve, LOADING_MS))])
})

describe('arbitrary arguments', () => {
  // What is loaded with the first file or request would take longer than a test waits for an answer.
  beforeAll(() =>
    Promise.all([import('../../../sdk/attachments/attach.ts'), import('../../../sdk/rpc/rpc.ts')]),
  )

  it('ERR-5 every method of a contact is an operation that its documentation names', async () => {
    const { visitor } = await joined()
    expect(
      methodsOf(visitor)
        .filter((name) => !INTERNAL.includes(name))
        .toSorted(),
    ).toEqual(OPERATIONS.toSorted())
  })

  it('ERR-5 the stages are what they are called', async () => {
    for (const [stage, state] of Object.entries(MEDIA_STATES))
      expect((await STAGES[stage]?.())?.mediaState).toBe(state)
  })

  describe.each(Object.entries(STAGES))('to a contact that is %s', (stage, start) => {
    it.each(OPERATIONS)(
      'ERR-1 ERR-5 ERR-6 %s gives a documented error or none, and never hangs',
      async (operation) => {
        const contact = await start()
        /** Lets a transition that began come to its end, so that the next arguments are looked at, too. */
        const rested = async (): Promise<Contact> => {
          if (stage === 'idle' && contact.mediaState !== 'idle' && operation !== 'leave') await settled()
          return contact
        }
        expect(await faultsOf(rested, operation, codesOf(operation), () => contact.leave())).toEqual([])
      },
    )
  })
})

describe('arbitrary arguments to a page', () => {
  const client = documented(['sdk', 'api', 'client.ts'], 'Client')
  it.each(client.names.filter((name) => name !== 'close'))(
    'ERR-1 ERR-5 ERR-6 %s of a visitor’s page gives a documented error or none, and never hangs',
    async (operation) => {
      const pages: { close(): Promise<void> }[] = []
      const load = () => {
        const page = new World().visitor().client
        pages.push(page)
        return page
      }
      expect(
        await faultsOf(
          load,
          operation,
          client.codesOf(operation),
          () => Promise.all(pages.map((page) => page.close())),
          CALLS / 4,
        ),
      ).toEqual([])
    },
  )

  const agent = documented(['sdk', 'agent', 'agent.ts'], 'Agent')
  it.each(agent.names.filter((name) => name !== 'close'))(
    'ERR-1 ERR-5 ERR-6 %s of an agent’s page gives a documented error or none, and never hangs',
    async (operation) => {
      const page = new World().agent().client
      expect(
        await faultsOf(
          () => page,
          operation,
          agent.codesOf(operation),
          () => page.close(),
        ),
      ).toEqual([])
    },
  )
})

describe('null', () => {
  const none = null as never
  it('SND-302 ERR-1 stands for an argument that is not given', async () => {
    const pair = await joined()
    pair.agent.on('mediaoffer', ({ offer }) => void pair.agent.acceptOffer(offer))
    pair.agent.on('Do', (_data, callback) => callback?.(null, 1))
    const { visitor } = pair
    const calls: Readonly<Record<string, () => unknown>> = {
      offerMedia: () => visitor.offerMedia(VOICE, none),
      transitMedia: async () =>
        visitor.transitMedia(await visitor.getMedia(none), await visitor.getMedia(), none),
      mergeAndTransitMedia: () => visitor.mergeAndTransitMedia({ Voice: { tx: false, rx: false } }, none),
      sendText: () => visitor.sendText('x', none, none),
      sendLink: () => visitor.sendLink('https://example.org/', none, none),
      sendAction: () => visitor.sendAction('Beep', none, none),
      request: () => visitor.request('Do', none, none, none, none),
      readTranscript: () => visitor.readTranscript(none),
      attach: () => visitor.attach(new File(['x'], 'x.txt'), none, none, none),
      ready: () => pair.pages.agent.client.ready(none),
      on: () => visitor.on('text', () => {}, none),
      leave: () => visitor.leave(none, none),
    }
    const refused: Record<string, unknown> = {}
    for (const [name, call] of Object.entries(calls))
      try {
        await call()
        await settled()
      } catch (error) {
        refused[name] = error
      }
    expect(refused).toEqual({})
  })

  it('SND-302 ERR-1 options that throw when they are read are an argument that cannot be read', async () => {
    const { visitor } = await joined()
    const trapped = Object.defineProperty({}, 'restore', { get: trap, enumerable: true })
    await expect(visitor.mergeAndTransitMedia({}, trapped)).rejects.toMatchObject({
      code: 'invalid_argument',
    })
  })
})
