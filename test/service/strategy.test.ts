import { describe, expect, it } from 'vitest'
import { planOffers } from '../../service/src/queue/plan.ts'
import { STRATEGIES } from '../../service/src/queue/strategy.ts'
import type { Candidate, Strategy, Waiting } from '../../service/src/queue/strategy.ts'

const agent = (id: string, changes: Partial<Candidate> = {}): Candidate => ({ id, tags: [], media: {}, capacity: 3, load: 0, lastAssigned: 0, ...changes })
const contact = (id: string, changes: Partial<Waiting> = {}): Waiting => ({ id, tags: [], media: [], queuedAt: 0, onlyAgent: null, ...changes })
const plan = (strategy: Strategy, waiting: Waiting[], agents: Candidate[], now = 1_000_000) =>
  planOffers({ strategy, now, waiting, agents, offered: new Map(), refused: new Map() }).map((offer) => `${offer.contact} ${offer.agent}`)

describe('choosing agents', () => {
  it('SRV-10 broadcast asks all who have room', () => {
    expect(plan(STRATEGIES.broadcast, [contact('c')], [agent('a'), agent('b', { load: 3 }), agent('d')]).toSorted()).toEqual(['c a', 'c d'])
  })

  it('SRV-10 nobody is asked for more than they can take', () => {
    const waiting = Array.from({ length: 10 }, (_, index) => contact(`c${index}`))
    expect(plan(STRATEGIES.broadcast, waiting, [agent('a', { capacity: 2 })])).toEqual(['c0 a', 'c1 a'])
  })

  it('SRV-10 by skill: all tags are needed, until the step that relaxes them', () => {
    const agents = [agent('a', { tags: ['sales'] }), agent('b', { tags: ['sales', 'german'] })]
    expect(plan(STRATEGIES.skills, [contact('c', { tags: ['sales', 'german'] })], agents)).toEqual(['c b'])
    expect(plan(STRATEGIES.skills, [contact('c', { tags: ['french'] })], agents)).toEqual([])
    const relaxing = { ...STRATEGIES.skills, relaxTagsMs: 30_000 }
    expect(plan(relaxing, [contact('c', { tags: ['french'], queuedAt: 980_000 })], agents)).toEqual([])
    expect(plan(relaxing, [contact('c', { tags: ['french'], queuedAt: 970_000 })], agents)).toHaveLength(1)
  })

  it('SRV-10 round robin asks who has waited longest, least loaded who has most room', () => {
    const agents = [agent('a', { lastAssigned: 900_000, load: 0 }), agent('b', { lastAssigned: 100_000, load: 2 })]
    expect(plan(STRATEGIES['round-robin'], [contact('c')], agents)).toEqual(['c b'])
    expect(plan(STRATEGIES['least-loaded'], [contact('c')], agents)).toEqual(['c a'])
  })

  it('SRV-10 weighted: a fitting tag outweighs a little load', () => {
    const agents = [agent('idle'), agent('fitting', { tags: ['vip'], load: 1 })]
    expect(plan(STRATEGIES.weighted, [contact('c', { tags: ['vip'] })], agents)).toEqual(['c fitting'])
  })

  it('SRV-10 the longest wait is served first, a delay holds offers back', () => {
    expect(plan(STRATEGIES['least-loaded'], [contact('old'), contact('new')], [agent('a', { capacity: 1 })])).toEqual(['old a'])
    expect(plan({ ...STRATEGIES.broadcast, delayMs: 5_000 }, [contact('c', { queuedAt: 996_000 })], [agent('a')])).toEqual([])
  })

  it('LIFE-15 a contact transferred to one agent is offered to nobody else', () => {
    expect(plan(STRATEGIES.broadcast, [contact('c', { onlyAgent: 'b' })], [agent('a'), agent('b')])).toEqual(['c b'])
  })
})
