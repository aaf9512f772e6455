/** Why the service did not start, as one line for the person who started it. */
export class StartError extends Error {
  override readonly name = 'StartError'
  /** Of the process. 2: the next start would fail, too. 1: what it needs is not there at the moment. */
  readonly exitCode: 1 | 2

  constructor(
    message: string,
    { isPassing = false, ...options }: ErrorOptions & { isPassing?: boolean } = {},
  ) {
    super(message, options)
    this.exitCode = isPassing ? 1 : 2
  }
}

/** A server that does not answer, is not found, or does not take connections yet (PostgreSQL, appendix A). */
const PASSING = /^(?:ECONN\w+|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|57P0[1-3]|53300)$/

/** Whether a server may be there at a later start. */
export const isAway = (thrown: unknown): boolean => PASSING.test(codeOf(thrown))

/** The message of anything thrown, on one line. */
export const messageOf = (thrown: unknown): string =>
  (thrown instanceof Error ? thrown.message : String(thrown)).split('\n')[0] ?? ''

/** The code of a system error (`EACCES`, `ECONNREFUSED`), else an empty string. */
export const codeOf = (thrown: unknown): string => {
  const code: unknown = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : ''
  return typeof code === 'string' ? code : ''
}
