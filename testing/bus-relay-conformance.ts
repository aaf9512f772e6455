import { law, upTo } from './bus-law.ts'
import type { BusLaw } from './bus-law.ts'
import { same } from './suite-bench.ts'

const SESSION_FRAMES = 512
const FRAME_BYTES = 131_072
const NODE_BYTES = 16_777_216
const frame = (session: string, body: unknown) => ({ session, body })

/** Order and back-pressure of the relay. */
export const BUS_RELAY_LAWS: readonly BusLaw[] = [
  law('frame', 'the sender of a frame hears what the other node answers', async (bench) => {
    const [a, b] = [await bench.node('a'), await bench.node('b')]
    b.onFrame = ({ body }) => body as 'taken'
    for (const answer of ['taken', 'peer_left', 'rate_limited', 'not_here'])
      same(await a.bus.frame('b', frame('s', answer)), answer, 'the answer')
    b.onFrame = () => {
      throw new Error('a test')
    }
    same(await a.bus.frame('b', frame('s', 'x')), 'offline', 'the answer of a handler that fails')
    same(await a.bus.frame('nobody', frame('s', 'x')), 'offline', 'the answer of a node that is not there')
  }),
  law('frame-order', 'frames arrive in order, whenever they are answered', async (bench) => {
    const [a, b] = [await bench.node('a'), await bench.node('b')]
    const open: (() => void)[] = []
    b.onFrame = ({ body }) =>
      Number(body) % 3 === 0 ? new Promise((resolve) => open.push(() => resolve('taken'))) : 'taken'
    const sent = upTo(500).map((n) => a.bus.frame('b', frame('s', n)))
    await bench.until('all frames', () => b.frames.length >= 500)
    for (const settle of open.toReversed()) settle()
    same(new Set(await Promise.all(sent)), new Set(['taken']), 'the answers')
    same(b.passed, upTo(500), 'the frames')
  }),
  law('frame-large', 'frames of 131,072 bytes arrive in order', async (bench) => {
    const [a, b] = [await bench.node('a'), await bench.node('b')]
    const body = 'x'.repeat(FRAME_BYTES)
    const sent = upTo(60).map((n) => a.bus.frame('b', frame('s', { n, body })))
    same(new Set(await Promise.all(sent)), new Set(['taken']), 'the answers')
    same(
      b.passed.map((each) => (each as { n: number }).n),
      upTo(60),
      'the frames',
    )
    same(await a.bus.frame('b', frame('s', body + body)), 'too_large', 'the answer to a larger one')
  }),
  law('frame-session', 'a session has at most 512 frames without an answer', async (bench) => {
    const [a, b] = [await bench.node('a'), await bench.node('b')]
    let settle = (): void => {}
    const open = new Promise<'taken'>((resolve) => (settle = () => resolve('taken')))
    b.onFrame = ({ session }) => (session === 'slow' ? open : 'taken')
    const sent = upTo(SESSION_FRAMES).map((n) => a.bus.frame('b', frame('slow', n)))
    same(await a.bus.frame('b', frame('slow', 'more')), 'rate_limited', 'the answer to one more')
    same(await a.bus.frame('b', frame('other', 'x')), 'taken', 'the answer to another session')
    settle()
    same(new Set(await Promise.all(sent)), new Set(['taken']), 'the answers')
    same(await a.bus.frame('b', frame('slow', 'next')), 'taken', 'the answer after that')
    same(b.passed, [...upTo(SESSION_FRAMES), 'x', 'next'], 'the frames')
  }),
  law('frame-node', 'a node has at most 16,777,216 bytes of frames without an answer', async (bench) => {
    const [a, b, c] = [await bench.node('a'), await bench.node('b'), await bench.node('c')]
    let settle = (): void => {}
    const open = new Promise<'taken'>((resolve) => (settle = () => resolve('taken')))
    b.onFrame = () => open
    const body = 'x'.repeat(FRAME_BYTES)
    const fits = Math.floor(NODE_BYTES / (FRAME_BYTES + 200))
    const sent = upTo(fits).map((n) => a.bus.frame('b', frame(`s${n}`, body)))
    same(await a.bus.frame('b', frame('s', body)), 'rate_limited', 'the answer to one more')
    same(await a.bus.frame('c', frame('s', body)), 'taken', 'the answer of another node')
    await bench.until('all frames', () => b.frames.length === fits)
    settle()
    same(new Set(await Promise.all(sent)), new Set(['taken']), 'the answers')
    same([b.frames.length, c.frames.length], [fits, 1], 'the frames')
  }),
  law('frame-hints', 'hints pass while frames wait', async (bench) => {
    const [a, b] = [await bench.node('a'), await bench.node('b')]
    bench.ways.decide(({ target }) => (target === 'frames' ? 'hold' : 'pass'))
    const sent = upTo(100).map((n) => a.bus.frame('b', frame('s', n)))
    a.bus.hint('b', { kind: 'test', body: 'hint' })
    await bench.until('the hint', () => b.hints.length === 1)
    same(b.frames, [], 'the frames')
    bench.ways.release()
    same(new Set(await Promise.all(sent)), new Set(['taken']), 'the answers')
    same(b.passed, upTo(100), 'the frames')
  }),
]
