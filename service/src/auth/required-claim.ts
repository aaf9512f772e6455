/**
 * What a token must say of its party, so that it is an agent's: one provider may issue tokens for customers
 * too.
 */
export interface RequiredClaim {
  /** Name of the claim; where there is none of this name, dots lead into it, as in `realm_access.roles`. */
  readonly name: string
  /** The claim is this text, or has it among its words or items; `true` also as a boolean. */
  readonly value: string
}

/** A claim as it is written in an option, `NAME=VALUE`; null where it is none. */
export function readClaim(text: string): RequiredClaim | null {
  const [, name, value] = /^(.{1,256})=([^\s=]{1,128})$/.exec(text) ?? []
  return name === undefined || value === undefined ? null : { name, value }
}

export function hasClaim(
  payload: Readonly<Record<string, unknown>>,
  { name, value }: RequiredClaim,
): boolean {
  return wordsOf(claimAt(payload, name)).some((each) => each === value || (each === true && value === 'true'))
}

/** A claim by its name; where there is none of this name, dots lead into it. */
export const claimAt = (payload: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(payload, name) ? payload[name] : name.split('.').reduce(memberOf, payload as unknown)

/** The items of a claim, or its words, as `scope` has them (RFC 8693, 4.2). */
export const wordsOf = (claim: unknown): readonly unknown[] =>
  typeof claim === 'string' ? claim.split(' ') : [claim].flat()

const memberOf = (inner: unknown, key: string): unknown =>
  typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
    ? (inner as Readonly<Record<string, unknown>>)[key]
    : undefined
