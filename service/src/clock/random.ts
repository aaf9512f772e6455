import { randomBytes } from 'node:crypto'

/** Where ids and secrets come from. */
export type Random = (sizeBytes: number) => Buffer

export const systemRandom: Random = (sizeBytes) => randomBytes(sizeBytes)

/** An id of 128 random bits that may stand in a URL. */
export const randomId = (random: Random, prefix: string): string =>
  `${prefix}${random(16).toString('base64url')}`
