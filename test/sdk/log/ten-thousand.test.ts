import '../../support/loaded-code.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AgentImpl } from '../../../sdk/agent/create-agent.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { MemoryService, TestClock } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import { History, problemsOf } from '../../support/history.ts'
import type { Line } from '../../support/history.ts'
import { Office } from '../../support/office.ts'
import type { Building } from '../../support/office.ts'

const MESSAGES = 10_000
const SERVICE = 'http://localhost'

const clock = new TestClock()
const service = new MemoryService(clock)
const store = memoryStore()

const building: Building = {
  visitor: (tab) =>
    new VisitorClient(
      { service: SERVICE, transport: service.transport({ slot: 'visitor', id: 'visitor-1' }) },
      { ...testEnvironment(clock), store, tab },
    ),
  agent: (tab) =>
    new AgentImpl(
      { service: SERVICE, token: 'memory', transport: service.transport({ slot: 'agent', id: 'agent-1' }) },
      { ...testEnvironment(clock), tab },
    ),
  pass: (ms) => clock.advance(ms),
}

const slot = fc.constantFrom('visitor' as const, 'agent' as const)
const event = fc.oneof(
  { weight: 5, arbitrary: fc.record({ is: fc.constant('cut' as const), slot }) },
  {
    weight: 6,
    arbitrary: fc.record({
      is: fc.constant('lose' as const),
      slot,
      nth: fc.integer({ min: 1, max: 6 }),
      answerOnly: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('reload' as const), at: fc.nat(2) }) },
  {
    weight: 4,
    arbitrary: fc.record({ is: fc.constant('time' as const), ms: fc.constantFrom(100, 1_000, 4_000) }),
  },
  { weight: 4, arbitrary: fc.record({ is: fc.constant('rest' as const) }) },
)
const round = fc.record({
  writes: fc.array(fc.tuple(fc.nat(2), fc.integer({ min: 1, max: 60 })), { minLength: 1, maxLength: 3 }),
  event,
})

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'history-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('ten thousand messages', () => {
  it('LOG-2 LOG-4 LOG-5 LOG-6 both ways, from three pages, under cuts, losses and page loads: nothing is lost, doubled or swapped', async () => {
    const office = new Office(new History(join(folder, 'memory.jsonl')), building)
    await office.open()
    let written = 0
    for (const { writes, event: now } of fc.sample(round, { numRuns: 1_000, seed: 11 })) {
      if (written >= MESSAGES) break
      for (const [at, count] of writes) {
        const seat = office.seats[at % office.seats.length]
        if (seat) for (let left = count; left > 0; left--) office.write(seat)
        written += count
      }
      if (now.is === 'cut') service.cut(now.slot)
      else if (now.is === 'lose') service.lose(now)
      else if (now.is === 'reload') await office.reload(now.at)
      else if (now.is === 'time') await clock.advance(now.ms)
      await clock.advance(200)
    }
    await clock.advance(30_000)
    const [contact] = service.contacts.values()
    office.close(contact?.entries ?? [])
    expect(written).toBeGreaterThanOrEqual(MESSAGES)
    expect(office.history.check()).toEqual([])
  }, 120_000)
})

describe('the checker of histories', () => {
  const page = { party: 'visitor', tab: 'tab', page: 'v' } as const
  const desk = { party: 'agent', tab: 'desk', page: 'a' } as const
  const entry = (seq: number, text: string): Line => ({
    what: 'entry',
    seq,
    id: `id ${text}`,
    party: 'visitor',
    session: 's',
    counter: seq,
    text,
  })
  const good: readonly Line[] = [
    { what: 'opened', ...page },
    { what: 'opened', ...desk },
    { what: 'sent', ...page, text: 'one' },
    { what: 'sent', ...page, text: 'two' },
    { what: 'stored', page: 'v', text: 'one', id: 'id one' },
    { what: 'stored', page: 'v', text: 'two', id: 'id two' },
    { what: 'received', ...desk, text: 'one' },
    { what: 'received', ...desk, text: 'two' },
    { what: 'acknowledged', page: 'v', ref: 'id one' },
    entry(1, 'one'),
    entry(2, 'two'),
  ]
  const [, , , sentTwo, , , gotOne, gotTwo, ack] = good as [
    Line,
    Line,
    Line,
    Line,
    Line,
    Line,
    Line,
    Line,
    Line,
  ]

  it.each<[string, readonly Line[], string]>([
    ['what was stored and is not in the log', good.slice(0, -1), 'C1'],
    ['what is in the log twice', [...good, { ...entry(3, 'two'), id: 'other' } as Line], 'C1'],
    ['what never came', good.filter((line) => line !== gotTwo), 'C1'],
    [
      'what came in another order',
      good.map((line) => (line === gotOne ? gotTwo : line === gotTwo ? gotOne : line)),
      'C2',
    ],
    ['what nobody has sent', [...good, { what: 'received', ...desk, text: 'three' }], 'C3'],
    ['what came twice', [...good, gotTwo], 'C4'],
    ['a send that never ended', [...good, { ...sentTwo, text: 'three' } as Line], 'C5'],
    ['a send that ended twice', [...good, { what: 'refused', page: 'v', text: 'two', code: 'left' }], 'C5'],
    ['an acknowledgement that came first', [ack, ...good], 'C6'],
  ])('LOG-5 finds %s', (_what, lines, rule) => {
    expect(problemsOf(good)).toEqual([])
    expect(problemsOf(lines).map((problem) => problem.slice(0, 2))).toContain(rule)
  })
})
