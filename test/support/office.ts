/**
 * Three desks, an agent's and two tabs of one visitor, who write to each other with real SDKs and note all
 * that they see in a history.
 */
import type { Entry } from '../../protocol/index.ts'
import { ContactError } from '../../protocol/index.ts'
import type { AgentImpl } from '../../sdk/agent/create-agent.ts'
import { VisitorClient } from '../../sdk/client/create-client.ts'
import type { KeyValueStore } from '../../sdk/api/client.ts'
import type { Contact } from '../../sdk/index.ts'
import { memoryStore } from '../../sdk/client/page-storage.ts'
import { settled } from '../../testing/index.ts'
import { watch } from './contacts.ts'
import type { History } from './history.ts'

/** Where an office is: how its pages reach the service, and how time passes there. */
export interface Building {
  readonly visitor: (tab: KeyValueStore) => VisitorClient
  readonly agent: (tab: KeyValueStore) => AgentImpl
  readonly pass: (ms: number) => Promise<void>
  /** Before the agent accepts. */
  readonly prepare?: (agent: AgentImpl, contact: string) => Promise<void>
}

export interface Seat {
  readonly party: string
  readonly tab: string
  readonly page: string
  readonly contact: Contact
  readonly client: VisitorClient | AgentImpl
  readonly storage: KeyValueStore
}

const TRIES = 20
const PATIENCE = 120

export class Office {
  readonly history: History
  readonly seats: Seat[] = []
  readonly #building: Building
  #pages = 0
  #texts = 0
  /** Texts whose sending has not ended. */
  unsettled = 0

  constructor(history: History, building: Building) {
    this.history = history
    this.#building = building
  }

  /** Everyone sits down; the second tab of the visitor comes last. */
  async open(): Promise<string> {
    const { visitor, agent, prepare } = this.#building
    const [tab, desk] = [memoryStore(), memoryStore()]
    const client = visitor(tab)
    const contact = await client.createContact()
    this.seats.push(this.#sit('visitor', 'tab 1', { contact, client, storage: tab }))
    const console = agent(desk)
    await prepare?.(console, contact.id)
    const accepted = await console.accept(contact.id)
    this.seats.push(this.#sit('agent', 'desk', { contact: accepted, client: console, storage: desk }))
    await accepted.join()
    await this.take('visitor', 'tab 2', memoryStore())
    await settled()
    return contact.id
  }

  /** Sends a text unlike any other; every second one by callback. */
  write({ party, tab, page, contact }: Seat): void {
    const text = `${party} ${++this.#texts}`
    this.history.note({ what: 'sent', party, tab, page, text })
    this.unsettled++
    const stored = (id: string): void => {
      this.unsettled--
      this.history.note({ what: 'stored', page, text, id })
    }
    const refused = (error: unknown): void => {
      this.unsettled--
      this.history.note({
        what: 'refused',
        page,
        text,
        code: error instanceof ContactError ? error.code : 'none',
      })
    }
    if (this.#texts % 2 === 0)
      void contact.sendText(text, undefined, (error, id) => (error ? refused(error) : stored(id ?? '')))
    else contact.sendText(text).then(stored, refused)
  }

  /** The page of one seat is loaded anew. */
  async reload(at: number): Promise<void> {
    const [seat] = this.seats.splice(at % this.seats.length, 1)
    if (!seat) return
    await seat.client.close()
    this.#stand(seat)
    await this.take(seat.party, seat.tab, seat.storage)
  }

  /** A page is loaded and tries until it is in. */
  async take(party: string, tab: string, storage: KeyValueStore): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      const client = party === 'visitor' ? this.#building.visitor(storage) : this.#building.agent(storage)
      let seat: Seat | undefined
      const coming = async (): Promise<void> => {
        const contact =
          client instanceof VisitorClient
            ? (await client.resumeContact()).contact
            : ((await client.contacts())[0] ?? null)
        if (!contact) throw new Error('there is nothing to resume')
        seat = this.#sit(party, tab, { contact, client, storage })
        if (party === 'agent') await contact.join()
        this.seats.push(seat)
      }
      if (await this.#meanwhile(coming())) return
      if (seat) this.#stand(seat)
      await client.close()
      await this.#building.pass(500)
    }
    throw new Error(`${tab} cannot come back`)
  }

  /** Notes the log as it is in the end. */
  close(entries: readonly Entry[]): void {
    for (const entry of entries)
      if (entry.type === 'text')
        this.history.note({
          what: 'entry',
          seq: entry.seq,
          id: entry.id,
          party: entry.slot,
          session: entry.session,
          counter: entry.counter,
          text: entry.body.text,
        })
  }

  /** Notes what a page gets from now on: in the task in which its contact is there. */
  #sit(party: string, tab: string, parts: Pick<Seat, 'contact' | 'client' | 'storage'>): Seat {
    const page = `${party} page ${++this.#pages}`
    this.history.note({ what: 'opened', party, tab, page })
    parts.contact.on('text', ({ text }) => this.history.note({ what: 'received', party, tab, page, text }))
    parts.contact.on('ack', ({ ref }) => this.history.note({ what: 'acknowledged', page, ref }))
    return { party, tab, page, ...parts }
  }

  #stand({ party, tab, page }: Seat): void {
    this.history.note({ what: 'closed', party, tab, page })
  }

  async #meanwhile(work: Promise<unknown>): Promise<boolean> {
    const watched = watch(work)
    await settled()
    for (let waited = 0; watched.result === 'pending' && waited < PATIENCE; waited++)
      await this.#building.pass(500)
    return watched.result !== 'pending' && 'value' in watched.result
  }
}
