import { afterEach, expect, it, vi } from 'vitest'
import type { ContactRequest } from '../../../protocol/index.ts'
import type { AgentPrincipal, Principal } from '../../../service/src/auth/principal.ts'
import { ContactService, ContactStore } from '../../../service/src/contacts/index.ts'
import { LogService } from '../../../service/src/log/log-service.ts'
import {
  BATCH_CHARACTERS,
  BATCH_LIMIT,
  FEW_ENTRIES,
  WriteQueues,
  WAITING_CHARACTERS,
  WAITING_JOBS,
} from '../../../service/src/log/write-queues.ts'
import type { AppendResult, EntryInsert } from '../../../service/src/log/entry-insert.ts'
import { entry, present } from '../../support/entries.ts'

interface Change {
  readonly name: string
  readonly agent: string | null
}

afterEach(() => {
  vi.useRealTimers()
})

/** WriteQueues whose groups end when they are told to. */
function heldQueues() {
  const running: { readonly names: readonly string[]; readonly end: () => void }[] = []
  const queues = new WriteQueues<Change>({
    flush: () => Promise.resolve([]),
    lockKey: ({ agent }) => agent,
    isBlocked: () => false,
    carryOut: (changes) =>
      new Promise((end) => running.push({ names: changes.map(({ name }) => name), end: () => end([]) })),
  })
  const turn = () => new Promise((settle) => setImmediate(settle))
  const ask = async (
    ...changes: readonly (readonly [contact: string, agent: string | null])[]
  ): Promise<void> => {
    for (const [contact, agent] of changes) queues.change(contact, { name: contact, agent })
    await turn()
    await turn()
  }
  const end = async (index: number): Promise<void> => {
    running[index]?.end()
    await turn()
    await turn()
  }
  return { queues, ask, end, groups: () => running.map(({ names }) => names.join(' ')) }
}

it('SRV-11 changes that meet at an agent wait for the group that has the agent, whatever else goes on', async () => {
  const { queues, ask, end, groups } = heldQueues()
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
  expect(queues.depth).toBe(0)
})

it('SRV-11 changes of one contact never run side by side, changes of one agent may share a group', async () => {
  const { ask, end, groups } = heldQueues()
  await ask(['a', 'X'], ['b', 'X'], ['a', null])
  expect(groups()).toEqual(['a b'])
  await end(0)
  expect(groups()).toEqual(['a b', 'a'])
})

/** WriteQueues whose statements are noted, and end when they are told to. */
function notedQueues() {
  const flushed: (readonly EntryInsert[])[] = []
  let free = (): void => {}
  const held = new Promise<void>((settle) => (free = settle))
  const outcome: AppendResult = { seq: 1, fault: null, expected: null, isNew: true, lag: 0 }
  const flush = async (inserts: readonly EntryInsert[]): Promise<AppendResult[]> => {
    flushed.push(inserts)
    await held
    return inserts.map(() => outcome)
  }
  const queues = new WriteQueues<Change>({
    flush,
    lockKey: () => null,
    isBlocked: () => false,
    carryOut: () => Promise.resolve([]),
  })
  const insert = (id: string, characters: number) =>
    ({ contact: 'c', id, slot: 'visitor', ref: null, body: 'x'.repeat(characters) }) as EntryInsert
  return {
    queues,
    flushed,
    free,
    append: (contact: string, id: string, characters = 1) => queues.append(contact, [insert(id, characters)]),
  }
}

const sizeOf = (inserts: readonly EntryInsert[]): number =>
  inserts.reduce((sum, { body }) => sum + body.length, 0)

it('SND-306 a statement appends a bounded number of entries and characters, of one contact and of many', async () => {
  const { append, flushed, free } = notedQueues()
  const large = 100_000
  const appended = Promise.all([
    ...Array.from({ length: 60 }, (_, index) => append(`c${index}`, `${index}`, large)),
    ...Array.from({ length: 60 }, (_, index) => append('one', `one-${index}`, large)),
    ...Array.from({ length: 2 * BATCH_LIMIT }, (_, index) => append('small', `small-${index}`)),
  ])
  free()
  await appended
  expect(Math.max(...flushed.map(sizeOf))).toBeLessThan(BATCH_CHARACTERS + large)
  expect(Math.max(...flushed.map((inserts) => inserts.length))).toBeLessThanOrEqual(BATCH_LIMIT)
  expect(flushed.flat()).toHaveLength(120 + 2 * BATCH_LIMIT)
})

const turns = async (): Promise<void> => {
  for (let count = 0; count < 3; count += 1) await new Promise((settle) => setImmediate(settle))
}

it('SND-306 what comes during a statement of many entries shares the next one, which begins beside it only where it takes long', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
  const { append, flushed, free } = notedQueues()
  const first = Array.from({ length: FEW_ENTRIES }, (_, index) => `1.${index}`)
  const appended = first.map((id) => append(`a${id}`, id))
  await turns()
  for (const id of ['2', '3', '4']) {
    appended.push(append(`c${id}`, id))
    await turns()
    vi.advanceTimersByTime(6)
    await turns()
  }
  const ids = () => flushed.map((inserts) => inserts.map(({ id }) => id).join(' '))
  expect(ids()).toEqual([first.join(' ')])
  vi.advanceTimersByTime(2)
  await turns()
  expect(ids()).toEqual([first.join(' '), '2 3 4'])
  // No third one.
  appended.push(append('d', '5'))
  vi.advanceTimersByTime(60_000)
  await turns()
  expect(flushed).toHaveLength(2)
  free()
  await Promise.all(appended)
  // At rest nobody waits.
  appended.push(append('e', '6'))
  await turns()
  expect(ids().slice(2)).toEqual(['5', '6'])
  await Promise.all(appended)
})

it('SND-306 beside a statement of few entries the next one begins at once, and no third one', async () => {
  const { append, flushed, free } = notedQueues()
  const appended = [append('a', '1')]
  await turns()
  appended.push(append('b', '2'))
  await turns()
  appended.push(append('c', '3'), append('a', '4'))
  await turns()
  const ids = () => flushed.map((inserts) => inserts.map(({ id }) => id).join(' '))
  expect(ids()).toEqual(['1', '2'])
  free()
  await Promise.all(appended)
  expect(ids().slice(2)).toEqual(['3 4'])
})

it('SND-306 while the store does not keep up, what would fill the memory is refused; later it is taken again', async () => {
  const { queues, append, free } = notedQueues()
  const jobs = Array.from({ length: WAITING_JOBS }, (_, index) => append(`c${index % 50}`, `${index}`))
  await expect(append('c', 'more')).rejects.toMatchObject({ code: 'offline', retryable: true })
  free()
  await Promise.all(jobs)
  while (queues.depth > 0) await new Promise((settle) => setImmediate(settle))
  await append('c', 'again')
})

it('SND-306 the same by size, of changes as of appends', async () => {
  const { queues, append, free } = notedQueues()
  const large = WAITING_CHARACTERS / 64
  const jobs = [append('c', 'first')]
  for (let index = 0; index < 64; index += 1) queues.change('c', { name: `${index}`, agent: null }, large)
  await expect(append('c', 'more')).rejects.toMatchObject({ code: 'offline' })
  expect(() => queues.checkRoom()).toThrow(expect.objectContaining({ code: 'offline' }))
  free()
  await Promise.all(jobs)
  while (queues.depth > 0) await new Promise((settle) => setImmediate(settle))
  await append('c', 'again')
})

it('SND-306 the same by size', async () => {
  const { append, free } = notedQueues()
  const large = WAITING_CHARACTERS / 64
  const jobs = Array.from({ length: 64 }, (_, index) => append(`c${index}`, `${index}`, large))
  await expect(append('c', 'more')).rejects.toMatchObject({ code: 'offline' })
  free()
  await Promise.all(jobs)
  await append('c', 'again')
})

it('SND-306 a change counts with the content that it brings: forms, edits, and what is written beside a `present`', async () => {
  const counted: (number | undefined)[] = []
  const store = new ContactStore({
    queues: { checkRoom: () => {}, change: (_contact, _job, characters) => void counted.push(characters) },
  } as ConstructorParameters<typeof ContactStore>[0])
  const [text, value] = ['x'.repeat(5_000), 'y'.repeat(6_000)]
  const contacts = new ContactService(
    store,
    (size) => Buffer.alloc(size),
    () => 'n',
  )
  void contacts.create({ id: 'v' } as Principal, { request: 'r', contact: { topic: text } as ContactRequest })
  void contacts.edit({ id: 'a' } as AgentPrincipal, { contact: 'c', form: 'f', field: 'n', value })
  const writer = {
    contact: 'c',
    slot: 'visitor',
    session: 's',
    principal: 'v',
    nick: null,
    epoch: 1,
  } as const
  const drafts = [present(1, 'visitor', 's'), entry(2, 'visitor', 's', 'text', { text })]
  void new LogService({ queues: {} as never, store }).append(writer, drafts)
  expect(counted.map((count = 0) => Math.floor(count / 1_000))).toEqual([5, 6, 5])
})
