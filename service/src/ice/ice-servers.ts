import { createHmac } from 'node:crypto'
import type { Calls } from '../../../protocol/index.ts'

/** Servers that help two browsers to find a way to each other. */
export interface IceOptions {
  readonly stun: readonly string[]
  readonly turn: readonly string[]
  /** Shared with the TURN servers; null: they ask for no credentials. */
  readonly turnSecret: string | null
}

const LIFE_MS = 600_000

/** For who has no contact: what relays nothing. */
export const withoutTurn = (options: IceOptions): IceOptions => ({ ...options, turn: [] })

/** The configured servers, with credentials for the next ten minutes. */
export function iceServers(
  { stun, turn, turnSecret }: IceOptions,
  principal: string,
  now: number,
): Calls['ice.servers']['result'] {
  const username = `${Math.floor((now + LIFE_MS) / 1000)}:${principal}`
  const credentials =
    turnSecret === null
      ? {}
      : { username, credential: createHmac('sha1', turnSecret).update(username).digest('base64') }
  const servers = [
    ...(stun.length > 0 ? [{ urls: stun }] : []),
    ...(turn.length > 0 ? [{ urls: turn, ...credentials }] : []),
  ]
  return { iceServers: servers, expiresInMs: LIFE_MS }
}
