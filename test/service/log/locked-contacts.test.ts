import { expect, it } from 'vitest'
import { ALONE, WriteQueues } from '../../../service/src/log/write-queues.ts'
import type { EntryInsert } from '../../../service/src/log/entry-insert.ts'

interface Change {
  readonly name: string
}

/**
 * WriteQueues of contacts of which somebody else has locked some: what waits for those is held until they are free.
 */
function lockedQueues(isLocked: (contact: string) => boolean) {
  const done: string[] = []
  const waiting = new Map<string, () => void>()
  const held = (contact: string): Promise<void> => new Promise((free) => waiting.set(contact, free))
  const queues = new WriteQueues<Change>({
    flush: async (inserts, waits) => {
      const [first] = inserts
      if (waits && first && isLocked(first.contact)) await held(first.contact)
      return inserts.map(({ contact }) => ({
        seq: 1,
        fault: !waits && isLocked(contact) ? 'locked' : null,
        expected: null,
        isNew: true,
        lag: 0,
      }))
    },
    carryOut: async (changes, waits) => {
      const [left, free] = [
        changes.filter(({ name }) => isLocked(name)),
        changes.filter(({ name }) => !isLocked(name)),
      ]
      if (waits) for (const { name } of left) await held(name)
      done.push(...(waits ? changes : free).map(({ name }) => `changed ${name}`))
      return waits ? [] : left
    },
    lockKey: () => null,
    isBlocked: () => false,
  })
  const append = async (contact: string, id = contact): Promise<void> => {
    const [outcome] = await queues.append(contact, [
      { contact, id, slot: 'visitor', ref: null, body: 'x' } as EntryInsert,
    ])
    done.push(`${outcome?.fault ?? 'stored'} ${id}`)
  }
  const change = (contact: string): void => queues.change(contact, { name: contact })
  const settled = async (): Promise<void> => {
    for (let turns = 0; turns < 20; turns += 1) await new Promise((settle) => setImmediate(settle))
  }
  return { queues, done, waiting, append, change, settled }
}

it('SND-108 SND-306 contacts that somebody else has locked wait outside of what others share, a bounded number at a time', async () => {
  const { queues, done, waiting, append, change, settled } = lockedQueues((contact) =>
    contact.startsWith('locked'),
  )
  for (let index = 0; index < 3; index += 1) {
    void append(`locked append ${index}`)
    change(`locked change ${index}`)
    await settled()
  }
  expect(waiting.size).toBe(ALONE)
  for (const contact of ['a', 'b', 'c']) {
    await append(contact)
    change(contact)
    await settled()
  }
  expect(done).toEqual(['stored a', 'changed a', 'stored b', 'changed b', 'stored c', 'changed c'])
  for (let index = 0; index < 6; index += 1) {
    for (const free of waiting.values()) free()
    await settled()
  }
  expect([done.length, queues.depth, done.filter((each) => each.startsWith('locked'))]).toEqual([12, 0, []])
})

it('SND-108 what follows for a locked contact stays behind it, in order', async () => {
  let isLocked = true
  const { done, waiting, append, change, settled } = lockedQueues(() => isLocked)
  void append('c', '1')
  void append('c', '2')
  change('c')
  void append('c', '3')
  await settled()
  expect([done, [...waiting.keys()]]).toEqual([[], ['c']])
  isLocked = false
  for (const free of waiting.values()) free()
  await settled()
  expect(done).toEqual(['stored 1', 'stored 2', 'changed c', 'stored 3'])
})
