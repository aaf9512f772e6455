import { ContactError } from '../../../protocol/index.ts'

/** The code with which a Promise rejects; null where it does not. */
export const codeOf = async (promise: Promise<unknown> | undefined): Promise<string | null> =>
  promise
    ? promise.then(
        () => null,
        (error: unknown) => (error instanceof ContactError ? error.code : String(error)),
      )
    : 'no operation'
