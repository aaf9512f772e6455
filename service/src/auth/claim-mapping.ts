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

/** Begins the ids that are digests. */
export const DIGESTED = 'h-'

/**
 * The id of a party whom somebody else names: `prefix` and the name where the protocol takes that, else a digest
 * of `digested`, since providers have ids such as `auth0|1234`. A name that looks like such a digest becomes one
 * itself: nobody gets the id of somebody else by a name of their choice.
 */
export const partyId = (
  name: string,
  { prefix = '', digested = name }: { readonly prefix?: string; readonly digested?: string } = {},
): string => {
  const isPlain = name === '' || (isName(`${prefix}${name}`) && !name.startsWith(DIGESTED))
  return prefix + (isPlain ? name : DIGESTED + createHash('sha256').update(digested).digest('base64url'))
}
