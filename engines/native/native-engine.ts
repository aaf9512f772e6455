import type { EngineHost, MediaEngine } from '../media-engine.ts'

/** Carries Sharing and Chat over the connection to the service: there is nothing to acquire and nothing to connect. */
export class NativeEngine implements MediaEngine {
  readonly id = 'Native'

  capabilities(): Promise<Readonly<Record<string, { readonly via: string }>>> {
    return Promise.resolve({ Sharing: { via: 'net' }, Chat: { via: 'net' } })
  }

  attach(_host: EngineHost): void {}

  prepare(): Promise<void> {
    return Promise.resolve()
  }

  transit(): Promise<void> {
    return Promise.resolve()
  }

  undo(): Promise<void> {
    return Promise.resolve()
  }

  receive(): void {}

  data(): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
    return {}
  }

  stop(): Promise<void> {
    return Promise.resolve()
  }
}
