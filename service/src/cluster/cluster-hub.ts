import { setTimeout as delay } from 'node:timers/promises'
import type { Entry, Push } from '../../../protocol/index.ts'
import type { LocalBus } from '../bus/local-bus.ts'
import type { Channel } from '../connections/channel.ts'
import { Hub } from '../connections/hub.ts'
import type { OpenContact } from '../connections/open-contact.ts'
import type { ContactChange } from '../contacts/index.ts'
import type { Metrics } from '../http/metrics.ts'
import { readLog } from '../log/read-log.ts'
import { Relay } from '../relay/relay.ts'
import type { Database } from '../store/database.ts'
import { AppendedHints } from './appended-hints.ts'
import { otherNodes } from './node-table.ts'
import type { NodeLink } from './node-link.ts'
import { NodePoll } from './node-poll.ts'
import type { OwnNode } from './own-node.ts'
import { placeOf } from './session-openings.ts'
import { SharedRates } from './shared-rates.ts'
import type { SharedRateParts } from './shared-rates.ts'
import type { OpenSession } from './session-openings.ts'

interface ClusterHubParts {
  readonly db: Database['db']
  readonly local: LocalBus
  readonly link: NodeLink
  readonly node: OwnNode
  readonly rates: SharedRateParts['rates']
  readonly nodes: SharedRateParts['nodes']
  readonly clock: SharedRateParts['clock']
  /** Entries that another node has stored. */
  readonly onAppended: (contact: string, entries: readonly Entry[]) => void
  readonly onAgent: (agent: string, push: Push) => void
  readonly onMatch: () => void
  /** Reads which tokens are void, and ends their connections. */
  readonly checkTokens: () => Promise<void>
  /** What the poll does besides comparing contacts. */
  readonly poll: () => Promise<void>
  readonly change: (contact: string, work: (change: ContactChange) => Promise<void>) => Promise<void>
  /** Does something until it is done. */
  readonly insist: (key: string, work: () => Promise<void>) => void
  readonly metrics: Metrics
  readonly onFault: (thrown: unknown) => void
}

/** How long parties elsewhere have to receive the end of a contact that is to be erased. */
const CONCLUDE_MS = 5_000
/** A question for it is answered within this, and asked again. */
const CONCLUDED_MS = 1_000
const AGAIN_MS = 250

const within = (ms: number): Promise<void> => delay(ms, undefined, { ref: false })

/** The contacts that are open at this node, and what the other nodes tell of them and are told. */
export class ClusterHub {
  readonly hub: Hub
  readonly relay: Relay
  readonly #parts: ClusterHubParts
  readonly #poll: NodePoll
  readonly #appended: AppendedHints
  readonly #rates: SharedRates
  /** Contacts whose end the parties of this node are receiving. */
  readonly #concluding = new Map<string, Promise<void>>()

  constructor(parts: ClusterHubParts) {
    const { db, link, node, metrics, onFault, rates, nodes, clock } = parts
    this.#parts = parts
    this.#rates = new SharedRates({ rates, link, nodes, clock })
    metrics.counter('duolog_healed_total', 'Entries that no hint had told, by how they were noticed.')
    metrics.counter('duolog_rewound_total', 'Logs that ended before what was read of them.')
    this.hub = new Hub({
      read: (contact, page) => readLog(db, contact, page),
      onHealed: (by) => metrics.add('duolog_healed_total', `by="${by}"`),
      onConnected: (channel, contact, isHere) => this.#tellConnected(channel, contact, isHere),
      onFault,
    })
    const nodeOf = async (contact: string, session: string): Promise<string | null> =>
      (await placeOf(db, contact, session))?.node ?? null
    this.relay = new Relay({ hub: this.hub, link, nodeOf, metrics })
    this.#poll = new NodePoll({
      ...{ db, onFault, hub: this.hub },
      node: () => node.id,
      isBusUp: () => link.isUp,
      before: parts.poll,
      onRewound: (contact) => this.#rewound(contact),
    })
    this.#appended = new AppendedHints((to, contacts) =>
      link.tell(to, 'appended', { contacts: [...contacts] }),
    )
  }

  /** From now on other nodes are told what the parts of this one tell each other, after them. */
  join(): void {
    const { local, link, node } = this.#parts
    local.on('appended', ({ contact, entries, nodes }) => {
      if (!link.isAlone)
        this.#appended.add(
          contact,
          entries,
          nodes.filter((each) => each !== node.id),
        )
    })
    local.on('moved', ({ from, ...session }) => link.tell(from, 'moved', session))
    local.on('agent', (message) => link.tellAll('agent', message))
    local.on('match', (message) => link.tellAll('match', message))
    this.#listen()
  }

  start(): void {
    this.#poll.start()
    this.#rates.start()
  }

  stop(): void {
    this.#poll.stop()
    this.#rates.stop()
  }

  /** A page has come from another connection, which may be one of this node. */
  moved(session: OpenSession, from: string): void {
    const { local, metrics, node } = this.#parts
    if (from === node.id) return
    metrics.add('duolog_moved_total')
    local.publish('moved', { ...session, from })
  }

  /** Tokens have been voided here. */
  revoked(): void {
    this.#parts.link.tellAll('revoked', {})
  }

  /** Contacts are no more. */
  erased(contacts: readonly string[]): void {
    for (const contact of contacts) this.hub.drop(contact)
    this.#parts.link.tellAll('erased', { contacts: [...contacts] })
  }

  /**
   * As {@link Hub.conclude}, for the parties at all nodes. No session of a contact that is over names its node,
   * so all are asked.
   */
  async conclude(contact: string, head: number): Promise<void> {
    const { db, link, node } = this.#parts
    const others = link.isAlone ? [] : await otherNodes(db, node.id)
    await Promise.all([
      this.hub.conclude(contact, head, within(CONCLUDE_MS)),
      ...others.map((each) => this.#concludeAt(each, { contact, head })),
    ])
  }

  /** Without an answer it waits as long as it would for a slow line: the other node's poll finds the end. */
  async #concludeAt(node: string, asked: { readonly contact: string; readonly head: number }): Promise<void> {
    const limit = within(CONCLUDE_MS).then(() => 'over' as const)
    for (;;) {
      const answer = this.#parts.link.ask(node, 'concluded', asked).catch(() => null)
      const isDone = await Promise.race([answer, limit])
      if (isDone === true || isDone === 'over') return
      if (isDone === null) await Promise.race([within(AGAIN_MS), limit])
    }
  }

  #listen(): void {
    const { link, onAgent, onMatch, checkTokens, onFault } = this.#parts
    link.on('appended', ({ contacts }) => {
      for (const each of contacts)
        if ('entries' in each) this.#heard(each.contact, each.entries)
        else this.hub.check(each.contact, each.head, 'gap')
    })
    link.on('connected', ({ contact, isHere, ...session }, node) =>
      this.hub.hearConnected(contact, { ...session, node }, isHere),
    )
    link.on('moved', (session, node) => this.hub.superseded(session, node))
    link.on('agent', ({ agent, push }) => onAgent(agent, push))
    link.on('match', () => onMatch())
    link.on('revoked', () => void checkTokens().catch(onFault))
    link.on('erased', ({ contacts }) => {
      for (const contact of contacts) this.hub.drop(contact)
    })
    link.on('rewound', ({ contact }) => {
      for (const { sink } of this.#drop(contact)) sink.close()
    })
    link.answer('concluded', async ({ contact, head }) => {
      const isDone = this.#concludeHere(contact, head).then(() => true)
      return Promise.race([isDone, within(CONCLUDED_MS).then(() => false)])
    })
    link.onMissed(() => {
      this.#poll.now()
      void this.relay.resume().catch(onFault)
    })
  }

  #heard(contact: string, entries: readonly Entry[]): void {
    this.hub.appended(contact, entries)
    this.#parts.onAppended(contact, entries)
  }

  #concludeHere(contact: string, head: number): Promise<void> {
    const running = this.#concluding.get(contact)
    if (running) return running
    this.hub.check(contact, head, 'gap')
    const concluding = this.hub
      .conclude(contact, head, within(CONCLUDE_MS))
      .finally(() => this.#concluding.delete(contact))
    this.#concluding.set(contact, concluding)
    return concluding
  }

  #tellConnected({ session, slot, epoch }: Channel, contact: OpenContact, isHere: boolean): void {
    // A session that has moved is told of by the node that it has moved to.
    if (epoch === null || (!isHere && contact.nodeOf(session) !== null)) return
    for (const node of contact.nodes)
      this.#parts.link.tell(node, 'connected', { contact: contact.id, session, slot, epoch, isHere })
  }

  /**
   * The store has lost what it had acknowledged: pages that have read different logs must not go on. They
   * connect anew, and read how the contact ended from the start.
   */
  #rewound(contact: string): void {
    const { change, insist, link, metrics } = this.#parts
    metrics.add('duolog_rewound_total')
    const channels = this.#drop(contact)
    insist(`rewound ${contact}`, async () => {
      await change(contact, (changed) => {
        changed.happen({ type: 'erased' })
        return Promise.resolve()
      })
      for (const { sink } of channels) sink.close()
      link.tellAll('rewound', { contact })
    })
  }

  #drop(contact: string): readonly Channel[] {
    const channels = [...(this.hub.find(contact)?.channels.values() ?? [])]
    this.hub.drop(contact)
    return channels
  }
}
