import { afterAll, afterEach, expect } from 'vitest'
import { createAgent } from '../../../sdk/agent/index.ts'
import { createClient } from '../../../sdk/index.ts'
import type { Contact, DataCollection } from '../../../sdk/index.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { startService } from '../../../service/src/start-service.ts'
import type { RunningService } from '../../../service/src/start-service.ts'
import { freePort } from '../../support/free-port.ts'
import { PhoneNetwork } from './phone-network.ts'
import { preparedData } from '../../support/prepared-store.ts'
import { signInAgent, testOptions } from '../../support/service.ts'
import { ManualClock } from '../../support/manual-clock.ts'

export const NUMBER = '+4930123456'
export const WITH_NUMBER: DataCollection = [
  {
    name: 'call',
    desc: 'Call me',
    data: [{ name: 'number', desc: 'Telephone', type: 'phone', value: NUMBER, visible: false }],
  },
]
const both = { tx: 'required', rx: 'required' } as const
export const PHONE = { tx: true, rx: true, via: 'pstn', engine: 'Native' }

export const adminToken = 'an administration token'

type Ends = (() => Promise<unknown> | void)[]
/** Runs after each test, the last one first. */
export const ends: Ends = []
/** The same, after all tests. */
const lastEnds: Ends = []
const endAll = async (all: Ends): Promise<void> => {
  for (const end of all.splice(0).toReversed()) await end()
}
afterEach(() => endAll(ends))
afterAll(() => endAll(lastEnds))

/** A service that can be started again, with a telephone network unless there is none. */
export async function startOffice(network: PhoneNetwork | null = new PhoneNetwork()) {
  const data = preparedData()
  const options = testOptions(data.folder, { port: await freePort(), adminToken })
  const clock = new ManualClock()
  const run = (): Promise<RunningService> =>
    startService(options, { clock, ...(network && { telephony: network }) })
  let service = await run()
  lastEnds.push(data.remove, () => service.stop())
  const restart = async (): Promise<void> => {
    await service.stop()
    service = await run()
  }
  return { url: service.url, clock, network: network ?? new PhoneNetwork(), restart }
}

let agents = 0

/** A nick that no other agent of these tests has. */
export const nextNick = (): string => `Ada ${++agents}`

/** Both parties of a contact, who accept everything. */
export async function joined(url: string, data: DataCollection = WITH_NUMBER) {
  const nick = nextNick()
  const { token } = await signInAgent(url, nick)
  const agent = createAgent({ service: url, token })
  const storage = memoryStore()
  const client = createClient({ service: url, storage })
  ends.push(
    () => agent.close(),
    () => client.close(),
  )
  const distributed = new Promise((resolve) => agent.once('distribution', resolve))
  await agent.ready({ tags: [nick] })
  const visitor = await client.createContact({ data, tags: [nick] })
  await distributed
  const contact = await agent.accept(visitor.id)
  await agent.pause()
  for (const party of [visitor, contact]) {
    party.on('mediaoffer', ({ offer, callback }) =>
      callback(
        null,
        Object.fromEntries(
          Object.entries(offer).map(([medium, details]) => [
            medium,
            { tx: details?.tx !== 'off', rx: details?.rx !== 'off' },
          ]),
        ),
      ),
    )
  }
  await Promise.all([contact.join(), new Promise((resolve) => visitor.once('joined', resolve))])
  return { visitor, contact, agent, client, storage }
}

export const offer = async (contact: Contact): Promise<unknown> => {
  const now = await contact.getMediaOffer()
  return contact.offerMedia({ ...now, Voice: { ...both, via: 'pstn' } }).then(
    () => 'done',
    ({ code, message }: { code: string; message: string }) => ({ code, message }),
  )
}
export const voice = async (contact: Contact): Promise<unknown> => (await contact.getMedia()).Voice
export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  await expect.poll(holds, { timeout: 10_000, interval: 10 }).toBe(true)
}
export const idle = (...contacts: Contact[]): Promise<void> =>
  until(() => contacts.every(({ mediaState }) => mediaState === 'idle'))
