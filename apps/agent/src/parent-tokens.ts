import { unreachable } from './token-source.ts'
import type { TokenSource } from './token-source.ts'

const LIMIT_MS = 10_000

/** What passes between this page and the one that embeds it. */
const ASK = 'duolog.token.wanted'
const GIVE = 'duolog.token'
const END = 'duolog.signed-out'

/**
 * Tokens of the page that embeds the console: asked for by `duolog.token.wanted`, given by `duolog.token`, of
 * one of the origins that the service names, and of that window only.
 */
export class ParentTokens implements TokenSource {
  readonly #origins: readonly string[]
  readonly #parent: Window

  constructor(origins: readonly string[], parent: Window) {
    this.#origins = origins
    this.#parent = parent
  }

  token(refused?: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const over = new AbortController()
      const { signal } = over
      const limit = setTimeout(() => end(() => reject(unreachable())), LIMIT_MS)
      const end = (settle: () => void): void => {
        clearTimeout(limit)
        over.abort()
        settle()
      }
      window.addEventListener(
        'message',
        ({ origin, source, data }: MessageEvent<unknown>) => {
          const { type, token } = Object(data) as { readonly type?: unknown; readonly token?: unknown }
          if (source !== this.#parent || !this.#origins.includes(origin) || type !== GIVE) return
          if (typeof token === 'string' && token !== refused) end(() => resolve(token))
        },
        { signal },
      )
      this.#tell({ type: ASK, refused: refused !== undefined })
    })
  }

  signOut(): Promise<void> {
    this.#tell({ type: END })
    return Promise.resolve()
  }

  /** There is nothing to forget: each token is asked for anew. */
  forget(): void {}

  /** A browser gives it only to a page of the origin that it is meant for. */
  #tell(message: object): void {
    for (const origin of this.#origins) this.#parent.postMessage(message, origin)
  }
}
