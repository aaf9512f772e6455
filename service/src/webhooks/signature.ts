/** Signatures of webhooks, as the Standard Webhooks specification has them (standardwebhooks.com). */
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** A key has 24 to 64 bytes (Standard Webhooks, "Signature scheme"). */
const LEAST_BYTES = 24
const MOST_BYTES = 64

/** The keys of a file, a line each: the first is the newest. @throws where there is none, or one is malformed */
export function readSecrets(file: string): readonly Buffer[] {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (lines.length === 0) throw new Error('the file has no secret')
  return lines.map((line) => {
    const text = line.replace(/^whsec_/, '')
    const key = Buffer.from(text, 'base64')
    if (!/^[\w+/-]+=*$/.test(text) || key.length < LEAST_BYTES || key.length > MOST_BYTES)
      throw new Error(`a secret must be ${LEAST_BYTES} to ${MOST_BYTES} bytes as base64`)
    return key
  })
}

interface Signed {
  readonly id: string
  readonly body: string
  /** When it is sent, milliseconds. */
  readonly now: number
}

/**
 * `webhook-id` names the event: it is the same each time that it is sent. `webhook-timestamp`: seconds.
 * `webhook-signature`: for each key `v1,` and the base64 of HMAC-SHA-256 over id, timestamp and body, joined by
 * full stops.
 */
export function signedHeaders(
  keys: readonly Buffer[],
  { id, body, now }: Signed,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1_000))
  const text = `${id}.${timestamp}.${body}`
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': keys
      .map((key) => `v1,${createHmac('sha256', key).update(text).digest('base64')}`)
      .join(' '),
  }
}
