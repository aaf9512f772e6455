import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Slot } from '../../../protocol/index.ts'
import type { Channel } from '../connections/channel.ts'
import type { Hub } from '../connections/hub.ts'
import type { OpenContact } from '../connections/open-contact.ts'
import type { Database } from '../store/database.ts'
import { CLUSTER_TIMES, pollAfterMs } from './node-rules.ts'
import { isSuperseded } from './session-rules.ts'
import type { SessionPlace } from './session-rules.ts'

interface NodePollParts {
  readonly db: Database['db']
  readonly hub: Hub
  /** The identity of this node; null while it has none. */
  readonly node: () => string | null
  readonly isBusUp: () => boolean
  /** Done before each comparison. */
  readonly before: () => Promise<void>
  /** The log ends before what this node has read of it. */
  readonly onRewound: (contact: string) => void
  readonly onFault: (thrown: unknown) => void
}

/** A session of a contact that has a connection. */
interface FoundSession {
  readonly session: string
  readonly slot: Slot
  readonly node: string
  readonly epoch: number
}

/** What the store has of a contact. */
interface FoundContact {
  readonly head: number
  readonly sessions: readonly FoundSession[]
}

/** Between two polls, however many messages are lost. */
const PAUSE_MS = 100
/** A timer may ring so much too early. */
const TIMER_MS = 20
/** Contacts that one statement looks up. */
const AT_ONCE = 1_000

/** Compares what is open here with the store, and repairs what lost hints have left behind. */
export class NodePoll {
  readonly #parts: NodePollParts
  #timer: NodeJS.Timeout | null = null
  #lastAt = performance.now()
  #isRunning = false
  #isWanted = false
  #stopped = false

  constructor(parts: NodePollParts) {
    this.#parts = parts
  }

  start(): void {
    this.#timer = setInterval(() => this.#look(), CLUSTER_TIMES.pollWithoutBusMs)
  }

  /** Hints were lost: compares now. */
  now(): void {
    this.#isWanted = true
    if (!this.#isRunning) void this.#run()
  }

  stop(): void {
    this.#stopped = true
    if (this.#timer) clearInterval(this.#timer)
  }

  #look(): void {
    const sinceMs = performance.now() - this.#lastAt + TIMER_MS
    if (sinceMs >= pollAfterMs(this.#parts.isBusUp())) this.now()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#isWanted && !this.#stopped) {
      this.#isWanted = false
      await this.#compare().catch(this.#parts.onFault)
      await delay(PAUSE_MS, undefined, { ref: false })
    }
    this.#isRunning = false
    this.#lastAt = performance.now()
  }

  async #compare(): Promise<void> {
    const { hub, before } = this.#parts
    await before()
    const ids = hub.ids()
    for (let from = 0; from < ids.length; from += AT_ONCE)
      await this.#compareSome(ids.slice(from, from + AT_ONCE))
  }

  async #compareSome(ids: readonly string[]): Promise<void> {
    const { hub, node, onRewound } = this.#parts
    const since = hub.changes
    const known = new Map(ids.map((id) => [id, hub.stateOf(id)?.seq ?? 0]))
    const found = await this.#find(ids)
    for (const id of ids) {
      const contact = found.get(id)
      if (!contact) hub.drop(id)
      else if (contact.head < (known.get(id) ?? 0)) onRewound(id)
      else hub.check(id, contact.head)
    }
    const own = node()
    // What has opened or closed since the statement began is compared the next time.
    const same = ids.flatMap((id) => hub.find(id) ?? []).filter(({ changed }) => changed <= since)
    if (own !== null) await this.#comparePlaces(own, same, found)
  }

  async #find(ids: readonly string[]): Promise<ReadonlyMap<string, FoundContact>> {
    const { rows } = await sql<{ contact: string; head: number } & (FoundSession | { session: null })>`
      select c.id as contact, c.head, s.session, s.slot, s.node, s.epoch
      from contacts c left join sessions s on s.contact = c.id and s.node is not null
      where c.id = any(${ids})`.execute(this.#parts.db)
    const found = new Map<string, { head: number; sessions: FoundSession[] }>()
    for (const row of rows) {
      const contact = found.get(row.contact) ?? { head: row.head, sessions: [] }
      found.set(row.contact, contact)
      if (row.session !== null) contact.sessions.push(row)
    }
    return found
  }

  async #comparePlaces(
    node: string,
    contacts: readonly OpenContact[],
    found: ReadonlyMap<string, FoundContact>,
  ): Promise<void> {
    const elsewhere: Channel[] = []
    for (const contact of contacts) {
      const sessions = found.get(contact.id)?.sessions ?? []
      if (contact.setElsewhere(sessions.filter((each) => each.node !== node))) contact.tellConnected()
      for (const channel of contact.channels.values())
        if (!sessions.some((place) => place.session === channel.session && isAt(channel, place, node)))
          elsewhere.push(channel)
    }
    if (elsewhere.length > 0) await this.#end(node, elsewhere)
  }

  /** Looks again: who has left, or whose contact is over, has no place and still reads how it ended. */
  async #end(node: string, channels: readonly Channel[]): Promise<void> {
    const { rows } = await sql<SessionPlace & { contact: string; session: string }>`
      select s.contact, s.session, s.node, s.epoch
      from unnest(${channels.map(({ contact }) => contact)}::text[],
        ${channels.map(({ session }) => session)}::text[]) as w(contact, session)
        join contacts c on c.id = w.contact and c.life not in ('cleared', 'transferred')
        join sessions s on s.contact = w.contact and s.session = w.session and not s.ended`.execute(
      this.#parts.db,
    )
    for (const channel of channels) {
      const row = rows.find(
        ({ contact, session }) => channel.contact === contact && channel.session === session,
      )
      if (row && !channel.isClosed && !isAt(channel, row, node)) end(channel)
    }
  }
}

/** A channel that only reads how the contact ended is nowhere. */
const isAt = ({ epoch }: Channel, place: SessionPlace, node: string): boolean =>
  epoch === null || !isSuperseded(place, { node, epoch })

/** It closes first, so that the end of its connection is no loss of the session. */
function end(channel: Channel): void {
  channel.close()
  channel.sink.close()
}
