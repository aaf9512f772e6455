import { ContactError } from '../../protocol/index.ts'
import type { PartialMediaState } from '../../protocol/index.ts'
import type { EngineHost, EngineTransition, MediaEngine } from '../media-engine.ts'

export const notWanted = (): ContactError =>
  new ContactError('left', 'unable to finish the transition; it is no longer wanted')

/** Sharing and Chat over the connection to the service. It has no devices, and nothing to wait for. */
export class NativeEngine implements MediaEngine {
  /** {@inheritDoc MediaEngine.id} */
  readonly id = 'Native'
  /** What is carried, and over what. */
  protected readonly vias: Readonly<Record<string, string>> = { Sharing: 'net', Chat: 'net' }

  /** {@inheritDoc MediaEngine.capabilities} */
  async capabilities(): Promise<Readonly<Record<string, { readonly via: string }>>> {
    return Object.fromEntries(Object.entries(this.vias).map(([medium, via]) => [medium, { via }]))
  }

  /** {@inheritDoc MediaEngine.attach} */
  attach(_host?: EngineHost): void {}

  /** {@inheritDoc MediaEngine.prepare} */
  async prepare(media: PartialMediaState): Promise<void> {
    this.#check(media)
  }

  /** {@inheritDoc MediaEngine.transit} */
  async transit({ to, signal }: EngineTransition): Promise<void> {
    if (signal.aborted) throw notWanted()
    this.#check(to)
  }

  /** {@inheritDoc MediaEngine.undo} */
  async undo(to: PartialMediaState): Promise<void> {
    this.#check(to)
  }

  /** {@inheritDoc MediaEngine.receive} */
  receive(): void {}

  /** {@inheritDoc MediaEngine.data} */
  data(): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
    return {}
  }

  /** {@inheritDoc MediaEngine.stop} */
  async stop(): Promise<void> {}

  #check(media: PartialMediaState): void {
    const stranger = Object.keys(media).find(
      (medium) => (media[medium]?.tx || media[medium]?.rx) && media[medium].via !== this.vias[medium],
    )
    if (stranger !== undefined)
      throw new ContactError('engine_failed', `unable to carry ${stranger}; Native has no gateway for it`)
  }
}
