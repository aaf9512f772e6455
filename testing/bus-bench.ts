/** What a bus between nodes is tried on. Its types are those of the service's `Bus`, by form. */

/** What one node tells or asks another. */
export interface TestMessage {
  readonly kind: string
  readonly body: unknown
}

/** A frame of the relay. */
export interface TestFrame {
  readonly session: string
  readonly body: unknown
}

type Answer = 'taken' | 'peer_left' | 'rate_limited' | 'not_here'

/** A bus, as its conformance kit sees it. */
export interface TestedBus {
  readonly isUp: boolean
  hint(node: string, message: TestMessage): 'sent' | 'offline' | 'full' | 'too_large'
  hintAll(message: TestMessage): 'sent' | 'offline' | 'full' | 'too_large'
  request(node: string, message: TestMessage): Promise<unknown>
  frame(node: string, frame: TestFrame): Promise<Answer | 'offline' | 'too_large'>
  close(): Promise<void>
}

/** What a node does with what it hears. */
export interface TestedHandlers {
  readonly hint: (from: string, message: TestMessage) => void
  readonly request: (from: string, message: TestMessage) => Promise<unknown>
  readonly frame: (from: string, frame: TestFrame) => Answer | Promise<Answer>
  readonly missed: (from: string | null) => void
}

/** What may differ between the nodes of a law. */
export interface NodeSettings {
  /** Secret of the deployment. */
  readonly key: string
  /** Milliseconds of the store's clock. */
  readonly now: () => number
}

/** What becomes of a message before it reaches a node. `hold`: it waits for `release`. */
export type MessageFate = 'pass' | 'drop' | 'twice' | 'hold'

/** A message on its way to a node: for it alone, for all, or a frame. */
export interface MessageUnderWay {
  readonly to: string
  readonly target: 'node' | 'all' | 'frames'
}

/** Nodes without any connection, and power over the ways to them. */
export interface BusesUnderTest {
  readonly open: (node: string, handlers: TestedHandlers, settings: NodeSettings) => Promise<TestedBus>
  /** Decides on each message from now on; at first all pass. */
  readonly decide: (rule: (message: MessageUnderWay) => MessageFate) => void
  /** Lets those go that were held, in their order. */
  readonly release: () => void
  /** Takes a node's connections away, and refuses new ones. */
  readonly cut: (node: string) => void
  /** Lets it connect again. */
  readonly mend: (node: string) => void
  /** Number of connections of the nodes that are open. */
  readonly connections: () => number | Promise<number>
  readonly stop: () => void | Promise<void>
}

/** Gives the nodes of one law. */
export type BusFactory = () => BusesUnderTest | Promise<BusesUnderTest>

const PATIENCE_MS = 10_000
const LOOK_MS = 5

/** One node of a law. It notes what it hears, and answers what the law says. */
export class BusNode {
  readonly hints: { readonly from: string; readonly body: unknown }[] = []
  readonly frames: { readonly from: string; readonly body: unknown }[] = []
  readonly missed: (string | null)[] = []
  /** The answer to requests; rejects where it throws. */
  onRequest: (message: TestMessage) => unknown = ({ body }) => body
  /** The answer to frames. */
  onFrame: (frame: TestFrame) => Answer | Promise<Answer> = () => 'taken'
  #bus: TestedBus | null = null

  readonly handlers: TestedHandlers = {
    hint: (from, { body }) => void this.hints.push({ from, body }),
    request: async (_from, message) => this.onRequest(message),
    frame: (from, frame) => {
      this.frames.push({ from, body: frame.body })
      return this.onFrame(frame)
    },
    missed: (from) => void this.missed.push(from),
  }

  get bus(): TestedBus {
    if (!this.#bus) throw new Error('the node has no bus')
    return this.#bus
  }

  set bus(bus: TestedBus) {
    this.#bus = bus
  }

  /** The bodies of the hints that arrived. */
  get told(): unknown[] {
    return this.hints.map(({ body }) => body)
  }

  /** The bodies of the frames that arrived. */
  get passed(): unknown[] {
    return this.frames.map(({ body }) => body)
  }
}

/** The nodes of one law. */
export class BusBench {
  readonly ways: BusesUnderTest
  readonly #nodes: BusNode[] = []

  constructor(ways: BusesUnderTest) {
    this.ways = ways
  }

  /** Opens a node. */
  async node(name: string, settings: Partial<NodeSettings> = {}): Promise<BusNode> {
    const node = new BusNode()
    const all = { key: 'key of the deployment', now: () => 0, ...settings }
    node.bus = await this.ways.open(name, node.handlers, all)
    this.#nodes.push(node)
    return node
  }

  /** Waits until something is so; fails after 10 s. */
  async until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    for (let left = PATIENCE_MS; !(await holds()); left -= LOOK_MS) {
      if (left <= 0) throw new Error(`waited in vain: ${what}`)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }

  /** Closes all nodes. */
  async end(): Promise<void> {
    await Promise.all(this.#nodes.map(({ bus }) => bus.close()))
    await this.ways.stop()
  }
}
