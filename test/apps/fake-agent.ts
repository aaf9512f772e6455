import { onAbort } from '../../sdk/async/on-abort.ts'
import type { ErrorCode } from '../../protocol/index.ts'
import { ContactError } from '../../protocol/index.ts'

/** An agent whose operations can fail or wait, and what the rest of the world does to it. */
export class FakeAgent {
  readonly calls: string[] = []
  readonly failures = new Map<string, ErrorCode[]>()
  /** Operations that settle when the test says so. */
  readonly pending = new Map<string, Promise<unknown>>()
  list: unknown[] = []
  readonly #handlers = new Map<string, Set<(event: never) => void>>()

  on = (name: string, handler: (event: never) => void, options?: { readonly signal?: AbortSignal }): void => {
    const handlers = this.#handlers.get(name) ?? new Set()
    this.#handlers.set(name, handlers.add(handler))
    if (options?.signal) onAbort(options.signal, () => handlers.delete(handler))
  }
  emit(name: string, event: object): void {
    for (const handler of [...(this.#handlers.get(name) ?? [])]) handler(event as never)
  }
  ready = (): Promise<unknown> => this.#do('ready')
  pause = (): Promise<unknown> => this.#do('pause')
  contacts = (): Promise<unknown> => this.#do('contacts', this.list)
  accept = (): Promise<unknown> => this.#do('accept', this.list[0])
  decline = (): Promise<unknown> => this.#do('decline')
  close = (): Promise<unknown> => this.#do('close')

  #do(name: string, result?: unknown): Promise<unknown> {
    this.calls.push(name)
    const code = this.failures.get(name)?.shift()
    if (code !== undefined) return Promise.reject(new ContactError(code, 'no'))
    return this.pending.get(name) ?? Promise.resolve(result)
  }
}
