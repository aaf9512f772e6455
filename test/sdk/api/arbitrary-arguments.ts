import fc from 'fast-check'
import { ContactError } from '../../../protocol/index.ts'
import { publicInterface } from '../../../scripts/contact-interface.mjs'
import { settled } from '../../../testing/index.ts'

/** Calls of each operation in each stage. */
export const CALLS = 1_000

export const LOADING_MS = 8_000

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
export const trap = (): never => {
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
export async function faultsOf(
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
export const documented = (path: readonly string[], name: string) => {
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
