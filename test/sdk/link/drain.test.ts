import { expect, it } from 'vitest'
import { ContactError, deferred } from '../../../protocol/index.ts'
import type { CallName, Connection, Transport, TransportEvent } from '../../../protocol/index.ts'
import { AgentImpl } from '../../../sdk/agent/create-agent.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import { ServiceLink } from '../../../sdk/link/service-link.ts'
import { TestClock, settled } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import { record, watch } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

/** One connection: what was asked on it, and what answers that. */
class FakeConnection implements Connection {
  readonly asked: CallName[] = []
  readonly tell: (event: TransportEvent) => void
  isOpen = true
  #answers: (() => void)[] = []

  constructor(tell: (event: TransportEvent) => void) {
    this.tell = tell
  }

  async call(name: CallName): Promise<never> {
    this.asked.push(name)
    const answered = deferred()
    this.#answers.push(() => answered.resolve())
    await answered.promise
    if (!this.isOpen) throw new ContactError('offline', 'unable to call; the connection is gone')
    return {} as never
  }

  async answer(): Promise<void> {
    for (const answer of this.#answers.splice(0)) answer()
    await settled()
  }

  close(): void {
    this.isOpen = false
    void this.answer()
  }
}

const DRAIN = { type: 'push', push: { name: 'link.drain', body: {} } } as const

/** A link that is online. */
async function online() {
  const clock = new TestClock()
  const connections: FakeConnection[] = []
  const connect = (onEvent: (event: TransportEvent) => void): Connection => {
    const connection = new FakeConnection(onEvent)
    connections.push(connection)
    return connection
  }
  const link = new ServiceLink({ transport: { connect }, clock, random: () => 0 })
  const last = (): FakeConnection => connections.at(-1) as FakeConnection
  const up = async (): Promise<void> => {
    last().tell({ type: 'up' })
    await settled()
  }
  link.start()
  await up()
  return { link, clock, connections, last, up }
}

it('CLU-46 calls under way are answered by the node that stops, and new ones are made at the next', async () => {
  const { link, connections, last, up } = await online()
  const [first] = connections
  const before = watch(link.call('contact.list', {}))
  first?.tell(DRAIN)
  const held = watch(link.call('agent.colleagues', {}))
  await settled()
  expect([first?.asked, connections.length, link.state]).toEqual([['contact.list'], 1, 'online'])
  await first?.answer()
  expect([before.result, first?.isOpen, connections.length]).toEqual([{ value: {} }, false, 2])
  const late = watch(link.call('ice.servers', {}))
  await settled()
  expect(last().asked).toEqual([])
  await up()
  expect(last().asked).toEqual(['agent.colleagues', 'ice.servers'])
  await last().answer()
  expect([held.result, late.result]).toEqual([{ value: {} }, { value: {} }])
})

it('CLU-46 without a call under way the page goes at once', async () => {
  const { connections } = await online()
  connections[0]?.tell(DRAIN)
  await settled()
  expect([connections.length, connections[0]?.isOpen]).toEqual([2, false])
})

it('CLU-46 what each connection begins with is not made on one that ends, and fails with it', async () => {
  const { link, connections } = await online()
  void watch(link.call('contact.list', {}))
  connections[0]?.tell(DRAIN)
  const open = watch(link.callHere('contact.open', { contact: 'c', session: 's', cursor: 0 }))
  await settled()
  expect([open.result, connections[0]?.asked]).toEqual(['pending', ['contact.list']])
  await connections[0]?.answer()
  expect(open.result).toEqual({ code: 'offline' })
})

it('CLU-46 while no other node takes the page calls wait, for 10 s at most', async () => {
  const { link, clock, connections, last } = await online()
  const error = new ContactError('offline', 'unable to connect; the service is stopping')
  connections[0]?.tell(DRAIN)
  await settled()
  const held = watch(link.call('agent.colleagues', {}))
  const starting = watch(link.online())
  for (let second = 0; second < 9; second += 1) {
    if (last().isOpen) last().tell({ type: 'down', error })
    await clock.advance(1_000)
  }
  expect([held.result, starting.result, connections.length > 3]).toEqual(['pending', 'pending', true])
  last().tell({ type: 'down', error })
  await clock.advance(1_000)
  expect(held.result).toEqual({ code: 'offline' })
})

/** A visitor's page, and its connection, over which a test may speak for the service. */
function linePage() {
  const world = new World()
  const inner = world.link.transport({ slot: 'visitor', id: 'visitor-1' })
  const line = { connections: 0, tell: (_event: TransportEvent): void => {} }
  const transport: Transport = {
    connect: (onEvent) => {
      line.connections += 1
      line.tell = onEvent
      return inner.connect(onEvent)
    },
  }
  const environment = { ...testEnvironment(world.clock), clock: world.clock }
  const client = new VisitorClient({ service: 'http://localhost', transport }, environment)
  return { world, line, client }
}

it('CLU-46 a page goes to another node without losing a message, and its user is told of no failure', async () => {
  const { world, line, client } = linePage()
  const visitor = await client.createContact()
  const agent = await world.agent().client.accept(visitor.id)
  await agent.join()
  await settled()
  // Its code is loaded here, in real time.
  await client.history()
  const errors = [record(visitor, 'error'), record(agent, 'error'), record(agent, 'left')]
  const texts = record(agent, 'text')
  const sent = []
  for (let round = 1; round <= 5; round += 1) {
    sent.push(watch(visitor.sendText(`${round} before`)))
    line.tell(DRAIN)
    sent.push(watch(visitor.sendText(`${round} after`)), watch(client.history()))
    await world.clock.advance(100)
    expect(line.connections).toBe(round + 1)
  }
  expect(sent.map(({ result }) => Object.keys(result))).toEqual(sent.map(() => ['value']))
  expect(texts.map(([, payload]) => 'text' in payload && payload.text)).toEqual(
    [1, 2, 3, 4, 5].flatMap((round) => [`${round} before`, `${round} after`]),
  )
  expect(errors).toEqual([[], [], []])
})

it('CLU-46 a contact is created, entered and left though the node stops at any moment of that', async () => {
  const outcomes: unknown[] = []
  for (let turns = 0; turns < 80; turns += 1) {
    const { world, line, client } = linePage()
    const creating = watch(client.createContact())
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
    line.tell(DRAIN)
    await world.clock.advance(1_000)
    const { result } = creating
    if (typeof result === 'string' || !('value' in result)) {
      outcomes.push({ turns, result })
      continue
    }
    const sending = watch(result.value.sendText('hello'))
    line.tell(DRAIN)
    const leaving = watch(result.value.leave())
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
    line.tell(DRAIN)
    await world.clock.advance(1_000)
    const ends = [sending.result, leaving.result].map((each) => typeof each === 'object' && 'value' in each)
    if (!ends.every(Boolean)) outcomes.push({ turns, sent: sending.result, left: leaving.result })
  }
  expect(outcomes).toEqual([])
})

it('CLU-46 an offer that goes while its agent is on the way to another node is withdrawn there', async () => {
  const world = new World()
  const line = { tell: (_event: TransportEvent): void => {}, whenOpen: Promise.resolve() }
  const way = world.link.transport({ slot: 'agent', id: 'agent-1', nick: 'Ada' })
  const transport: Transport = {
    connect: (onEvent) => {
      line.tell = onEvent
      const connection = line.whenOpen.then(() => way.connect(onEvent))
      return {
        call: async (name, args) => (await connection).call(name, args),
        close: () => void connection.then((each) => each.close()),
      }
    },
  }
  const options = { service: 'http://localhost', token: 'memory', transport }
  const desk = new AgentImpl(options, testEnvironment(world.clock))
  const visitor = await world.visitor().client.createContact()
  await desk.ready()
  await settled()
  const told: string[] = []
  desk.on('withdrawn', ({ id, reason }) => void told.push(`${reason} ${id}`))
  desk.on('connection', ({ state }) => void told.push(state))
  const opened = deferred()
  line.whenOpen = opened.promise
  line.tell(DRAIN)
  await settled()
  await visitor.leave()
  opened.resolve()
  await settled()
  expect(told).toEqual(['connecting', `expired ${visitor.id}`, 'online'])
  await desk.close()
})
