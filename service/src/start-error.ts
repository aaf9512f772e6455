/** Why the service did not start, as one line for the person who started it. The process ends with code 2. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** The message of anything thrown, on one line. */
export const messageOf = (thrown: unknown): string =>
  (thrown instanceof Error ? thrown.message : String(thrown)).split('\n')[0] ?? ''

/** The code of a system error (`EACCES`, `ECONNREFUSED`), else an empty string. */
export const codeOf = (thrown: unknown): string => {
  const code: unknown = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : ''
  return typeof code === 'string' ? code : ''
}
