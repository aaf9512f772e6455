import * as v from 'valibot'
import { ContactError } from '../../protocol/index.ts'
import type { KeyValueStore } from '../client.ts'

const answerSchema = v.object({ visitor: v.string(), token: v.string(), refresh: v.string(), expiresInMs: v.number() })
const keptSchema = v.object({ visitor: v.string(), refresh: v.string() })
/** A token is renewed this long before it expires: when the service warns of that, a new one is asked for. */
const MARGIN_MS = 60_000

export interface VisitorTokensOptions {
  readonly service: string
  readonly store: KeyValueStore
  readonly key: string
  readonly now: () => number
}

/** Tokens of an anonymous visitor: asked of the service, renewed by a refresh token that the page keeps. */
export class VisitorTokens {
  readonly #options: VisitorTokensOptions
  #current: { readonly token: string; readonly goodUntil: number } | null = null
  #asking: Promise<string> | null = null

  constructor(options: VisitorTokensOptions) {
    this.#options = options
  }

  /** A token that is valid for a while yet. @throws {@link ContactError} `unauthorized`, `rate_limited`, `offline`, `protocol` */
  token = (): Promise<string> => {
    if (this.#current && this.#options.now() < this.#current.goodUntil) return Promise.resolve(this.#current.token)
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  /** Forgets the visitor. */
  forget(): void {
    this.#current = null
    this.#options.store.removeItem(this.#options.key)
  }

  async #ask(): Promise<string> {
    const kept = this.#kept()
    if (!kept) return this.#take(await this.#post('/v1/visitors', {}))
    try {
      return this.#take(await this.#post('/v1/visitors/refresh', { refresh: kept.refresh }))
    } catch (thrown) {
      if (!(thrown instanceof ContactError) || thrown.code !== 'unauthorized') throw thrown
      this.forget()
      return this.#take(await this.#post('/v1/visitors', {}))
    }
  }

  #take(answer: unknown): string {
    const parsed = v.safeParse(answerSchema, answer)
    if (!parsed.success) throw new ContactError('protocol', 'unable to get a token; the service answered something else')
    const { visitor, token, refresh, expiresInMs } = parsed.output
    this.#options.store.setItem(this.#options.key, JSON.stringify({ visitor, refresh }))
    this.#current = { token, goodUntil: this.#options.now() + expiresInMs - MARGIN_MS }
    return token
  }

  #kept(): v.InferOutput<typeof keptSchema> | null {
    try {
      return v.parse(keptSchema, JSON.parse(this.#options.store.getItem(this.#options.key) ?? ''))
    } catch {
      return null
    }
  }

  async #post(path: string, body: unknown): Promise<unknown> {
    const response = await fetch(new URL(path, this.#options.service), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      credentials: 'omit',
    }).catch((cause: unknown) => {
      throw new ContactError('offline', 'unable to get a token; the service cannot be reached', { cause })
    })
    if (response.ok) return response.json()
    const code = response.status === 429 ? 'rate_limited' : response.status < 500 ? 'unauthorized' : 'offline'
    throw new ContactError(code, `unable to get a token; the service answered ${response.status}`)
  }
}
