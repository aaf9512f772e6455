import type { Kysely } from 'kysely'
import type { ServiceClock } from '../clock/clock.ts'
import type { OwnNode } from '../cluster/own-node.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Report } from '../report.ts'
import { codeOf, messageOf } from '../start-error.ts'
import type { Tables } from '../store/tables.ts'
import { WEBHOOK_KEEP_MS } from '../store/webhooks.sql.ts'
import { webhookBody } from './webhook-body.ts'
import {
  announceWebhook,
  claimQueues,
  closeQueue,
  notesOf,
  releaseQueue,
  removeNote,
  removeOldNotes,
  withdrawWebhook,
} from './webhook-rows.ts'
import type { WebhookNote, WebhookQueue } from './webhook-rows.ts'
import { readSecrets, signedHeaders } from './signature.ts'

export interface WebhookOptions {
  /** The organisation's back end. */
  readonly url: string
  /** Secrets, a line each; read for each event, so that they can be changed without a restart. */
  readonly secretFile: string
}

interface WebhookParts {
  readonly db: Kysely<Tables>
  /** The time of the store. */
  readonly clock: ServiceClock
  /** Monotonic, milliseconds. */
  readonly passed?: () => number
  readonly options: WebhookOptions | null
  readonly metrics: Metrics
  readonly node: Pick<OwnNode, 'takesWork'> & { readonly isAlone: boolean }
  readonly report: Report
}

/** Contacts that are told of side by side. */
const AT_ONCE = 8
/** Notes of a contact that are told before other contacts have their turn. */
const RUN = 20
/** For an answer of the back end. */
const ANSWER_MS = 10_000
/** Nobody else takes a contact for so long, and a node that has it stops a while before. */
const LEASE_MS = 60_000
const RUN_MS = LEASE_MS - 2 * ANSWER_MS
const POLL_MS = 1_000
const BACKOFF_MS = 1_000
const BACKOFF_LIMIT_MS = 900_000
const UPKEEP_MS = 3_600_000
const REMOVAL_BATCH = 1_000

/**
 * Tells the organisation's back end what has happened, each note until it is taken: at least once, and those of a
 * contact in their order. Any node tells any note.
 */
export class WebhookService {
  readonly #parts: WebhookParts
  readonly #passed: () => number
  readonly #running = new Set<Promise<void>>()
  readonly #ending = new AbortController()
  #handle: unknown = null
  #looking: Promise<void> | null = null
  #again = false
  #upkeepAt = 0
  #stopped = false

  constructor(parts: WebhookParts) {
    this.#parts = parts
    this.#passed = parts.passed ?? (() => performance.now())
    parts.metrics.counter('duolog_webhooks_total', 'Webhooks by outcome.')
  }

  /** Without a back end, notes are made no more, unless another node may tell them. */
  async start(): Promise<void> {
    const { db, clock, options, node } = this.#parts
    if (options) await announceWebhook(db, clock.now())
    else await withdrawWebhook(db, node.isAlone ? Number.MAX_SAFE_INTEGER : clock.now() - WEBHOOK_KEEP_MS)
    this.wake()
  }

  /** Something may be there to be told. */
  wake(): void {
    if (!this.#parts.options || this.#stopped) return
    this.#again = true
    this.#looking ??= this.#rounds()
      .catch(this.#parts.report.fault)
      .finally(() => {
        this.#looking = null
        if (this.#again) this.wake()
        else this.#poll()
      })
  }

  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#handle !== null) this.#parts.clock.clearTimeout(this.#handle)
    this.#ending.abort()
    await this.#looking
    await Promise.all(this.#running)
  }

  #poll(): void {
    const { clock } = this.#parts
    if (this.#handle !== null) clock.clearTimeout(this.#handle)
    if (!this.#stopped) this.#handle = clock.setTimeout(() => this.wake(), POLL_MS)
  }

  async #rounds(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false
      await this.#upkeep()
      await this.#takeSome()
    }
  }

  /** Says that notes are told here, and removes old ones. */
  async #upkeep(): Promise<void> {
    const { db, clock, metrics, report } = this.#parts
    const now = clock.now()
    if (now < this.#upkeepAt) return
    this.#upkeepAt = now + UPKEEP_MS
    await announceWebhook(db, now)
    const removed = await removeOldNotes(db, now - WEBHOOK_KEEP_MS, REMOVAL_BATCH)
    if (removed > 0) {
      metrics.add('duolog_webhooks_total', 'outcome="given up"', removed)
      report.warn('webhooks are given up', { webhooks: removed })
    }
    if (removed === REMOVAL_BATCH) this.#upkeepAt = now
  }

  async #takeSome(): Promise<void> {
    const { db, clock, node } = this.#parts
    const limit = AT_ONCE - this.#running.size
    if (limit <= 0 || !node.takesWork) return
    const now = clock.now()
    const began = this.#passed()
    for (const queue of await claimQueues(db, { now, until: now + LEASE_MS, limit })) {
      const running: Promise<void> = this.#tellOf(queue, began)
        .catch(this.#parts.report.fault)
        .finally(() => {
          this.#running.delete(running)
          this.wake()
        })
      this.#running.add(running)
    }
  }

  /** Tells notes of a contact, until one is not taken. */
  async #tellOf(queue: WebhookQueue, began: number): Promise<void> {
    const { db, clock } = this.#parts
    let { failures } = queue
    const notes = await notesOf(db, queue.contact, RUN)
    for (const note of notes) {
      if (this.#stopped || this.#passed() - began > RUN_MS) break
      const waitMs = await this.#tell(note, failures)
      if (waitMs !== null)
        return void (await releaseQueue(db, queue, {
          due: clock.now() + waitMs,
          failures: this.#stopped ? failures : failures + 1,
        }))
      failures = 0
      await removeNote(db, note.n)
    }
    if (notes.length < RUN && (await closeQueue(db, queue))) return
    await releaseQueue(db, queue, { due: clock.now(), failures })
  }

  /** Null: it was taken, or there is nothing to tell any more. Otherwise the time until it is to be sent again. */
  async #tell(note: WebhookNote, failures: number): Promise<number | null> {
    const { db, metrics } = this.#parts
    const body = await webhookBody(db, note)
    if (body === null) return null
    const asked = await this.#send(`${note.contact}.${note.n}`, body)
    metrics.add('duolog_webhooks_total', `outcome="${asked === null ? 'ok' : 'failed'}"`)
    if (asked === null) return null
    if (this.#stopped) return 0
    return Math.max(asked, Math.min(BACKOFF_LIMIT_MS, BACKOFF_MS * 2 ** Math.min(failures, 20)))
  }

  /** Null: the back end has taken it. Otherwise how long it wants to be left alone. */
  async #send(id: string, body: string): Promise<number | null> {
    const { options, clock, report } = this.#parts
    const secrets = options && this.#secretsOf(options)
    if (!options || !secrets) return 0
    const headers = signedHeaders(secrets, { id, body, now: clock.now() })
    try {
      const answer = await fetch(options.url, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
        signal: AbortSignal.any([this.#ending.signal, AbortSignal.timeout(ANSWER_MS)]),
      })
      await answer.body?.cancel()
      report.debug('a webhook was sent', { status: answer.status })
      if (answer.ok) return null
      report.warn('the back end has not taken a webhook', { status: answer.status })
      const seconds = Number(answer.headers.get('retry-after') ?? 0)
      return Number.isFinite(seconds) ? Math.min(BACKOFF_LIMIT_MS, Math.max(0, seconds) * 1_000) : 0
    } catch (thrown) {
      if (!this.#stopped) report.warn('the back end has not answered a webhook', { code: whyOf(thrown) })
      return 0
    }
  }

  /** Null: the file is malformed, or cannot be read at the moment. */
  #secretsOf({ secretFile }: WebhookOptions): readonly Buffer[] | null {
    try {
      return readSecrets(secretFile)
    } catch (thrown) {
      const why = codeOf(thrown) || messageOf(thrown)
      this.#parts.report.warn('unable to read --webhook-secret-file; webhooks wait', {
        file: secretFile,
        why,
      })
      return null
    }
  }
}

/** The code of the connection's failure, or the name of the error: `TimeoutError`. */
const whyOf = (thrown: unknown): string =>
  thrown instanceof Error ? codeOf(thrown.cause) || thrown.name : 'unknown'
