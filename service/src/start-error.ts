/** Why the service did not start, as one line for the person who started it. */
export class StartError extends Error {
  override readonly name = 'StartError'
  /**
   * Of the process. 2: an option is wrong, so that each further start would fail, too. 1: what it needs is taken or
   * away at the moment, so that a supervisor starts it again.
   */
  readonly exitCode: 1 | 2

  constructor(message: string, { isPassing, ...options }: ErrorOptions & { isPassing?: boolean } = {}) {
    super(message, options)
    isPassing ??= isAway(options.cause)
    this.exitCode = isPassing ? 1 : 2
  }
}

/**
 * A server that does not answer, or is not found; a port or an address that is taken or not there yet; a disk
 * without room; what the machine has no more of.
 */
const PASSING_SYSTEM =
  /^(?:ECONN\w+|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|EPIPE|EPROTO|EADDRINUSE|EADDRNOTAVAIL|ENOSPC|EDQUOT|EMFILE|ENFILE|ENOMEM)$/
/**
 * PostgreSQL, appendix A: its connection is lost (08), it lacks resources (53), stops or starts (57P), takes no
 * writes since it is a standby (25006), takes no connections (55000), a lock is held (55P03), a statement is
 * cancelled (57014).
 */
const PASSING_STORE = /^(?:08\w{3}|53\w{3}|57P0\d|25006|55000|55P03|57014)$/
const PASSING_MESSAGE = /connection terminated|timeout exceeded|timeout expired|query read timeout/i

/** Whether it may go better at a later start: for the code of the process, this alone decides what a failure is. */
export const isAway = (thrown: unknown): boolean => {
  const code = codeOf(thrown)
  return PASSING_SYSTEM.test(code) || PASSING_STORE.test(code) || isOfOther(thrown)
}

/** Nothing has answered in time, S3 has failed itself, or the socket of a server is not there. */
const isOfOther = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  (thrown.name === 'TimeoutError' ||
    PASSING_MESSAGE.test(thrown.message) ||
    ('$fault' in thrown && thrown.$fault === 'server') ||
    ('syscall' in thrown && thrown.syscall === 'connect'))

/** The message of anything thrown, on one line. */
export const messageOf = (thrown: unknown): string =>
  (thrown instanceof Error ? thrown.message : String(thrown)).split('\n')[0] ?? ''

/** The code of a system error (`EACCES`, `ECONNREFUSED`), else an empty string. */
export const codeOf = (thrown: unknown): string => {
  const code: unknown = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : ''
  return typeof code === 'string' ? code : ''
}
