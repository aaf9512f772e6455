import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import { publicInterface } from '../../../scripts/contact-interface.mjs'
import type { Contact } from '../../../sdk/index.ts'
import { settled } from '../../../testing/index.ts'
import { VOICE, World, asked, fakeOf, joined, leaveBoth } from '../../support/contacts.ts'

/** Calls of each operation in each stage. */
const CALLS = 1_000

const LOADING_MS = 8_000

/** Operations that a class has, whoever added them. */
const methodsOf = (object: object): string[] => {
  const names = new Set<string>()
  for (let type = object; type !== Object.prototype; type = Object.getPrototypeOf(type) as object)
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(type)))
      if (typeof value === 'function' && name !== 'constructor') names.add(name)
  return [...names]
}

const direction = fc.oneof(fc.boolean(), fc.constantFrom('required', 'optional', 'off'), fc.anything())
const details = fc.record(
  {
    tx: direction,
    rx: direction,
    via: fc.constantFrom('net', 'pstn', ''),
    engine: fc.constantFrom('WebRTC', 'Native', 'None'),
  },
  { requiredKeys: [] },
)
const media = fc.dictionary(
  fc.constantFrom('Chat', 'Voice', 'Video', 'Screen', 'Sharing', '__proto__', 'constructor', 'x'),
  fc.oneof(details, fc.anything()),
)
const words = fc.constantFrom(
  'WebRTC',
  'en',
  'https://example.org/',
  'javascript:alert(1)',
  'Media.Voice',
  '__proto__.x',
  'constructor.prototype.x',
  'OpenOrder',
  'text',
  'joined',
  'data',
  'sio',
)
const trap = (): never => {
  throw new Error('a trap')
}
const hostile = fc.constantFrom<unknown>(
  Object.create(null),
  new Proxy({}, { get: trap, ownKeys: trap }),
  new Proxy([], { get: trap }),
  Object.defineProperty({}, 'Voice', { get: trap, enumerable: true }),
  { toString: trap, toJSON: trap },
  Symbol('x'),
  10n,
  Number.NaN,
  '\u0000',
  '\uD800',
  'x'.repeat(100_000),
  trap,
  [[]],
  new Date(Number.NaN),
  new Blob(['x']),
  new File(['x'], '../x\u0000.html'),
  new AbortController().signal,
)
const anything = fc.anything({
  withNullPrototype: true,
  withBigInt: true,
  withDate: true,
  withMap: true,
  maxDepth: 2,
})

/** Errors that callbacks were given. */
let handed: unknown[] = []
const callback = fc.constant((error?: unknown) => void handed.push(error))
const lists = fc.sample(
  fc.array(fc.oneof(anything, media, hostile, words, fc.string(), fc.nat(5), callback), { maxLength: 5 }),
  { numRuns: CALLS, seed: 20 },
)

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

const shown = (args: readonly unknown[]): string => {
  try {
    return fc.stringify(args).slice(0, 200)
  } catch {
    return 'hostile arguments'
  }
}

/** What could not be done, and why or what to do. */
const GRAMMAR = /^unable to [^;]+; ./

/**
 * What is wrong with the answers of an operation to all lists of arguments; `end` is called when all were
 * given.
 */
async function faultsOf(
  targetOf: () => object | Promise<object>,
  operation: string,
  codes: ReadonlySet<string>,
  end: () => Promise<unknown>,
  calls = CALLS,
): Promise<string[]> {
  const wrong = new Map<string, string>()
  const waiting = new Set<readonly unknown[]>()
  const note = (what: string, args: readonly unknown[] = []): void =>
    void wrong.set(`${operation} ${what}`, shown(args))
  const isDocumented = (thrown: unknown): boolean =>
    thrown instanceof ContactError && codes.has(thrown.code) && GRAMMAR.test(thrown.message)
  const told = (thrown: unknown): string =>
    thrown instanceof ContactError ? `${thrown.code}: ${thrown.message}` : String(thrown)
  const unhandled = (thrown: unknown): void => note(`leaves unhandled ${String(thrown)}`)
  process.on('unhandledRejection', unhandled)
  handed = []
  for (const args of lists.slice(0, calls)) {
    const target = await targetOf()
    try {
      const outcome = (target as Record<string, (...all: readonly unknown[]) => unknown>)[operation]?.(
        ...args,
      )
      if (!(outcome instanceof Promise)) continue
      waiting.add(args)
      const done = (): void => void waiting.delete(args)
      outcome.then(done, (thrown: unknown) => {
        done()
        if (!isDocumented(thrown)) note(`rejects with ${told(thrown)}`, args)
      })
    } catch (thrown) {
      if (!isDocumented(thrown)) note(`throws ${told(thrown)}`, args)
    }
  }
  await settled()
  await end()
  // What is loaded only when it is needed takes its time.
  for (let waited = 0; waited < LOADING_MS && waiting.size > 0; waited += 20)
    await new Promise((resolve) => setTimeout(resolve, 20))
  await settled()
  process.off('unhandledRejection', unhandled)
  for (const error of handed)
    if (error instanceof Error && !isDocumented(error)) note(`calls back with ${told(error)}`)
  for (const args of waiting) note('hangs', args)
  return [...wrong].map(([what, args]) => `${what} ${args}`)
}

/**
 * Codes of an operation that its documentation names. What is for the whole interface counts, but for what
 * only a fault of the SDK could give.
 */
const documented = (path: readonly string[], name: string) => {
  const { operations, general } = publicInterface(path, name)
  const codes = new Map(
    operations.map((operation) => [
      operation.name,
      new Set([...operation.codes, ...general.filter((code) => code !== 'internal')]),
    ]),
  )
  return {
    names: operations.map((operation) => operation.name),
    codesOf: (operation: string) => codes.get(operation) ?? new Set<string>(),
  }
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
}, 30_000)

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
