import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Slot } from '../../../protocol/index.ts'

export interface Reader {
  readonly slot: Slot
  readonly principal: string
}

/** What stands behind the `?` of a download URL. */
export interface Signature {
  readonly until: string
  readonly party: string
  readonly mac: string
}

export type Verdict = 'good' | 'expired' | 'forged'

const MAC_BYTES = 32
const PARTY_BYTES = 16

/**
 * Proofs that the service itself gave out: for one file, one party or one upload, and some time. They are not
 * stored.
 */
export class SignedLinks {
  readonly #secret: string
  readonly #now: () => number

  constructor(secret: string, now: () => number) {
    this.#secret = secret
    this.#now = now
  }

  /** Query of a download URL that works for a party of the contact. */
  download(id: string, reader: Reader, lifeMs: number): string {
    const [until, party] = [String(this.#now() + lifeMs), this.partyOf(reader)]
    return new URLSearchParams({ until, party, mac: this.#mac(['download', id, until, party]) }).toString()
  }

  checkDownload(id: string, { until, party, mac }: Signature): Verdict {
    return this.#check(mac, until, ['download', id, until, party])
  }

  /** Stands for a party in a URL without naming it. */
  partyOf({ slot, principal }: Reader): string {
    return this.#hmac(['party', slot, principal]).subarray(0, PARTY_BYTES).toString('base64url')
  }

  /** A bearer token for one upload. */
  upload(id: string, lifeMs: number): string {
    const until = String(this.#now() + lifeMs)
    return `${until}.${this.#mac(['upload', id, until])}`
  }

  checkUpload(id: string, token: string): Verdict {
    const [until = '', mac = ''] = token.split('.')
    return this.#check(mac, until, ['upload', id, until])
  }

  #check(mac: string, until: string, parts: readonly string[]): Verdict {
    const [given, wanted] = [Buffer.from(mac, 'base64url'), this.#hmac(parts)]
    if (given.length !== MAC_BYTES || !timingSafeEqual(given, wanted)) return 'forged'
    return Number(until) > this.#now() ? 'good' : 'expired'
  }

  #mac(parts: readonly string[]): string {
    return this.#hmac(parts).toString('base64url')
  }

  #hmac(parts: readonly string[]): Buffer {
    return createHmac('sha256', this.#secret).update(JSON.stringify(parts)).digest()
  }
}
