/**
 * Who did what with which contact, and how it ended: one line of JSON each, in a file of its own. Never
 * contents, tokens or addresses.
 */
import { closeSync, openSync } from 'node:fs'
import { hostname } from 'node:os'
import pino from 'pino'
import { isName } from '../../protocol/index.ts'
import type { Principal } from './auth/principal.ts'
import { flushAtExit } from './flush-at-exit.ts'
import { StartError, codeOf, messageOf } from './start-error.ts'

export interface AuditLine {
  /** `visitor v-…`, `agent …`, `admin`; null where nobody is known. */
  readonly who: string | null
  readonly action: string
  readonly contact?: string
  /** `ok`, or the code of the refusal. */
  readonly result: string
}

/** Takes what is to be noted. */
export type Audit = (line: AuditLine) => void

/**
 * What parties do all the time, and what gives them nothing that they did not have: noted only where it is
 * refused.
 */
const USUAL: ReadonlySet<string> = new Set([
  'log.append',
  'log.read',
  'relay.send',
  'ice.servers',
  'link.renew',
  'agent.overview',
])

/** Notes a call of a party. */
export function auditCall(
  audit: Audit,
  { use, id }: Principal,
  call: { readonly name: string; readonly body: unknown; readonly result: string },
): void {
  const { name, body, result } = call
  if (result === 'ok' && USUAL.has(name)) return
  const contact: unknown =
    typeof body === 'object' && body !== null && 'contact' in body ? body.contact : undefined
  audit({ who: `${use} ${id}`, action: name, ...(isName(contact) && { contact }), result })
}

/**
 * Lines that wait for a disk that takes none are kept up to this many; more are dropped, and that is
 * reported.
 */
const WAITING_BYTES = 4 * 1_048_576

/**
 * Appends to a file. What goes wrong there later ends nothing: it is told to `onFault`.
 * @throws {@link StartError}
 */
export function fileAudit(path: string, now: () => number, onFault: (thrown: unknown) => void): Audit {
  try {
    closeSync(openSync(path, 'a', 0o600))
  } catch (cause) {
    throw new StartError(`unable to write the audit log ${path}; ${codeOf(cause) || messageOf(cause)}`, {
      cause,
    })
  }
  const destination = pino.destination({
    dest: path,
    append: true,
    sync: false,
    mode: 0o600,
    maxLength: WAITING_BYTES,
  })
  destination.on('error', onFault)
  destination.on('drop', () => onFault(new Error('a line of the audit log is lost')))
  flushAtExit(destination)
  const node = hostname()
  return (line) =>
    void destination.write(`${JSON.stringify({ time: new Date(now()).toISOString(), node, ...line })}\n`)
}
