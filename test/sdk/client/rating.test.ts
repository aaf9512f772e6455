import { describe, expect, it } from 'vitest'
import { ContactError, ratingIn } from '../../../protocol/index.ts'
import { settled } from '../../../testing/index.ts'
import { joined } from '../../support/contacts.ts'

const codeOf = (rating: Promise<unknown>): Promise<unknown> =>
  rating.then(
    () => 'done',
    (error: unknown) => (error instanceof ContactError ? error.code : error),
  )

describe('rate', () => {
  it('PRD-155 rates a contact that is over; its agent hears of it, and another one takes its place', async () => {
    const { visitor, pages, world } = await joined()
    const told: unknown[] = []
    pages.agent.client.on('rating', (event) => void told.push(event))
    await visitor.leave()
    const { client } = pages.visitor
    await client.rate(visitor.id, { score: 2, comment: 'Slow' })
    await client.rate(visitor.id, { score: 5 })
    await settled()
    expect(told).toEqual([
      { id: visitor.id, score: 2, comment: 'Slow' },
      { id: visitor.id, score: 5 },
    ])
    expect(ratingIn(world.contact.record('agent').data)).toEqual({ score: 5 })
  })

  it('PRD-155 is refused while the contact goes on', async () => {
    const { visitor, pages } = await joined()
    expect(await codeOf(pages.visitor.client.rate(visitor.id, { score: 5 }))).toBe('invalid_state')
  })

  it.each([
    ['c', { score: 0 }, 'invalid_argument'],
    ['c', { score: 6 }, 'invalid_argument'],
    ['c', { score: 2.5 }, 'invalid_argument'],
    ['c', { score: '5' }, 'invalid_argument'],
    ['c', null, 'invalid_argument'],
    ['c', { score: 5, comment: '' }, 'invalid_argument'],
    ['c', { score: 5, comment: 7 }, 'invalid_argument'],
    ['c', { score: 5, comment: 'x'.repeat(2049) }, 'too_large'],
    ['a b', { score: 5 }, 'invalid_argument'],
    [7, { score: 5 }, 'invalid_argument'],
  ])('PRD-155 checks its arguments: %o %o', async (id, rating, code) => {
    const { pages } = await joined()
    expect(await codeOf(pages.visitor.client.rate(id as never, rating as never))).toBe(code)
  })
})

describe('a rating in forms', () => {
  it.each([
    [[], null],
    [[{ name: 'rating', data: [] }], null],
    [[{ name: 'rating', data: [{ name: 'score', type: 'number', value: 9 }] }], null],
    [[{ name: 'rating', data: [{ name: 'score', type: 'number', value: 3 }] }], { score: 3 }],
  ] as const)('PRD-150 is read back where it is one: %o', (data, rating) => {
    expect(ratingIn(data)).toEqual(rating)
  })
})
