import { beforeEach, describe, expect, it } from 'vitest'
import {
  beatOnce,
  declareDead,
  drainNode,
  enterNode,
  forgetDead,
} from '../../../service/src/cluster/node-table.ts'
import { testStore } from '../../support/test-store.ts'

const store = testStore()

beforeEach(async () => {
  await store().pool.query('delete from sessions; delete from contacts; delete from nodes')
  for (const node of ['a', 'b']) await enterNode(store().db, { node, name: node, address: '', level: 1 })
})

const rowsAt = async (node: string) =>
  (await beatOnce(store().db, node)).toSorted((one, other) => one.node.localeCompare(other.node))

describe('the table of nodes', () => {
  it('CLU-10 an identity is entered once', async () => {
    await expect(enterNode(store().db, { node: 'a', name: 'x', address: '', level: 1 })).rejects.toThrow(
      'nodes_pkey',
    )
  })

  it('CLU-10 a beat counts for its own node, and gives all rows', async () => {
    await rowsAt('a')
    await rowsAt('a')
    expect(await rowsAt('b')).toEqual([
      { node: 'a', state: 'up', beat: 2 },
      { node: 'b', state: 'up', beat: 1 },
    ])
    expect(await rowsAt('gone')).toHaveLength(2)
  })

  it('CLU-10 a node is declared dead with the beat that was seen, or by itself, once', async () => {
    await rowsAt('a')
    expect(await declareDead(store().db, { node: 'a', beat: 0 }, 5)).toBe(false)
    expect(await declareDead(store().db, { node: 'a', beat: 1 }, 5)).toBe(true)
    expect(await declareDead(store().db, { node: 'a', beat: 1 }, 6)).toBe(false)
    expect(await declareDead(store().db, { node: 'b', beat: null }, 5)).toBe(true)
  })

  it('CLU-10 who was declared dead does not beat any more, and does not come back by draining', async () => {
    await declareDead(store().db, { node: 'a', beat: null }, 5)
    await drainNode(store().db, 'a')
    expect(await rowsAt('a')).toEqual([
      { node: 'a', state: 'dead', beat: 0 },
      { node: 'b', state: 'up', beat: 0 },
    ])
  })

  it('CLU-10 a draining node beats, and may be declared dead', async () => {
    await drainNode(store().db, 'a')
    expect((await rowsAt('a'))[0]).toEqual({ node: 'a', state: 'draining', beat: 1 })
    expect(await declareDead(store().db, { node: 'a', beat: 1 }, 5)).toBe(true)
  })

  it('CLU-10 a dead node is forgotten after a time, unless a session names it', async () => {
    for (const node of ['a', 'b']) await declareDead(store().db, { node, beat: null }, 5)
    await enterNode(store().db, { node: 'c', name: 'c', address: '', level: 1 })
    await store().pool.query(
      `insert into contacts (id, visitor, request, created, life, machine, details, state) values ('c', 'v', 'r', 0, 'joined', '{}', '{}', '{}');
      insert into sessions (contact, session, slot, principal, node, epoch) values ('c', 's', 'visitor', 'v', 'b', 1)`,
    )
    await forgetDead(store().db, 5)
    expect(await rowsAt('c')).toHaveLength(3)
    await forgetDead(store().db, 6)
    expect((await rowsAt('c')).map(({ node }) => node)).toEqual(['b', 'c'])
  })
})
