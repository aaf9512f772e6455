import { ContactError } from 'duolog'
import type { EngineHost, EngineTransition, JsonValue, MediaEngine, PartialMediaState } from 'duolog'

/** Carries the medium `Whiteboard`: strokes, as signals between the two pages. */
export class WhiteboardEngine implements MediaEngine {
  readonly id = 'Whiteboard'
  #host: EngineHost | null = null
  #isDrawing = false
  #isShowing = false

  readonly #show: (stroke: JsonValue) => void

  constructor(show: (stroke: JsonValue) => void) {
    this.#show = show
  }

  /** What can be carried here and now. It appears in the capabilities of this party. */
  async capabilities() {
    return { Whiteboard: { via: 'signal' } }
  }

  attach(host: EngineHost): void {
    this.#host = host
  }

  /** Inside the user's click: a camera would be asked for here. */
  async prepare(): Promise<void> {}

  /** Carries out what both parties have agreed on. */
  async transit({ to, signal }: EngineTransition): Promise<void> {
    if (signal.aborted) throw new ContactError('left', 'unable to go on; it is no longer wanted')
    this.#become(to)
  }

  /** Goes back to exactly `to`. */
  async undo(to: PartialMediaState): Promise<void> {
    this.#become(to)
  }

  /** A signal of the same engine of the other party. */
  receive(stroke: JsonValue): void {
    if (this.#isShowing) this.#show(stroke)
  }

  /** What applications find in `data` of the medium. */
  data() {
    return {}
  }

  async stop(): Promise<void> {
    this.#become({})
  }

  /** Sends a stroke, while this party may draw. */
  draw(stroke: JsonValue): void {
    if (this.#isDrawing) this.#host?.signal(stroke)
  }

  #become({ Whiteboard }: PartialMediaState): void {
    this.#isDrawing = Whiteboard?.tx === true
    this.#isShowing = Whiteboard?.rx === true
  }
}
