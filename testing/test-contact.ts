import { NativeEngine } from '../engines/index.ts'
import type { MediaEngine } from '../engines/index.ts'
import { AgentImpl } from '../sdk/agent/create-agent.ts'
import type { Inspect } from '../sdk/api/client.ts'
import type { Contact, ContactOptions } from '../sdk/api/contact.ts'
import { VisitorClient } from '../sdk/client/create-client.ts'
import type { Environment } from '../sdk/client/environment.ts'
import { memoryStore } from '../sdk/client/page-storage.ts'
import { silentLog } from '../sdk/client/silent-log.ts'
import { later } from '../sdk/contact/lazy-modules.ts'
import { ContactEngines } from '../sdk/media/contact-engines.ts'
import { ContactError } from '../protocol/index.ts'
import type { Slot } from '../protocol/index.ts'
import { ContactFaults } from './contact-faults.ts'
import { FakeDevices } from './fake-devices.ts'
import { FakePipes } from './fake-pipes.ts'
import { FakeEngine } from './fake-engine.ts'
import { MemoryService } from './memory-service.ts'
import { TestClock, settled } from './test-clock.ts'

/** What a test may choose. */
export interface TestContactOptions {
  /** What the visitor says of the contact. */
  readonly contact?: ContactOptions
  /**
   * Engines of each party; default `Native` and a fake one that carries Voice, Video and Screen in the name
   * of `WebRTC`.
   */
  readonly engines?: (slot: Slot) => readonly MediaEngine[]
  /** Milliseconds that offers stand, as in `createClient`. */
  readonly offerLifetime?: number
  /** Inspection observer of a party's page; asked again for each page that is loaded. */
  readonly inspect?: (slot: Slot) => Inspect
}

/** Two parties of one contact, in memory. */
export interface TestContact {
  readonly visitor: Contact
  readonly agent: Contact
  /** Stands still until the test moves it. */
  readonly clock: TestClock
  /** The service in memory: its logs, and the faults of the links. */
  readonly link: MemoryService
  /** The direct connections of data channels, and their faults. */
  readonly pipes: FakePipes
  /** The devices of each party, where the engines are the default ones. */
  readonly devices: Readonly<Record<Slot, FakeDevices>>
  /** What goes wrong, as one would say it: a message is dropped, the microphone denied. */
  readonly faults: ContactFaults
  /**
   * Loads the page of a party anew, with what the old page kept. Resolves with the contact of the new page,
   * when all has come to rest; `listen` is called with it before its events start, such as an offer that
   * stands: without a handler it would be rejected.
   */
  readonly reload: (slot: Slot, listen?: (contact: Contact) => void) => Promise<Contact>
}

/** An environment without a page: time that a test moves, engines that it chooses, nothing kept. */
export function testEnvironment(
  clock: TestClock,
  engines: () => readonly MediaEngine[] = () => defaultEngines(),
  pipes: Environment['pipes'] = () => Promise.resolve(null),
): Environment {
  return {
    clock,
    random: () => 0.5,
    log: silentLog,
    store: memoryStore(),
    tab: memoryStore(),
    engines: () => Promise.resolve(engines()),
    enginesCode: ContactEngines,
    pipes,
    openTabs: () => null,
    capabilities: () => Promise.resolve({ Media: { Sharing: {} }, Mobile: false, CoBrowsing: false }),
    upload: () =>
      Promise.reject(new ContactError('not_supported', 'unable to upload the file; there is no service')),
    onDevices: () => () => {},
    onWake: () => () => {},
  }
}

/** The engines that {@link createTestContact} uses. */
export const defaultEngines = (devices?: FakeDevices): readonly MediaEngine[] => [
  new NativeEngine(),
  new FakeEngine({ id: 'WebRTC', media: ['Voice', 'Video', 'Screen'], ...(devices && { devices }) }),
]

/**
 * A contact of a visitor and an agent who have both joined, without a service, a browser or a device.
 *
 * @example
 * ```ts
 * const { visitor, agent } = await createTestContact()
 * agent.on('text', ({ text }) => console.log(text))
 * await visitor.sendText('Good morning')
 * ```
 */
export async function createTestContact(options: TestContactOptions = {}): Promise<TestContact> {
  // How long code takes to come is the time of the machine, not that of the test's clock.
  await later.negotiation()
  const clock = new TestClock()
  const link = new MemoryService(clock)
  const service = 'http://localhost'
  const { engines, inspect, offerLifetime } = options
  const pipes = new FakePipes()
  const devices = { visitor: new FakeDevices(), agent: new FakeDevices() }
  const kept = (slot: Slot): Environment => ({
    ...testEnvironment(clock, () => engines?.(slot) ?? defaultEngines(devices[slot]), pipes.for(slot)),
    upload: (file, job) => link.files.upload(file, job),
  })
  const environments = { visitor: kept('visitor'), agent: kept('agent') }
  const page = (slot: Slot): Environment => ({
    ...environments[slot],
    inspect: inspect?.(slot),
    offerLifetime,
  })
  const transports = {
    visitor: link.transport({ slot: 'visitor', id: 'visitor-1' }),
    agent: link.transport({ slot: 'agent', id: 'agent-1', nick: 'Ada' }),
  }
  const loadVisitor = (): VisitorClient =>
    new VisitorClient({ service, transport: transports.visitor }, page('visitor'))
  const loadAgent = (): AgentImpl =>
    new AgentImpl({ service, token: 'memory', transport: transports.agent }, page('agent'))
  let client = loadVisitor()
  let desk = loadAgent()
  const visitor = await client.createContact(options.contact)
  const agent = await desk.accept(visitor.id)
  await agent.join()
  await settled()
  const pages = { visitor, agent }
  const faults = new ContactFaults({ link, devices, contactOf: (slot) => pages[slot] })
  const reload = async (slot: Slot, listen?: (contact: Contact) => void): Promise<Contact> => {
    await (slot === 'visitor' ? client : desk).close()
    if (slot === 'visitor') client = loadVisitor()
    else desk = loadAgent()
    const contact =
      slot === 'visitor' ? (await client.resumeContact()).contact : ((await desk.contacts())[0] ?? null)
    if (!contact) throw new ContactError('not_found', 'unable to load the page anew; the contact is over')
    listen?.(contact)
    if (slot === 'agent') await contact.join()
    pages[slot] = contact
    await settled()
    return contact
  }
  return { visitor, agent, clock, link, pipes, devices, faults, reload }
}
