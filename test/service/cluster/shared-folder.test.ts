/** The room for files of several nodes that share a folder. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { whileReserving } from '../../../service/src/attachments/attachment-rows.ts'
import { DiskFiles } from '../../../service/src/attachments/disk-files.ts'
import { FileStore } from '../../../service/src/attachments/file-store.ts'
import { temporaryData } from '../../support/temporary-data.ts'
import { testStore } from '../../support/test-store.ts'

const MINUTE = 60_000
const stored = testStore()
const removals: (() => void)[] = []
afterEach(() => removals.splice(0).forEach((remove) => remove()))

/** Two nodes: what is announced stands in `open`, what is there as a whole in `whole`. */
function nodes() {
  const { folder, remove } = temporaryData()
  removals.push(remove)
  const store = { whole: 0, open: new Map<string, number>(), counted: 0 }
  const asked: string[] = []
  const dropped: string[] = []
  const time = { now: 0 }
  const node = (): FileStore => {
    const storage = new DiskFiles(folder)
    const sizeOf = storage.sizeOf.bind(storage)
    storage.sizeOf = (id) => {
      asked.push(id)
      return sizeOf(id)
    }
    const own: FileStore = new FileStore(storage, {
      find: async (id) => ({ size: store.open.get(id) ?? 0 }),
      sizes: async () => {
        store.counted += 1
        return { whole: store.whole, open: new Map(store.open) }
      },
      isAlone: () => false,
      atOneNode: (work) => whileReserving(stored().db, work),
      drop: async (id) => {
        dropped.push(id)
        store.open.delete(id)
        await own.unlink(id)
      },
      mayWrite: () => true,
      spaceBytes: 1_000,
      now: () => time.now,
    })
    return own
  }
  const announce = async (at: FileStore, id: string, size: number): Promise<string> => {
    store.open.set(id, size)
    return at.prepare(id, size).then(
      () => 'taken',
      (thrown: { readonly code: string }) => {
        store.open.delete(id)
        return thrown.code
      },
    )
  }
  const arrive = (id: string, bytes: number): void => appendFileSync(join(folder, id), new Uint8Array(bytes))
  return { a: node(), b: node(), store, asked, time, dropped, announce, arrive }
}

describe('the room for files at several nodes', () => {
  it('CLU-110 is one: what is announced at a node, or there as a whole, takes it from the others', async () => {
    const { a, b, store, announce } = nodes()
    expect(await announce(b, 'first', 100)).toBe('taken')
    expect(await announce(a, 'second', 500)).toBe('taken')
    expect(await announce(b, 'third', 500)).toBe('too_large')
    store.open.delete('second')
    store.whole = 500
    expect(await announce(b, 'third', 500)).toBe('too_large')
    store.whole = 0
    expect(await announce(b, 'third', 500)).toBe('taken')
    expect([b.total, await announce(a, 'fourth', 401)]).toEqual([600, 'too_large'])
  })

  it('CLU-110 is counted once for an announcement, also where it is short', async () => {
    const { a, b, store, announce } = nodes()
    expect(await announce(b, 'first', 600)).toBe('taken')
    expect(store.counted).toBe(1)
    expect(await announce(a, 'second', 500)).toBe('too_large')
    expect(store.counted).toBe(2)
  })

  it('CLU-135 while others wait, the storage is asked about uploads that are new to the node, and about all where room is short', async () => {
    const { a, b, asked, announce } = nodes()
    for (const id of ['one', 'two', 'three']) await announce(b, id, 100)
    asked.length = 0
    expect(await announce(a, 'four', 100)).toBe('taken')
    expect(asked.splice(0).toSorted()).toEqual(['four', 'one', 'three', 'two'])
    expect(await announce(a, 'five', 100)).toBe('taken')
    expect(asked.splice(0)).toEqual(['five'])
    expect(await announce(a, 'six', 501)).toBe('too_large')
    expect(asked.toSorted()).toEqual(['five', 'four', 'one', 'six', 'six', 'three', 'two'])
  })

  it('CLU-135 of two nodes that announce at the same moment one takes the last room, and one is refused', async () => {
    const { a, b, announce } = nodes()
    expect(await announce(a, 'first', 300)).toBe('taken')
    const both = await Promise.all([announce(a, 'here', 600), announce(b, 'there', 600)])
    expect(both.toSorted()).toEqual(['taken', 'too_large'])
    const many = await Promise.all(
      Array.from({ length: 12 }, (_, n) => announce(n % 2 === 0 ? a : b, `small ${n}`, 20)),
    )
    expect(many.filter((each) => each === 'taken')).toHaveLength(5)
  })

  it('CLU-110 an upload that goes on at another node is not stalled; one that stands still makes way', async () => {
    const { a, b, time, dropped, announce, arrive } = nodes()
    await announce(b, 'here', 300)
    await announce(b, 'still', 300)
    expect(await announce(a, 'there', 100)).toBe('taken')
    time.now = 9 * MINUTE
    arrive('here', 150)
    expect(await announce(b, 'other', 1_000)).toBe('too_large')
    time.now = 11 * MINUTE
    expect(await announce(b, 'other', 500)).toBe('taken')
    expect(dropped).toEqual(['still'])
  })
})
