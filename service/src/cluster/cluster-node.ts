import { createActor, fromCallback, fromPromise, waitFor } from 'xstate'
import type { Kysely } from 'kysely'
import type { Bus } from '../bus/bus.ts'
import type { ServiceClock } from '../clock/clock.ts'
import { randomId } from '../clock/random.ts'
import type { Random } from '../clock/random.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Tables } from '../store/tables.ts'
import { prefixOf } from '../store/alone-or-shared.ts'
import { CLUSTER_TIMES, isReady, isSettled } from './node-rules.ts'
import type { NodeRow } from './node-rules.ts'
import { beatOnce, declareDead, declareOthersDead, drainNode, enterNode, forgetDead } from './node-table.ts'
import type { OwnNode } from './own-node.ts'
import { nodeMachine } from './node.machine.ts'
import type { BeatEvent, NodeActor, NodeEvent } from './node.machine.ts'

export interface ClusterNodeParts {
  readonly db: Kysely<Tables>
  /** Waits, and the node's own monotonic time. */
  readonly clock: Pick<ServiceClock, 'setTimeout' | 'clearTimeout'> & { readonly monotonic: () => number }
  /** The time of everything in the store. */
  readonly now: () => number
  readonly random: Random
  readonly metrics: Metrics
  /** For people: where this process runs. */
  readonly name: string
  /** Opens the bus under an identity; null: this process has the store for itself. */
  readonly openBus: ((node: string) => Promise<Bus>) | null
  /** Ends all connections, spread over 2 s, without noting what is lost with them. */
  readonly sendAway: () => Promise<void>
  /** Other nodes were declared dead here: what they had is to be swept. */
  readonly onDead: () => Promise<void>
  readonly onFault: (thrown: unknown) => void
}

/** What this program understands of the store and the bus. */
export const NODE_LEVEL = 1
/** A beat that the store has not taken by then is missed. */
const BEAT_LIMIT_MS = 2 * CLUSTER_TIMES.beatMs
/** Beats of others that were heard so recently count as heard. */
const HEARD_MS = 3 * CLUSTER_TIMES.beatMs
/** Dead rows stay for the people who look what happened. */
const KEEP_DEAD_MS = 7 * 86_400_000

/** This process among the nodes. */
export class ClusterNode implements OwnNode {
  readonly #parts: ClusterNodeParts
  readonly #actor: NodeActor
  #bus: Bus | null = null
  /** The store has not answered the last beat yet. */
  #isAsking = false
  /** When a beat of another node was heard last. */
  #heardAt = Number.NEGATIVE_INFINITY

  private constructor(parts: ClusterNodeParts, node: string, bus: Bus | null) {
    this.#parts = parts
    this.#bus = bus
    this.#actor = this.#makeActor(node)
    this.#actor.on('beaten', ({ silent }) => this.#onBeaten(silent))
    this.#actor.on('draining', () => this.#noteDraining())
    this.#registerMetrics()
  }

  /**
   * Enters the table of nodes, and beats from then on. A process that has the store for itself declares all
   * others dead.
   *
   * @throws StartError the bus cannot be used, or another process has the store for itself
   */
  static async start(parts: ClusterNodeParts): Promise<ClusterNode> {
    const { node, bus } = await enter(parts)
    if (!bus) await declareOthersDead(parts.db, node, parts.now())
    await forgetDead(parts.db, parts.now() - KEEP_DEAD_MS)
    const own = new ClusterNode(parts, node, bus)
    own.#actor.start()
    await waitFor(own.#actor, (snapshot) => !snapshot.matches({ life: 'beating' }))
    return own
  }

  get id(): string {
    return this.#actor.getSnapshot().context.node
  }

  /** False while it is between two identities: it has no connections, and takes none. */
  get isPresent(): boolean {
    const { value } = this.#actor.getSnapshot()
    return value.life === 'beating' || value.life === 'resting'
  }

  /** The bus of the present identity. */
  get bus(): Bus | null {
    return this.#bus
  }

  /** Whether this process has the store for itself. */
  get isAlone(): boolean {
    return this.#parts.openBus === null
  }

  /** Whether load balancers may send somebody here. */
  get isReady(): boolean {
    if (!this.takesWork || this.isAlone) return this.takesWork
    const { context } = this.#actor.getSnapshot()
    return isReady(context.observation, 'up', this.#parts.clock.monotonic())
  }

  /** Takes no new work any more. */
  get isDraining(): boolean {
    return this.#actor.getSnapshot().matches({ work: 'draining' })
  }

  get takesWork(): boolean {
    return this.isPresent && !this.isDraining
  }

  /**
   * Whether it may act on the absence of others. Who has the store for itself need not wait: nobody else
   * could have heard of them.
   */
  isSettled(): boolean {
    const { context } = this.#actor.getSnapshot()
    return this.isAlone || isSettled(context.observation, this.#parts.clock.monotonic())
  }

  /** All nodes, as the store had them at the last beat. */
  get nodes(): readonly NodeRow[] {
    return this.#actor.getSnapshot().context.rows
  }

  /** Own beats that the store has taken under this identity. */
  get beats(): number {
    const { node } = this.#actor.getSnapshot().context
    return this.nodes.find((row) => row.node === node)?.beat ?? 0
  }

  /** A beat of another node was heard over the bus. */
  heardBeat(): void {
    this.#heardAt = this.#parts.clock.monotonic()
  }

  /** Takes no new work from now on. */
  drain(): void {
    this.#actor.send({ type: 'drain' })
  }

  /** Declares itself dead: whatever was here is for the others. Resolves when that is done, or cannot be. */
  async leave(): Promise<void> {
    this.#actor.send({ type: 'leave' })
    await waitFor(this.#actor, (snapshot) => snapshot.matches({ life: 'gone' }))
    this.#actor.stop()
    await this.#bus?.close()
  }

  #makeActor(node: string): NodeActor {
    const { clock, sendAway } = this.#parts
    const machine = nodeMachine.provide({
      actors: {
        beat: fromCallback<NodeEvent, { readonly node: string }>(({ input, sendBack }) =>
          this.#beat(input.node, sendBack),
        ),
        sendAway: fromPromise(() => sendAway()),
        enter: fromPromise<string, { readonly former: string }>(({ input }) => this.#enterAnew(input.former)),
        leave: fromPromise<void, { readonly node: string }>(({ input }) => this.#declareSelf(input.node)),
      },
    })
    return createActor(machine, {
      input: { node, isAlone: this.isAlone },
      clock: {
        setTimeout: (run, delayMs) => clock.setTimeout(run, delayMs),
        clearTimeout: (handle) => clock.clearTimeout(handle),
      },
    })
  }

  #beat(node: string, tell: (event: BeatEvent) => void): () => void {
    const { clock, onFault } = this.#parts
    const missed = (): void =>
      tell({
        type: 'beat.missed',
        now: clock.monotonic(),
        hearsBeats: clock.monotonic() - this.#heardAt <= HEARD_MS,
        isBusUp: this.#bus?.isUp ?? true,
      })
    // One statement at a time, however long the store is silent.
    const limit = clock.setTimeout(missed, this.#isAsking ? CLUSTER_TIMES.beatMs : BEAT_LIMIT_MS)
    if (!this.#isAsking)
      this.#ask(node, tell, missed)
        .finally(() => clock.clearTimeout(limit))
        .catch(onFault)
    return () => clock.clearTimeout(limit)
  }

  async #ask(node: string, tell: (event: BeatEvent) => void, missed: () => void): Promise<void> {
    const { db, clock, onFault } = this.#parts
    this.#isAsking = true
    await beatOnce(db, node)
      .then(
        (rows) => tell({ type: 'beat.taken', rows, now: clock.monotonic() }),
        (thrown: unknown) => {
          onFault(thrown)
          missed()
        },
      )
      .finally(() => {
        this.#isAsking = false
      })
  }

  #onBeaten(silent: readonly Pick<NodeRow, 'node' | 'beat'>[]): void {
    this.#bus?.hintAll({ kind: 'beat', body: {} })
    for (const each of silent) this.#declareDead(each).catch(this.#parts.onFault)
  }

  async #declareDead(silent: Pick<NodeRow, 'node' | 'beat'>): Promise<void> {
    const { db, now, onDead } = this.#parts
    if (!(await declareDead(db, silent, now()))) return
    this.#bus?.forget(silent.node)
    await onDead()
  }

  #noteDraining(): void {
    void drainNode(this.#parts.db, this.id).catch(this.#parts.onFault)
  }

  async #enterAnew(former: string): Promise<string> {
    const { db, onFault } = this.#parts
    try {
      await this.#declareSelf(former)
      await this.#bus?.close()
      this.#bus = null
      const { node, bus } = await enter(this.#parts)
      this.#bus = bus
      if (this.isDraining) await drainNode(db, node)
      return node
    } catch (thrown) {
      onFault(thrown)
      throw thrown
    }
  }

  async #declareSelf(node: string): Promise<void> {
    const { db, now } = this.#parts
    await declareDead(db, { node, beat: null }, now())
  }

  #registerMetrics(): void {
    const { metrics, clock } = this.#parts
    metrics.gauge('duolog_nodes', 'Nodes by state, as of the last beat.', () => countStates(this.nodes))
    metrics.gauge('duolog_beat_age_seconds', 'Since the last own beat that the store has taken.', () => {
      const { lastBeat } = this.#actor.getSnapshot().context.observation
      return lastBeat === null ? Number.NaN : (clock.monotonic() - lastBeat) / 1_000
    })
  }
}

/** The bus first: from the row on, others tell this node. */
async function enter({
  db,
  random,
  name,
  openBus,
}: ClusterNodeParts): Promise<{ readonly node: string; readonly bus: Bus | null }> {
  const node = randomId(random, prefixOf(openBus === null))
  const bus = openBus ? await openBus(node) : null
  try {
    await enterNode(db, { node, name, address: '', level: NODE_LEVEL }, openBus === null)
  } catch (thrown) {
    await bus?.close()
    throw thrown
  }
  return { node, bus }
}

/** By label. */
function countStates(rows: readonly NodeRow[]): Record<string, number> {
  const counts = { 'state="up"': 0, 'state="draining"': 0, 'state="dead"': 0 }
  for (const { state } of rows) counts[`state="${state}"`] += 1
  return counts
}
