import * as v from '../../protocol/checks.ts'
import { ContactError, isErrorCode, within } from '../../protocol/index.ts'
import type { Clock, ErrorCode } from '../../protocol/index.ts'
import type { OpenTabs, TabChannel } from '../client/page-tabs.ts'
import type { KnownVisitor, KnownVisitors } from './known-visitors.ts'

const answerSchema = v.object({
  visitor: v.string(),
  token: v.string(),
  refresh: v.string(),
  expiresInMs: v.number(),
})
const refusalSchema = v.object({
  error: v.object({ code: v.custom<ErrorCode>(isErrorCode), message: v.string() }),
})
/** A token is renewed this long before it expires: when the service warns of that, a new one is asked for. */
const MARGIN_MS = 60_000
/** For one request to the service. */
const REQUEST_LIMIT_MS = 10_000

/** Visitors whose refresh tokens a page keeps. */
const MOST_VISITORS = 8

export interface VisitorTokensOptions {
  readonly service: string
  readonly known: KnownVisitors
  readonly clock: Clock
  /** How the tabs of the browser hear of each other. */
  readonly openTabs: OpenTabs
  /** Time of day, which goes on while the device sleeps, as the clock may not. Default: `Date.now`. */
  readonly today?: () => number
}

interface Token {
  readonly token: string
  readonly goodForMs: number
  readonly clock: number
  readonly today: number
}

/**
 * Tokens of an anonymous visitor: asked of the service, renewed by the refresh token. The tab acts as one
 * visitor until that one is over.
 */
export class VisitorTokens {
  readonly #options: VisitorTokensOptions
  /** Whom this tab acts as, as far as is known. */
  visitor: string | undefined
  /**
   * The newest refresh token of each visitor that the tab was, by id. The browser keeps it only while a contact is
   * open, and the contact is rated afterwards.
   */
  readonly #refreshes = new Map<string, string>()
  /** Undefined before the first token; null where there is none, and after the end. */
  #tabs: TabChannel | null | undefined
  #current: Token | null = null
  #asking: Promise<string> | null = null

  constructor(options: VisitorTokensOptions) {
    this.#options = options
  }

  /**
   * A token that is valid for a while yet, other than `refused`.
   * @throws {@link ContactError} `unauthorized`, `rate_limited`, `offline`, or what else the service has
   *   decided
   */
  token = (refused?: string): Promise<string> => {
    const current = this.#current
    if (current && current.token !== refused && this.#isGood(current)) return Promise.resolve(current.token)
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  /** The refresh token of a visitor that the tab is, or was. */
  refreshOf = (visitor: string): string | undefined => this.#refreshes.get(visitor)

  /**
   * The tab acts as this visitor from now on; undefined: as another one than before, whom the service names.
   */
  actAs(known: Pick<KnownVisitor, 'visitor' | 'refresh'> | undefined): void {
    if (known?.visitor === this.visitor) return
    this.visitor = known?.visitor
    if (known?.refresh !== undefined) this.#keep(known.visitor, known.refresh)
    this.#current = null
  }

  close(): void {
    this.#tabs?.close()
    this.#tabs = null
  }

  #isGood({ clock, today, goodForMs }: Token): boolean {
    const now = this.#now()
    return now.clock - clock < goodForMs && now.today - today < goodForMs
  }

  #now(): Pick<Token, 'clock' | 'today'> {
    const { clock, today = Date.now } = this.#options
    return { clock: clock.now(), today: today() }
  }

  async #ask(): Promise<string> {
    const own = this.visitor
    const refresh =
      own === undefined ? own : (this.#options.known.get(own)?.refresh ?? this.#refreshes.get(own))
    if (refresh === undefined) return this.#take(await this.#post('/v1/visitors', {}))
    try {
      return this.#take(await this.#post('/v1/visitors/refresh', { refresh }))
    } catch (thrown) {
      if (thrown instanceof ContactError && thrown.code === 'unauthorized') this.#isOver()
      throw thrown
    }
  }

  /** The service has decided that the visitor, and with it each of the contacts, is out of reach. */
  #isOver(): void {
    if (this.visitor !== undefined) this.#options.known.forget(this.visitor)
    this.actAs(undefined)
  }

  #take(answer: unknown): string {
    const parsed = v.read(answerSchema, answer)
    if (parsed instanceof v.Fault)
      throw new ContactError('offline', 'unable to get a token; what answered is not the service')
    const { visitor, token, refresh, expiresInMs } = parsed
    const { known, service, openTabs } = this.#options
    known.renewed(visitor, refresh)
    this.visitor = visitor
    this.#keep(visitor, refresh)
    if (this.#tabs === undefined)
      this.#tabs = openTabs(`duolog:${service}:visitor`, (message) => this.#heard(message))
    this.#tabs?.post({ visitor, refresh })
    this.#current = { token, goodForMs: expiresInMs - MARGIN_MS, ...this.#now() }
    return token
  }

  /** A page that is open for months has many visitors one after the other. */
  #keep(visitor: string, refresh: string): void {
    const all = this.#refreshes
    all.delete(visitor)
    all.set(visitor, refresh)
    if (all.size > MOST_VISITORS) for (const oldest of all.keys()) return void all.delete(oldest)
  }

  /** Another tab has renewed a sign-in: the refresh token before is used up. */
  #heard(message: unknown): void {
    const { visitor, refresh } = Object(message) as { readonly visitor: string; readonly refresh?: unknown }
    if (typeof refresh === 'string' && this.#refreshes.has(visitor)) this.#refreshes.set(visitor, refresh)
  }

  #post(path: string, body: unknown): Promise<unknown> {
    return askService(path, body, this.#options)
  }
}

/** Where a request goes, and how long it may take. */
export interface Asking {
  readonly service: string
  readonly clock: Clock
}

/**
 * @throws {@link ContactError} what the service has decided; `offline` for everything else, which may be the word
 *   of anybody on the way.
 */
export function askService(path: string, body: unknown, { clock, service }: Asking): Promise<unknown> {
  const aborted = new AbortController()
  const silent = (): ContactError => {
    aborted.abort()
    return new ContactError('offline', 'unable to get a token; the service did not answer in time')
  }
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    credentials: 'omit',
    signal: aborted.signal,
  } as const
  return within(answerTo(new URL(path, service), request), { clock, ms: REQUEST_LIMIT_MS }, silent)
}

async function answerTo(url: URL, request: RequestInit): Promise<unknown> {
  const unreachable = (cause: unknown): never => {
    throw new ContactError('offline', 'unable to get a token; the service cannot be reached', { cause })
  }
  const response = await fetch(url, request).catch(unreachable)
  const answer: unknown = await response.json().catch(response.ok ? unreachable : () => null)
  if (response.ok) return answer
  throw refusal(response.status, answer)
}

/**
 * Why the service gives no token. An answer without its code is not the service's own: a balancer's, a
 * firewall's.
 */
function refusal(status: number, answer: unknown): ContactError {
  const parsed = v.read(refusalSchema, answer)
  const message = `unable to get a token; the service answered ${status}`
  if (status === 429) return new ContactError('rate_limited', message)
  const decided = parsed instanceof v.Fault || status >= 500 ? 'offline' : parsed.error.code
  return new ContactError(decided === 'unauthorized' && status !== 401 ? 'offline' : decided, message)
}
