import { codeOf, law, upTo } from './bus-law.ts'
import type { BusLaw } from './bus-law.ts'
import { same } from './suite-bench.ts'

const MESSAGE_BYTES = 262_144
const hint = (body: unknown) => ({ kind: 'test', body })

/** Hints and requests while every message passes. */
export const BUS_MESSAGE_LAWS: readonly BusLaw[] = [
  law('hint', 'a hint to a node reaches that node alone', async (bench) => {
    const [a, b, c] = [await bench.node('a'), await bench.node('b'), await bench.node('c')]
    same(a.bus.hint('b', hint({ text: 'ä' })), 'sent', 'the result')
    a.bus.hint('c', hint('end'))
    await bench.until('both hints', () => b.hints.length + c.hints.length === 2)
    same(b.hints, [{ from: 'a', body: { text: 'ä' } }], 'what b heard')
    same([a.told, c.told], [[], ['end']], 'what a and c heard')
  }),
  law('all', 'a hint to all reaches all other nodes, and not its sender', async (bench) => {
    const [a, b, c] = [await bench.node('a'), await bench.node('b'), await bench.node('c')]
    same(a.bus.hintAll(hint(1)), 'sent', 'the result')
    b.bus.hint('a', hint('end'))
    await bench.until('all three', () => b.hints.length + c.hints.length + a.hints.length === 3)
    same([a.told, b.told, c.told], [['end'], [1], [1]], 'what was heard')
    same([a.missed, b.missed, c.missed], [[], [], []], 'what counts as missed')
  }),
  law('order', 'hints of one node to another arrive in order, each once', async (bench) => {
    const [a, b] = [await bench.node('a'), await bench.node('b')]
    for (const n of upTo(2_000)) a.bus.hint('b', hint(n))
    await bench.until('all hints', () => b.hints.length >= 2_000)
    same(b.told, upTo(2_000), 'the hints')
    same(b.missed, [], 'what counts as missed')
  }),
  law('late-node', 'a node that came later has missed nothing of before', async (bench) => {
    const a = await bench.node('a')
    for (const n of upTo(3)) a.bus.hintAll(hint(n))
    await a.bus.request('a', hint('all have left'))
    const b = await bench.node('b')
    a.bus.hintAll(hint(4))
    await bench.until('the hint', () => b.hints.length > 0)
    same([b.told, b.missed], [[4], []], 'what b heard')
  }),
  law('request', 'a request is answered by the node that it names', async (bench) => {
    const [a, b] = [await bench.node('a'), await bench.node('b')]
    b.onRequest = ({ kind, body }) => ({ kind, body, by: 'b' })
    same(await a.bus.request('b', hint(7)), { kind: 'test', body: 7, by: 'b' }, 'the answer')
    b.onRequest = () => undefined
    same(await a.bus.request('b', hint(7)), null, 'the answer without a value')
  }),
  law('request-unknown', 'a request to a node that is not there fails at once', async (bench) => {
    const a = await bench.node('a')
    const started = Date.now()
    same(await codeOf(a.bus.request('nobody', hint(1))), 'offline', 'the code')
    if (Date.now() - started > 1_500) throw new Error('it was waited for')
  }),
  law('request-fails', 'a handler that fails harms no other request', async (bench) => {
    const [a, b] = [await bench.node('a'), await bench.node('b')]
    b.onRequest = ({ body }) => {
      if (body === 1) throw new Error('a test')
      return body
    }
    const both = [a.bus.request('b', hint(1)), a.bus.request('b', hint(2))] as const
    same([await codeOf(both[0]), await both[1]], ['offline', 2], 'the outcomes')
  }),
  law('request-silent', 'a request that nobody answers ends as offline', async (bench) => {
    const [a, b] = [await bench.node('a'), await bench.node('b')]
    b.onRequest = () => new Promise(() => {})
    same(await codeOf(a.bus.request('b', hint(1))), 'offline', 'the code')
  }),
  law('request-bound', 'a node has at most 1,000 requests without an answer', async (bench) => {
    const [a, b] = [await bench.node('a'), await bench.node('b')]
    let asked = 0
    let answer = (): void => {}
    const open = new Promise<void>((resolve) => (answer = resolve))
    b.onRequest = () => {
      asked += 1
      return open.then(() => 'late')
    }
    const waiting = upTo(1_000).map(() => a.bus.request('b', hint(1)))
    same(await codeOf(a.bus.request('b', hint(1))), 'offline', 'the code of one more')
    await bench.until('all are there', () => asked === 1_000)
    answer()
    await Promise.all(waiting)
    same(asked, 1_000, 'the requests that arrived')
    same(await a.bus.request('b', hint(1)), 'late', 'the answer to one more')
  }),
  law('large', 'a message of 262,144 bytes at most passes, a larger one is refused', async (bench) => {
    const [a, b] = [await bench.node('a'), await bench.node('b')]
    const [fits, large] = ['x'.repeat(MESSAGE_BYTES - 1_024), 'x'.repeat(MESSAGE_BYTES)]
    same(a.bus.hint('b', hint(large)), 'too_large', 'the result')
    same(a.bus.hint('b', hint(fits)), 'sent', 'the result')
    same(await codeOf(a.bus.request('b', hint(large))), 'too_large', 'the code')
    b.onRequest = () => large
    same(await codeOf(a.bus.request('b', hint(1))), 'offline', 'the code where the answer is too large')
    await bench.until('the hint', () => b.hints.length > 0)
    same([b.told[0] === fits, b.told.length, b.missed], [true, 1, []], 'what b heard')
  }),
  law('bounded', 'hints that cannot leave fast enough are refused, and then missed', async (bench) => {
    const [a, b] = [await bench.node('a'), await bench.node('b')]
    const body = 'x'.repeat(MESSAGE_BYTES - 1_024)
    const results = upTo(200).map(() => a.bus.hint('b', hint(body)))
    same([results[0], results.at(-1)], ['sent', 'full'], 'the first and the last result')
    const sent = results.filter((result) => result === 'sent').length
    await bench.until('what was sent', () => b.hints.length === sent)
    same(b.missed, [], 'what counts as missed before the next hint')
    await bench.until('there is room again', () => a.bus.hint('b', hint('end')) === 'sent')
    await bench.until('the next hint', () => b.told.includes('end'))
    same(b.missed, ['a'], 'what counts as missed')
  }),
  law('stranger', 'messages and answers of nodes with another key count for nothing', async (bench) => {
    const [a, b] = [await bench.node('a'), await bench.node('b')]
    const stranger = await bench.node('s', { key: 'another key' })
    same(stranger.bus.hint('b', hint('lie')), 'sent', 'the result')
    stranger.bus.hintAll(hint('lie'))
    const asked = codeOf(stranger.bus.request('b', hint('lie')))
    const answered = codeOf(a.bus.request('s', hint(1)))
    a.bus.hint('b', hint('end'))
    await bench.until('the hint', () => b.told.includes('end'))
    same([await asked, await answered], ['offline', 'offline'], 'the codes')
    same([b.told, b.missed, stranger.hints], [['end'], [], []], 'what was heard')
  }),
  law('close', 'a closed bus hears nothing, sends nothing and waits for nobody', async (bench) => {
    const [a, b] = [await bench.node('a'), await bench.node('b')]
    b.onRequest = () => new Promise(() => {})
    b.onFrame = () => new Promise(() => {})
    const waiting = [codeOf(a.bus.request('b', hint(1))), a.bus.frame('b', { session: 's', body: 1 })]
    await bench.until('the frame', () => b.frames.length > 0)
    const started = Date.now()
    await a.bus.close()
    same(await Promise.all(waiting), ['offline', 'offline'], 'what waited')
    if (Date.now() - started > 1_500) throw new Error('it waited for an answer')
    same([a.bus.isUp, a.bus.hint('b', hint(1)), a.bus.hintAll(hint(1))], [false, 'offline', 'offline'], 'it')
    same(await codeOf(a.bus.request('b', hint(1))), 'offline', 'a request')
    same(await a.bus.frame('b', { session: 's', body: 1 }), 'offline', 'a frame')
    same(await codeOf(b.bus.request('a', hint(1))), 'offline', 'a request to it')
    await a.bus.close()
    await b.bus.close()
    await bench.until('no connection is left', async () => (await bench.ways.connections()) === 0)
    same(a.told, [], 'what it heard')
  }),
]
