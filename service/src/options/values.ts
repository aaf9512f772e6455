/** Reads the texts of options. All throw a {@link StartError} where a text is malformed. */
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { isOrigin } from '../auth/origins.ts'
import { StartError, messageOf } from '../start-error.ts'
import type { Flag } from './flag-table.ts'

/** The error for a malformed text, of one of several options. */
export const wrong = (flag: Flag, must: string, or: readonly Flag[] = []): StartError =>
  new StartError(
    `unable to read the options; ${[flag, ...or].map((each) => `--${each}`).join(' or ')} must be ${must}`,
  )

/** Throws, where an expression is needed. */
export function fail(error: StartError): never {
  throw error
}

/** A number of days, in milliseconds. */
export const days = (flag: Flag, text: string): number =>
  whole(flag, text, { least: 1, most: 36_500 }) * 86_400_000

/** A whole number within limits. */
export function whole(flag: Flag, text: string, { least, most }: { least: number; most: number }): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < least || value > most)
    throw wrong(flag, `a whole number from ${least} to ${most}`)
  return value
}

/** One of some words. */
export function choice<T extends string>(flag: Flag, text: string, choices: readonly T[]): T {
  const found = choices.find((each) => each === text)
  if (found === undefined) throw wrong(flag, choices.join(', '))
  return found
}

/** The origin of a page. */
export const origin =
  (flag: 'origin' | 'file-origin' | 'console-parent') =>
  (text: string): string => {
    if (!isOrigin(text) || !/^https?:/.test(text))
      throw wrong(flag, 'an origin such as https://www.example.com')
    return text
  }

/** Null where none is given. */
export function databaseUrl(text: string): string | null {
  if (text === '') return null
  if (!/^postgres(ql)?:\/\//.test(text))
    throw wrong('database-url', 'a URL such as postgres://user@host/database')
  return text
}

/** The name of a node, which may stand in a URL: that of the machine where none is given. */
export function nodeName(text: string): string {
  if (text === '') return hostname().replaceAll(/[^\w-]/g, '-')
  if (!/^[\w-]{1,63}$/.test(text)) throw wrong('node-name', 'letters, digits, hyphens and underscores')
  return text
}

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/

/** A URL that is https, or http of this machine; null where it is neither. */
export function safeUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname))
  return isSafe ? url : null
}

/** Refuses a file that cannot be read. */
export function checkReadable(flag: Flag, path: string): void {
  try {
    readFileSync(path)
  } catch (cause) {
    throw new StartError(`unable to read --${flag}; ${messageOf(cause)}`, { cause })
  }
}

const HOST = String.raw`(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?`
/** RFC 7064 and 7065. */
const SERVERS = {
  stun: new RegExp(`^stuns?:${HOST}$`, 'i'),
  turn: new RegExp(`^turns?:${HOST}(?:\\?transport=(?:udp|tcp))?$`, 'i'),
}

/** The URL of a STUN or TURN server. */
export const server =
  (flag: 'stun' | 'turn') =>
  (text: string): string => {
    if (!SERVERS[flag].test(text)) throw wrong(flag, `a URL such as ${flag}:host:3478`)
    return text
  }
