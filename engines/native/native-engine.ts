import { ContactError } from '../../protocol/index.ts'
import type { PartialMediaState } from '../../protocol/index.ts'
import type { EngineTransition, MediaEngine } from '../media-engine.ts'

const NATIVE_MEDIA: ReadonlySet<string> = new Set(['Sharing', 'Chat'])

function check(media: PartialMediaState): void {
  const stranger = Object.keys(media).find((medium) => (media[medium]?.tx || media[medium]?.rx) && !NATIVE_MEDIA.has(medium))
  if (stranger !== undefined) throw new ContactError('engine_failed', `unable to carry ${stranger}; the Native engine has no gateway for it`)
}

/** Sharing and Chat over the connection to the service. It has no devices, and nothing to wait for. */
export class NativeEngine implements MediaEngine {
  /** {@inheritDoc MediaEngine.id} */
  readonly id = 'Native'

  /** {@inheritDoc MediaEngine.capabilities} */
  async capabilities(): Promise<Readonly<Record<string, { readonly via: string }>>> {
    return { Sharing: { via: 'net' }, Chat: { via: 'net' } }
  }

  /** {@inheritDoc MediaEngine.attach} */
  attach(): void {}

  /** {@inheritDoc MediaEngine.prepare} */
  async prepare(media: PartialMediaState): Promise<void> {
    check(media)
  }

  /** {@inheritDoc MediaEngine.transit} */
  async transit({ to, signal }: EngineTransition): Promise<void> {
    if (signal.aborted) throw new ContactError('left', 'unable to finish the transition; it is no longer wanted')
    check(to)
  }

  /** {@inheritDoc MediaEngine.undo} */
  async undo(to: PartialMediaState): Promise<void> {
    check(to)
  }

  /** {@inheritDoc MediaEngine.receive} */
  receive(): void {}

  /** {@inheritDoc MediaEngine.data} */
  data(): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
    return {}
  }

  /** {@inheritDoc MediaEngine.stop} */
  async stop(): Promise<void> {}
}
