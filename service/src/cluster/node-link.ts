import { ContactError } from '../../../protocol/index.ts'
import type {
  Bus,
  BusFrame,
  BusHandlers,
  BusMessage,
  FrameAnswer,
  FrameResult,
  HintResult,
} from '../bus/bus.ts'
import type { Metrics } from '../http/metrics.ts'
import { HINTS, QUESTIONS, readBody } from './hint-kinds.ts'
import type { Answered, Asked, HintBody, HintKind, QuestionKind } from './hint-kinds.ts'

interface NodeLinkParts {
  /** The bus of the present identity; null while there is none. */
  readonly bus: () => Bus | null
  /** Whether this process has the store for itself. */
  readonly isAlone: boolean
  readonly metrics: Pick<Metrics, 'counter' | 'add'>
  readonly onFault: (thrown: unknown) => void
}

type HintTaker<K extends HintKind> = (body: HintBody<K>, from: string) => void
type Answerer<K extends QuestionKind> = (asked: Asked<K>, from: string) => Promise<Answered<K>>
type FrameTaker = (from: string, frame: BusFrame) => FrameAnswer | Promise<FrameAnswer>

const MESSAGES = 'duolog_bus_messages_total'
const GAPS = 'duolog_bus_gaps_total'

/**
 * What this node tells and asks the others, and hears of them. A single node is alone on it. Kinds that it
 * does not know, of a later version, are passed over.
 */
export class NodeLink {
  readonly #parts: NodeLinkParts
  readonly #hints = new Map<string, Set<(body: never, from: string) => void>>()
  readonly #answerers = new Map<string, (asked: never, from: string) => Promise<unknown>>()
  readonly #onMissed = new Set<(from: string | null) => void>()
  #takeFrame: FrameTaker = () => 'not_here'

  constructor(parts: NodeLinkParts) {
    this.#parts = parts
    parts.metrics.counter(MESSAGES, 'Hints and requests between nodes, by kind and way.')
    parts.metrics.counter(GAPS, 'Times that messages of another node were missed.')
  }

  /** For the bus of each identity. */
  readonly handlers: BusHandlers = {
    hint: (from, message) => this.#hear(from, message),
    request: (from, message) => this.#answer(from, message),
    frame: (from, frame) => this.#takeFrame(from, frame),
    missed: (from) => this.#miss(from),
  }

  /** Whether this process has the store for itself: there is nobody to tell. */
  get isAlone(): boolean {
    return this.#parts.isAlone
  }

  /** Whether all others can be reached. Who is alone misses nobody. */
  get isUp(): boolean {
    return this.isAlone || (this.#bus?.isUp ?? false)
  }

  /** The identity of this node; null while it has none that others could reach. */
  get node(): string | null {
    return this.#bus?.node ?? null
  }

  on<K extends HintKind>(kind: K, run: HintTaker<K>): void {
    const takers = this.#hints.get(kind) ?? new Set()
    this.#hints.set(kind, takers.add(run))
  }

  answer<K extends QuestionKind>(kind: K, run: Answerer<K>): void {
    this.#answerers.set(kind, run)
  }

  takeFrames(run: FrameTaker): void {
    this.#takeFrame = run
  }

  /** Called when messages were lost: of a node, or of any where it is null. */
  onMissed(run: (from: string | null) => void): void {
    this.#onMissed.add(run)
  }

  tell<K extends HintKind>(node: string, kind: K, body: HintBody<K>): HintResult {
    return this.#counted(kind, this.#bus?.hint(node, { kind, body }))
  }

  tellAll<K extends HintKind>(kind: K, body: HintBody<K>): HintResult {
    return this.#counted(kind, this.#bus?.hintAll({ kind, body }))
  }

  /** @throws ContactError `offline` */
  async ask<K extends QuestionKind>(node: string, kind: K, body: Asked<K>): Promise<Answered<K>> {
    const bus = this.#bus
    if (!bus) throw new ContactError('offline', 'unable to ask the node; there is no bus')
    this.#count(kind, 'out')
    const answer = readBody(QUESTIONS[kind].answered, await bus.request(node, { kind, body }))
    if (answer === null) throw new ContactError('offline', 'unable to ask the node; it answers another thing')
    return answer
  }

  frame(node: string, frame: BusFrame): Promise<FrameResult> {
    return this.#bus?.frame(node, frame) ?? Promise.resolve('offline')
  }

  get #bus(): Bus | null {
    return this.#parts.bus()
  }

  #hear(from: string, { kind, body }: BusMessage): void {
    const schema = isKey(HINTS, kind) ? HINTS[kind] : null
    const read = schema && readBody(schema, body)
    this.#count(schema ? kind : 'unknown', read ? 'in' : 'dropped')
    if (!read) return
    for (const run of this.#hints.get(kind) ?? [])
      try {
        run(read as never, from)
      } catch (thrown) {
        this.#parts.onFault(thrown)
      }
  }

  async #answer(from: string, { kind, body }: BusMessage): Promise<unknown> {
    const schema = isKey(QUESTIONS, kind) ? QUESTIONS[kind].asked : null
    const [asked, answerer] = [schema && readBody(schema, body), this.#answerers.get(kind)]
    this.#count(schema ? kind : 'unknown', asked ? 'in' : 'dropped')
    if (!asked || !answerer)
      throw new Error(`unable to answer; nobody here answers ${schema ? kind : 'this'}`)
    return answerer(asked as never, from)
  }

  #miss(from: string | null): void {
    if (from !== null) this.#parts.metrics.add(GAPS)
    for (const run of this.#onMissed) run(from)
  }

  #counted(kind: HintKind, result: HintResult = 'offline'): HintResult {
    if (!this.isAlone) this.#count(kind, result === 'sent' ? 'out' : 'unsent')
    return result
  }

  #count(kind: string, way: 'in' | 'out' | 'unsent' | 'dropped'): void {
    this.#parts.metrics.add(MESSAGES, `kind="${kind}",way="${way}"`)
  }
}

const isKey = <T extends object>(table: T, key: string): key is keyof T & string => Object.hasOwn(table, key)
