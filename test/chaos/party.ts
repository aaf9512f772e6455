/** A process with pages of visitors or of agents, as real SDKs. */
import { setTimeout as delay } from 'node:timers/promises'
import { AgentDesk } from './agent-desk.ts'
import { Notes } from './notes.ts'
import type { Order, PartyTask } from './party.types.ts'
import { seededFor } from './random.ts'
import { VisitorTab } from './visitor-tab.ts'

/** Pages are not opened all at once. */
const APART_MS = 40
/** Longer than any time after which a page must have found what it has missed. */
const SETTLE_MS = 60_000
const END_MS = 5_000

const task = JSON.parse(process.argv[2] ?? '{}') as PartyTask
const notes = new Notes(task.folder, task.process)
const rest = new AbortController()
const parties: (VisitorTab | AgentDesk)[] = []
const running: Promise<void>[] = []

process.on('disconnect', () => process.exit())
process.on('message', (order: Order) => void obey(order))
process.on('unhandledRejection', (thrown) =>
  notes.note(`${task.process}/0`, { what: 'failed', doing: 'unhandled', code: String(thrown) }),
)

async function obey(order: Order): Promise<void> {
  if (order.name === 'rest') {
    rest.abort()
    await Promise.all(running)
    await within(SETTLE_MS, (party) => party.answered())
  }
  if (order.name === 'settle') await within(SETTLE_MS, (party) => party.hasRead(order.last))
  if (order.name === 'conclude') await Promise.all(parties.map((party) => party.conclude()))
  if (order.name === 'end') await within(END_MS, (party) => party.end())
  process.send?.(order.name)
  if (order.name === 'end') process.exit()
}

/** What is not done by then is left to the checker. */
async function within(ms: number, work: (party: VisitorTab | AgentDesk) => Promise<unknown>): Promise<void> {
  await Promise.race([Promise.all(parties.map((party) => work(party))), delay(ms)])
}

notes.watchTime()

for (let number = 1; number <= task.count && !rest.signal.aborted; number += 1) {
  const name = `${task.process}-${number}`
  const parts = { task, name, notes, random: seededFor(task.seed, name) }
  const party = task.role === 'visitor' ? new VisitorTab(parts) : new AgentDesk(parts)
  parties.push(party)
  running.push(party.run(rest.signal))
  await delay(APART_MS)
}
