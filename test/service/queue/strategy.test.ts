import { describe, expect, it } from 'vitest'
import { readOptions } from '../../../service/src/options.ts'
import { planOffers } from '../../../service/src/queue/plan.ts'
import { STRATEGIES, strategyOf } from '../../../service/src/queue/strategy.ts'
import type { Candidate, Strategy, Waiting, Weights } from '../../../service/src/queue/strategy.ts'

const agent = (id: string, changes: Partial<Candidate> = {}): Candidate => ({
  id,
  tags: [],
  media: {},
  capacity: 3,
  load: 0,
  lastAssigned: 0,
  ...changes,
})
const contact = (id: string, changes: Partial<Waiting> = {}): Waiting => ({
  id,
  tags: [],
  media: [],
  queuedAt: 0,
  onlyAgent: null,
  ...changes,
})
const plan = (strategy: Strategy, waiting: Waiting[], agents: Candidate[], now = 1_000_000) =>
  planOffers({ strategy, now, waiting, agents, offered: new Map(), refused: new Map() }).map(
    (offer) => `${offer.contact} ${offer.agent}`,
  )

describe('choosing agents', () => {
  it('SRV-10 broadcast asks all who have room', () => {
    expect(
      plan(
        STRATEGIES.broadcast,
        [contact('c')],
        [agent('a'), agent('b', { load: 3 }), agent('d')],
      ).toSorted(),
    ).toEqual(['c a', 'c d'])
  })

  it('SRV-10 nobody is asked for more than they can take', () => {
    const waiting = Array.from({ length: 10 }, (_, index) => contact(`c${index}`))
    expect(plan(STRATEGIES.broadcast, waiting, [agent('a', { capacity: 2 })])).toEqual(['c0 a', 'c1 a'])
  })

  it('SRV-10 by skill: all tags are needed, until the step that relaxes them', () => {
    const agents = [agent('a', { tags: ['sales'] }), agent('b', { tags: ['sales', 'german'] })]
    expect(plan(STRATEGIES.skills, [contact('c', { tags: ['sales', 'german'] })], agents)).toEqual(['c b'])
    expect(plan(STRATEGIES.skills, [contact('c', { tags: ['french'] })], agents)).toEqual([])
    const relaxing = { ...STRATEGIES.skills, steps: [{ afterMs: 30_000, needsTags: false }] }
    expect(plan(relaxing, [contact('c', { tags: ['french'], queuedAt: 980_000 })], agents)).toEqual([])
    expect(plan(relaxing, [contact('c', { tags: ['french'], queuedAt: 970_000 })], agents)).toHaveLength(1)
  })

  it('SRV-10 LIFE-15 by skill: the one to whom a contact was transferred needs no tags', () => {
    const agents = [agent('a', { tags: ['sales'] }), agent('b')]
    expect(plan(STRATEGIES.skills, [contact('c', { tags: ['sales'], onlyAgent: 'b' })], agents)).toEqual([
      'c b',
    ])
  })

  it('SRV-10 round robin asks who has waited longest, least loaded who has most room', () => {
    const agents = [
      agent('a', { lastAssigned: 900_000, load: 0 }),
      agent('b', { lastAssigned: 100_000, load: 2 }),
    ]
    expect(plan(STRATEGIES['round-robin'], [contact('c')], agents)).toEqual(['c b'])
    expect(plan(STRATEGIES['least-loaded'], [contact('c')], agents)).toEqual(['c a'])
  })

  it('SRV-10 weighted: a fitting tag outweighs a little load', () => {
    const agents = [agent('idle'), agent('fitting', { tags: ['vip'], load: 1 })]
    expect(plan(STRATEGIES.weighted, [contact('c', { tags: ['vip'] })], agents)).toEqual(['c fitting'])
  })

  it('SRV-10 the longest wait is served first, a delay holds offers back', () => {
    expect(
      plan(STRATEGIES['least-loaded'], [contact('old'), contact('new')], [agent('a', { capacity: 1 })]),
    ).toEqual(['old a'])
    expect(
      plan({ ...STRATEGIES.broadcast, delayMs: 5_000 }, [contact('c', { queuedAt: 996_000 })], [agent('a')]),
    ).toEqual([])
  })

  it('SRV-10 in steps more agents are asked, the last step that is due decides', () => {
    const steps = [
      { afterMs: 60_000, parallel: Number.POSITIVE_INFINITY },
      { afterMs: 30_000, parallel: 2 },
    ]
    const agents = ['a', 'b', 'c', 'd'].map((id) => agent(id))
    const asked = (waitedMs: number) =>
      plan(
        { ...STRATEGIES['least-loaded'], steps },
        [contact('x', { queuedAt: 1_000_000 - waitedMs })],
        agents,
      ).length
    expect([29_999, 30_000, 59_999, 60_000].map(asked)).toEqual([1, 2, 2, 4])
  })

  it('SRV-10 weights turn one strategy into another', () => {
    const agents = [agent('rested', { load: 2, lastAssigned: 0 }), agent('free', { lastAssigned: 999_999 })]
    const chosen = (weights: Partial<Weights>) =>
      plan(strategyOf('weighted', { delayMs: 0, steps: [], weights }), [contact('c')], agents)
    expect([chosen({ load: 1, idle: 0 }), chosen({ load: 0, idle: 1 })]).toEqual([['c free'], ['c rested']])
  })

  it.each<[string[], unknown]>([
    [
      ['--step', '30:2', '--step', '60:all', '--step', '90:any-tags'],
      {
        steps: [
          { afterMs: 30_000, parallel: 2 },
          { afterMs: 60_000, parallel: Number.POSITIVE_INFINITY },
          { afterMs: 90_000, needsTags: false },
        ],
      },
    ],
    [
      ['--offer-delay', '5', '--weight', 'tags=2.5', '--weight', 'idle=0'],
      { delayMs: 5_000, weights: { tags: 2.5, idle: 0 } },
    ],
  ])('SRV-10 %j is read', (args, tuning) => {
    expect(readOptions(args, {})?.tuning).toMatchObject(tuning as object)
  })

  it.each([
    '--step=30',
    '--step=30:0',
    '--step=x:all',
    '--step=99999:all',
    '--weight=load',
    '--weight=luck=1',
    '--weight=load=-1',
    '--offer-delay=-1',
    '--offer-time=0',
  ])('OPS-2 %s is refused', (arg) => {
    expect(() => readOptions([arg], {})).toThrow(arg.split('=')[0])
  })

  it('OPS-10 a comma separates the values of a repeatable option only: secrets and addresses are read whole', () => {
    const [secret, url] = ['a-secret,with-a-comma-in-it', 'postgres://user:pass,word@one,two/db']
    expect(
      readOptions([], {
        DUOLOG_TURN: 'turn:one,turn:two',
        DUOLOG_TURN_SECRET: secret,
        DUOLOG_ADMIN_TOKEN: secret,
        DUOLOG_DATABASE_URL: url,
      }),
    ).toMatchObject({
      ice: { turn: ['turn:one', 'turn:two'], turnSecret: secret },
      adminToken: secret,
      databaseUrl: url,
    })
  })

  it('OPS-10 an empty flag leaves the word to the variable', () => {
    const env = { DUOLOG_PORT: '9000', DUOLOG_ORIGIN: 'https://a.example,https://b.example' }
    expect(readOptions(['--port', '', '--origin='], env)).toMatchObject({
      port: 9_000,
      origins: ['https://a.example', 'https://b.example'],
    })
  })

  it('OPS-10 an empty option or variable counts as not given, a flag goes before a variable', () => {
    const read = (args: string[], env: Record<string, string>) => readOptions(args, env)
    expect(
      read(['--host', ''], { DUOLOG_PORT: '', DUOLOG_ORIGIN: '', DUOLOG_STRATEGY: 'skills' }),
    ).toMatchObject({
      host: '127.0.0.1',
      port: 8090,
      origins: [],
      strategy: 'skills',
    })
    expect(read(['--max-wait', '5'], { DUOLOG_MAX_WAIT: '9', DUOLOG_STEP: '30:2,60:all' })).toMatchObject({
      maxWaitMs: 5_000,
      tuning: { steps: [{ afterMs: 30_000 }, { afterMs: 60_000 }] },
    })
  })

  it('LIFE-15 a contact transferred to one agent is offered to nobody else', () => {
    expect(plan(STRATEGIES.broadcast, [contact('c', { onlyAgent: 'b' })], [agent('a'), agent('b')])).toEqual([
      'c b',
    ])
  })
})
