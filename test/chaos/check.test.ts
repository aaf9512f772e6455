import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { judge } from './check.ts'
import type { Fact } from './facts.ts'
import { START, goodRun, isRead, swap, withDeath, without } from './made-up-run.ts'
import type { MadeUp } from './made-up-run.ts'
import { FAULTS, orderOf } from './nemesis.ts'
import { seeded } from './random.ts'
import type { Promised } from './verdict.ts'

const SPOILED: readonly (readonly [string, Promised, (made: MadeUp) => void])[] = [
  ['an acknowledged text is gone', 'stored', (made) => void made.entries.splice(1, 1)],
  [
    'an acknowledged text is another one',
    'stored',
    ({ facts }) => {
      const found = facts.find(({ what }) => what === 'stored')
      if (found?.what === 'stored') facts.push({ ...found, text: 'v1/1#9' })
    },
  ],
  ['a text stands twice', 'once', (made) => void made.write('text', { text: 'v1/1#1' })],
  ['a number is left out', 'gapless', (made) => void made.write('present', {}, { seq: 99 })],
  ['the head is behind', 'gapless', (made) => void (made.heads['c'] = 1)],
  ['a log has two entries of a number', 'gapless', (made) => void made.write('present', {}, { seq: 2 })],
  ['counters go back', 'order', (made) => void made.write('ack', {}, { session: 's-v1/1', counter: 2 })],
  [
    'texts of a page change places',
    'order',
    (made) => {
      const [first, second] = made.entries.filter(({ session }) => session === 's-v1/1')
      if (first && second) {
        const { body } = first
        Object.assign(first, { body: second.body })
        Object.assign(second, { body })
      }
    },
  ],
  ['a reader misses one', 'prefix', (made) => without(made, isRead('v1/1#2', 'a1/1'))],
  [
    'a reader gets one twice',
    'prefix',
    (made) =>
      void made.facts.push({ at: START + 400, page: 'a1/1', what: 'read', contact: 'c', text: 'v1/1#3' }),
  ],
  [
    'a reader gets them in another order',
    'prefix',
    (made) => {
      swap(made, isRead('v1/1#1', 'a1/1'), { text: 'later' } as Partial<Fact>)
    },
  ],
  ['a reader is never told the last one', 'prefix', (made) => without(made, isRead('v1/1#3', 'a1/1'))],
  [
    'a page has not all in the end',
    'fold',
    (made) =>
      swap(made, ({ what, page }) => what === 'final' && page === 'a1/1', {
        texts: ['v1/1#1'],
      } as Partial<Fact>),
  ],
  [
    'a party knows the other one as another',
    'fold',
    (made) =>
      swap(made, ({ what, page }) => what === 'final' && page === 'a1/1', { remote: 'W' } as Partial<Fact>),
  ],
  [
    'a page that lives is left',
    'live',
    (made) => void made.write('left', { session: 's-v1/1', reason: 'timeout' }),
  ],
  [
    'a page that stood still for a short time is left',
    'live',
    (made) => {
      made.faults.push({
        name: 'pages stopped',
        target: 'v1',
        from: START + 400,
        until: START + 20_400,
        stopped: ['v1'],
      })
      made.write('left', { session: 's-v1/1', reason: 'timeout' }, { time: START + 30_000 })
    },
  ],
  ['a page that died is never left', 'dead', (made) => void withDeath(made, null)],
  ['a page that died is left late', 'dead', (made) => void withDeath(made, 120_000)],
  [
    'a page is left twice',
    'timer',
    (made) => {
      withDeath(made, 70_000).write(
        'left',
        { session: 's-v1/1', reason: 'timeout' },
        { time: START + 72_000 },
      )
    },
  ],
  [
    'a contact goes on after its end',
    'timer',
    (made) => {
      made.write('cleared', {})
      made.write('cleared', {})
    },
  ],
  [
    'a timer does not ring',
    'timer',
    (made) => void made.timers.push({ subject: 'c', kind: 'absence', due: START }),
  ],
  ['a contact is given to a second agent', 'offer', (made) => void made.write('assigned', { user: 'Grace' })],
  [
    'two agents are asked at the same time',
    'offer',
    (made) => {
      made.see(500, 'a1/0', { what: 'offered', contact: 'd', agent: 'Ada', expiresInMs: 30_000 })
      made.see(900, 'a2/0', { what: 'offered', contact: 'd', agent: 'Grace', expiresInMs: 30_000 })
    },
  ],
  ['a frame is lost', 'frame', (made) => without(made, (fact) => fact.what === 'framed' && fact.n === 2)],
  [
    'a frame comes twice',
    'frame',
    (made) => void made.see(323, 'a1/1', { what: 'framed', stream: 'v1/1~1', n: 3 }),
  ],
  [
    'the last frame is lost',
    'frame',
    (made) => without(made, (fact) => fact.what === 'framed' && fact.n === 3),
  ],
  [
    'nothing is heard of frames',
    'frame',
    (made) => void (made.facts = made.facts.filter(({ what }) => what !== 'framed')),
  ],
  ['a request runs twice', 'rpc', (made) => void made.see(313, 'a1/1', { what: 'ran', key: 'k' })],
  ['a request is answered that never ran', 'rpc', (made) => without(made, ({ what }) => what === 'ran')],
  [
    'a file has other bytes',
    'file',
    (made) => swap(made, ({ what }) => what === 'opened-file', { sha256: 'bb' } as Partial<Fact>),
  ],
  [
    'a node ends by itself',
    'node',
    ({ ends }) =>
      void ends.push({ node: 'node-1', at: START + 255, code: 1, last: 'RangeError: out of range' }),
  ],
  ['a file is stored twice', 'file', (made) => void made.write('attachment', {}, { id: 'f' })],
]

describe('the checker', () => {
  it('CLU-120 finds nothing wrong in a good run, and has looked at every promise', () => {
    const verdict = judge(withDeath(goodRun(), 70_000).run())
    expect(verdict.violations).toEqual([])
    const table = verdict.table()
    expect(table).toContain('| kill | 1 |')
    expect(table.split('\n')).toHaveLength(5)
  })

  it.each(SPOILED)('CLU-121 finds: %s', (_what, promise, spoil) => {
    const made = goodRun()
    spoil(made)
    const found = judge(made.run()).violations.map((each) => each.promise)
    expect(found).toContain(promise)
  })

  it('CLU-121 each promise has a run that breaks it', () => {
    const verdict = judge(goodRun().run())
    const [head = ''] = verdict.table().split('\n')
    const promises = head.split('|').slice(3, -1)
    expect(
      promises.map((each) => each.trim()).filter((each) => !SPOILED.some(([, of]) => of === each)),
    ).toEqual([])
  })

  it('CLU-122 names the last fault before what is wrong', () => {
    const made = goodRun()
    made.text('v1/1', 4)
    made.entries.splice(-1, 1)
    expect(judge(made.run()).violations.find(({ promise }) => promise === 'stored')?.fault).toBe('kill')
  })

  it('CLU-123 a page that had no time for long, one that leaves by itself, and one that nobody could serve, break no promise', () => {
    const stopped = goodRun()
    stopped.faults.push({
      name: 'pages stopped',
      target: 'v1',
      from: START + 400,
      until: START + 90_400,
      stopped: ['v1'],
    })
    stopped.write('left', { session: 's-v1/1', reason: 'timeout' }, { time: START + 80_000 })
    expect(judge(stopped.run()).violations).toEqual([])
    const leaving = goodRun()
    leaving.see(2_000, 'v1/1', { what: 'leaves', contact: 'c' })
    leaving.write('left', { session: 's-v1/1', reason: 'abandon' }, { time: START + 1_500 })
    expect(judge(leaving.run()).violations).toEqual([])
    const out = withDeath(goodRun(), 150_000)
    out.faults.push({
      name: 'store restart',
      target: 'PostgreSQL',
      from: START + 2_000,
      until: START + 62_000,
      outage: true,
    })
    expect(judge(out.run()).violations).toEqual([])
  })

  it('CLU-142 a machine that had no time for its programs has as much more', () => {
    const asked = (late: number): Promised[] => {
      const made = goodRun()
      made.see(500, 'a1/0', { what: 'offered', contact: 'd', agent: 'Ada', expiresInMs: 9_000 })
      made.see(900, 'a2/0', { what: 'offered', contact: 'd', agent: 'Grace', expiresInMs: 9_000 })
      if (late > 0) made.see(5_000, 'a2/0', { what: 'late', ms: late })
      return judge(made.run()).violations.map(({ promise }) => promise)
    }
    expect(asked(0)).toEqual(['offer'])
    expect(asked(500)).toEqual(['offer'])
    expect(asked(1_000)).toEqual([])
  })

  it('CLU-142 an agent whose answer is under way is not asked any more', () => {
    const made = goodRun()
    made.see(500, 'a1/0', { what: 'offered', contact: 'd', agent: 'Ada', expiresInMs: 30_000 })
    made.see(700, 'a1/0', { what: 'answers', contact: 'd', agent: 'Ada' })
    made.see(4_500, 'a2/0', { what: 'offered', contact: 'd', agent: 'Grace', expiresInMs: 30_000 })
    made.see(16_000, 'a1/0', { what: 'withdrawn', contact: 'd', agent: 'Ada' })
    expect(judge(made.run()).violations).toEqual([])
  })

  it('CLU-142 a timer that was due in an outage rings when all nodes have had the time to beat', () => {
    const late = (sinceOutageMs: number): number => {
      const made = goodRun()
      const until = made.end - sinceOutageMs
      made.faults.push({ name: 'store restart', target: '', from: until - 9_000, until, outage: true })
      made.timers.push({ subject: 'c', kind: 'absence', due: until - 8_000 })
      return judge(made.run()).violations.filter(({ promise }) => promise === 'timer').length
    }
    expect([late(29_000), late(31_000)]).toEqual([0, 1])
  })

  it('CLU-144 a run in which nothing was there to look at does not hold', () => {
    const made = goodRun()
    expect(judge(made.run())).toMatchObject({ holds: true, unseen: [] })
    made.facts = made.facts.filter(({ what }) => !['asked', 'answered', 'ran'].includes(what))
    expect(judge(made.run())).toMatchObject({ holds: false, unseen: ['rpc'], violations: [] })
  })

  it('CLU-124 shares no code with the SDK and the service', () => {
    const folder = fileURLToPath(new URL('.', import.meta.url))
    const files = readdirSync(folder).filter((file) => /^(?:check(?:-\w+)?|facts|verdict)\.ts$/.test(file))
    const imported = files.flatMap((file) =>
      [...readFileSync(`${folder}/${file}`, 'utf8').matchAll(/from '([^']+)'/g)].map(([, path = '']) => path),
    )
    expect(files).toHaveLength(6)
    expect(imported.filter((path) => !/^(?:node:|\.\/(?:check|facts|verdict))/.test(path))).toEqual([])
  })

  it('CLU-125 a seed decides the order of the faults, each of them once in a round', () => {
    const names = Object.keys(FAULTS)
    const take = (seed: number): string[] => {
      const order = orderOf(seeded(seed), names)
      return names.map(() => order.next().value)
    }
    expect(take(7)).toEqual(take(7))
    expect(take(7)).not.toEqual(take(8))
    expect(take(7).toSorted()).toEqual(names.toSorted())
  })
})
