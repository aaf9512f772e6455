import '../../support/loaded-code.ts'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Entry } from '../../../protocol/index.ts'
import { AgentImpl } from '../../../sdk/agent/create-agent.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import { pageClock } from '../../../sdk/client/clock.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { TestClock } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import { History } from '../../support/history.ts'
import { Office } from '../../support/office.ts'
import { freePort } from '../../support/free-port.ts'
import { ServiceProcess } from '../../support/service-process.ts'
import { preparedData } from '../../support/prepared-store.ts'
import { signInAgent } from '../../support/service.ts'
import { WireClient } from '../../support/wire-client.ts'

/** `DUOLOG_MESSAGES=10000` makes a longer run. */
const MESSAGES = Number(process.env['DUOLOG_MESSAGES'] ?? 1_200)
const ROUNDS = 24

const data = preparedData()
let port = 0
let service: ServiceProcess
const url = (): string => `http://127.0.0.1:${port}`
const start = () =>
  ServiceProcess.start(['--port', String(port), '--data', data.folder, '--log-level', 'silent'])

beforeAll(async () => {
  port = await freePort()
  service = await start()
})
afterAll(async () => {
  await service.stop()
  data.remove()
})

async function readLog(token: string, contact: string): Promise<Entry[]> {
  const client = await WireClient.connect(url(), token)
  const all: Entry[] = []
  for (let head = 1; all.length < head;) {
    const page = await client.call('log.read', { contact, after: all.length, limit: 200 })
    all.push(...page.entries)
    head = page.entries.length === 0 ? 0 : page.head
  }
  client.close()
  return all
}

describe('thousands of messages over the service', () => {
  it('LOG-2 LOG-4 LOG-5 LOG-6 SRV-14 both ways, from three pages, while the service is killed and pages are loaded: nothing is lost, doubled or swapped', async () => {
    const { token } = await signInAgent(url(), 'Ada')
    const world = () => ({ ...testEnvironment(new TestClock()), clock: pageClock, random: Math.random })
    const store = memoryStore()
    const office = new Office(new History(join(data.folder, 'service.jsonl')), {
      visitor: (tab) => new VisitorClient({ service: url() }, { ...world(), store, tab }),
      agent: (tab) => new AgentImpl({ service: url(), token }, { ...world(), tab }),
      pass: (ms) => delay(ms / 10),
      prepare: async (agent, contact) => {
        const offered = new Promise<void>((resolve) =>
          agent.on('distribution', ({ id }) => id === contact && resolve()),
        )
        await agent.ready({ capacity: 3 })
        await offered
      },
    })
    const contact = await office.open()
    for (let round = 0; round < ROUNDS; round++) {
      for (let left = MESSAGES / ROUNDS; left > 0; left--) {
        const seat = office.seats[left % office.seats.length]
        if (seat) office.write(seat)
      }
      if (round % 8 === 3) {
        await service.kill()
        service = await start()
      } else if (round % 4 === 1) await office.reload(round)
      else await delay(30)
    }
    for (let waited = 0; waited < 400 && office.unsettled > 0; waited++) await delay(100)
    office.close(await readLog(token, contact))
    // The last of it is still on its way to the other pages.
    for (let waited = 0; waited < 200 && office.history.check().length > 0; waited++) await delay(100)
    expect(office.history.check()).toEqual([])
    for (const { client } of office.seats) await client.close()
  }, 180_000)
})
