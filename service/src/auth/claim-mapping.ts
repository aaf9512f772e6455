import { createHash } from 'node:crypto'
import { isName } from '../../../protocol/index.ts'
import { claimAt, wordsOf } from './required-claim.ts'

/** What a claim of the provider can say of an agent. */
export const MAPPED = ['id', 'nick', 'tags', 'rights'] as const
export type Mapped = (typeof MAPPED)[number]

/** The claim that says it, where that is not the one of the same name (`sub` for the id). */
export type ClaimMapping = Readonly<Partial<Record<Mapped, string>>>

/** `id=oid`; null where it is none. */
export function readMapping(text: string): readonly [Mapped, string] | null {
  const [, name, claim] = /^([a-z]+)=(.{1,256})$/.exec(text) ?? []
  const mapped = MAPPED.find((each) => each === name)
  return mapped === undefined || claim === undefined ? null : [mapped, claim]
}

/** The claims of a token under the names that the service reads. */
export function mapClaims(
  payload: Readonly<Record<string, unknown>>,
  { id = 'sub', nick, tags, rights }: ClaimMapping,
): Readonly<Record<string, unknown>> {
  const sub = claimAt(payload, id)
  return {
    ...payload,
    sub: typeof sub === 'string' ? partyId(sub) : sub,
    ...(nick !== undefined && { nick: claimAt(payload, nick) }),
    ...(tags !== undefined && { tags: textsOf(claimAt(payload, tags)) }),
    ...(rights !== undefined && { rights: textsOf(claimAt(payload, rights)) }),
  }
}

/** Of other roles in the same claim nothing is kept that is no text. */
const textsOf = (claim: unknown): readonly unknown[] =>
  wordsOf(claim).filter((each) => typeof each === 'string' && each !== '')

/**
 * The id of a party whom somebody else names: as it is where the protocol takes it, else a digest of it, since
 * providers have ids such as `auth0|1234`.
 */
export const partyId = (name: string): string =>
  isName(name) || name === '' ? name : `h-${createHash('sha256').update(name).digest('base64url')}`
