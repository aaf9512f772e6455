import { expect, it } from 'vitest'
import { Lanes } from '../../service/src/log/lanes.ts'

interface Change {
  readonly name: string
  readonly agent: string | null
}

/** Lanes whose groups end when they are told to. */
function heldLanes() {
  const running: { readonly names: readonly string[]; readonly end: () => void }[] = []
  const lanes = new Lanes<Change>({
    flush: () => Promise.resolve([]),
    meetsAt: ({ agent }) => agent,
    isBlocked: () => false,
    carryOut: (changes) => new Promise((end) => running.push({ names: changes.map(({ name }) => name), end: () => end([]) })),
  })
  const turn = () => new Promise((settle) => setImmediate(settle))
  const ask = async (...changes: readonly (readonly [contact: string, agent: string | null])[]): Promise<void> => {
    for (const [contact, agent] of changes) lanes.change(contact, { name: contact, agent })
    await turn()
    await turn()
  }
  const end = async (index: number): Promise<void> => {
    running[index]?.end()
    await turn()
    await turn()
  }
  return { lanes, ask, end, groups: () => running.map(({ names }) => names.join(' ')) }
}

it('SRV-11 changes that meet at an agent wait for the group that has the agent, whatever else goes on', async () => {
  const { lanes, ask, end, groups } = heldLanes()
  await ask(['a', 'X'], ['b', 'Y'])
  await ask(['c', 'X'], ['d', 'Z'], ['e', null])
  expect(groups()).toEqual(['a b', 'd e'])
  await ask(['f', null])
  expect(groups()).toHaveLength(2)
  await end(1)
  expect(groups()).toEqual(['a b', 'd e', 'f'])
  await end(0)
  expect(groups()).toEqual(['a b', 'd e', 'f', 'c'])
  await end(2)
  await end(3)
  expect(lanes.depth).toBe(0)
})

it('SRV-11 changes of one contact never run side by side, changes of one agent may share a group', async () => {
  const { ask, end, groups } = heldLanes()
  await ask(['a', 'X'], ['b', 'X'], ['a', null])
  expect(groups()).toEqual(['a b'])
  await end(0)
  expect(groups()).toEqual(['a b', 'a'])
})
