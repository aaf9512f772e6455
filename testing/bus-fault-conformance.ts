import { codeOf, law, upTo } from './bus-law.ts'
import type { MessageUnderWay } from './bus-bench.ts'
import type { BusLaw } from './bus-law.ts'
import { same } from './suite-bench.ts'

/** Longer than a frame may be on its way. */
const OLD_MS = 6_000
const hint = (body: unknown) => ({ kind: 'test', body })
const frame = (body: unknown) => ({ session: 's', body })

/** What holds while messages are lost, come twice, late or in another order, and connections break. */
export const BUS_FAULT_LAWS: readonly BusLaw[] = [
  law('drop', 'a node hears that it misses hints of another one, with the next of them', async (bench) => {
    const [a, b] = [await bench.node('a'), await bench.node('b')]
    for (const target of ['node', 'all'] as const) {
      const tell = (body: string) =>
        target === 'node' ? a.bus.hint('b', hint(body)) : a.bus.hintAll(hint(body))
      b.hints.length = b.missed.length = 0
      tell('1')
      await bench.until('the first', () => b.hints.length === 1)
      const lost = loseNext(1)
      bench.ways.decide(lost.rule)
      tell('2')
      await bench.until('the fate of the second', lost.isDone)
      tell('3')
      tell('4')
      await bench.until('the rest', () => b.hints.length === 3)
      same([b.told, b.missed], [['1', '3', '4'], ['a']], `what b heard (${target})`)
    }
  }),
  law('drop-first', 'also where the first hint of all is lost', async (bench) => {
    const [a, b] = [await bench.node('a'), await bench.node('b')]
    const lost = loseNext(1)
    bench.ways.decide(lost.rule)
    a.bus.hint('b', hint(1))
    a.bus.hint('b', hint(2))
    await bench.until('the second', () => b.hints.length === 1)
    same([b.told, b.missed], [[2], ['a']], 'what b heard')
  }),
  law('repeat', 'a message that comes twice counts once', async (bench) => {
    const [a, b] = [await bench.node('a'), await bench.node('b')]
    let asked = 0
    b.onRequest = () => (asked += 1)
    bench.ways.decide(() => 'twice')
    for (const n of upTo(3)) {
      a.bus.hint('b', hint(n))
      a.bus.hintAll(hint(-n))
    }
    same(await a.bus.request('b', hint(1)), 1, 'the answer')
    same(await a.bus.frame('b', frame(1)), 'taken', 'the answer')
    same(await a.bus.frame('b', frame(2)), 'taken', 'the answer')
    same(
      b.told.filter((n) => Number(n) > 0),
      upTo(3),
      'the hints to b',
    )
    same(
      b.told.filter((n) => Number(n) < 0),
      upTo(3).map((n) => -n),
      'the hints to all',
    )
    same([asked, b.passed, b.missed], [1, [1, 2], []], 'the rest')
  }),
  law('delay', 'messages that come late come in order, and none is missed', async (bench) => {
    const [a, b] = [await bench.node('a'), await bench.node('b')]
    bench.ways.decide(({ to }) => (to === 'b' ? 'hold' : 'pass'))
    for (const n of upTo(50)) a.bus.hint('b', hint(n))
    const sent = upTo(50).map((n) => a.bus.frame('b', frame(n)))
    await a.bus.request('a', hint('all have left'))
    same([b.told, b.passed], [[], []], 'what b heard before')
    bench.ways.decide(() => 'pass')
    bench.ways.release()
    same(new Set(await Promise.all(sent)), new Set(['taken']), 'the answers')
    await bench.until('the hints', () => b.hints.length === 50)
    same([b.told, b.passed, b.missed], [upTo(50), upTo(50), []], 'what b heard')
  }),
  law('reorder', 'another order between hints to a node, to all and frames is no loss', async (bench) => {
    const [a, b] = [await bench.node('a'), await bench.node('b')]
    bench.ways.decide(({ to, target }) => (to === 'b' && target === 'node' ? 'hold' : 'pass'))
    a.bus.hint('b', hint('node'))
    a.bus.hintAll(hint('all'))
    same(await a.bus.frame('b', frame('frame')), 'taken', 'the answer')
    await bench.until('the hint to all', () => b.hints.length === 1)
    bench.ways.release()
    await bench.until('the hint to b', () => b.hints.length === 2)
    same([b.told, b.passed, b.missed], [['all', 'node'], ['frame'], []], 'what b heard')
  }),
  law('frame-lost', 'a frame that is lost is answered with offline, those after it pass', async (bench) => {
    const [a, b] = [await bench.node('a'), await bench.node('b')]
    const lost = loseNext(1)
    bench.ways.decide(lost.rule)
    const sent = upTo(4).map((n) => a.bus.frame('b', frame(n)))
    same(await Promise.all(sent), ['offline', 'taken', 'taken', 'taken'], 'the answers')
    same([b.passed, b.missed], [[2, 3, 4], []], 'what b heard')
  }),
  law('frame-old', 'a frame that was on its way for more than 5 s is not handed over', async (bench) => {
    let now = 0
    const [a, b] = [await bench.node('a', { now: () => now }), await bench.node('b', { now: () => now })]
    bench.ways.decide(({ target }) => (target === 'frames' ? 'hold' : 'pass'))
    const old = a.bus.frame('b', frame('old'))
    same(await old, 'offline', 'the answer')
    now = OLD_MS
    bench.ways.decide(() => 'pass')
    bench.ways.release()
    same(await a.bus.frame('b', frame('new')), 'taken', 'the answer')
    same(b.passed, ['new'], 'the frames')
  }),
  law('cut', 'a node without a connection sends nothing, and nothing of then comes later', async (bench) => {
    const [a, b] = [await bench.node('a'), await bench.node('b')]
    a.bus.hint('b', hint('before'))
    await bench.until('the hint', () => b.hints.length === 1)
    bench.ways.cut('a')
    await bench.until('the loss', () => !a.bus.isUp)
    same([a.bus.hint('b', hint('lost')), a.bus.hintAll(hint('lost'))], ['offline', 'offline'], 'the results')
    same(await a.bus.frame('b', frame('lost')), 'offline', 'the answer')
    same(await codeOf(a.bus.request('b', hint('lost'))), 'offline', 'the code')
    bench.ways.mend('a')
    await bench.until('the connection', () => a.bus.isUp)
    same(a.missed, [null], 'what counts as missed at a')
    await bench.until('b hears a', () => a.bus.hint('b', hint('after')) === 'sent' && b.hints.length > 1)
    same(await a.bus.frame('b', frame('after')), 'taken', 'the answer')
    same([b.told.includes('lost'), b.passed], [false, ['after']], 'what b heard')
    same(b.missed.includes('a'), true, 'that b has missed hints of a')
  }),
  law(
    'cut-often',
    'each return of a connection is told once, and the bus passes on after it',
    async (bench) => {
      const [a, b] = [await bench.node('a'), await bench.node('b')]
      for (const time of upTo(3)) {
        bench.ways.cut('b')
        await bench.until('the loss', () => !b.bus.isUp)
        bench.ways.mend('b')
        await bench.until('the connection', () => b.bus.isUp)
        await bench.until(
          'b is heard of',
          async () => (await codeOf(a.bus.request('b', hint(1)))) === 'answered',
        )
        same(await a.bus.frame('b', frame(time)), 'taken', 'the answer')
        same(b.missed.filter((from) => from === null).length, time, 'the returns that b was told of')
      }
      same(b.passed, upTo(3), 'the frames')
    },
  ),
]

/** A rule by which the next messages to b are lost. */
function loseNext(count: number) {
  let left = count
  return {
    rule: ({ to }: MessageUnderWay) => (to === 'b' && (left -= 1) >= 0 ? 'drop' : 'pass'),
    isDone: () => left <= 0,
  } as const
}
