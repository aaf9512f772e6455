import { ContactError } from '../../protocol/index.ts'
import type { TransferOptions } from '../api/attachments.ts'
import { contain } from '../async/contain.ts'

/** How a file is sent or opened, as an application says. @throws {@link ContactError} `invalid_argument` */
export function transferOptions(operation: string, how: unknown): TransferOptions {
  if (how === undefined || how === null) return {}
  const wrong = (what: string): ContactError =>
    new ContactError('invalid_argument', `unable to ${operation}; ${what}`)
  if (typeof how !== 'object') throw wrong('the options must be an object')
  const { signal, onProgress } = how as TransferOptions
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw wrong('signal must be an AbortSignal')
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw wrong('onProgress must be a function')
  return { ...(signal && { signal }), ...(onProgress && { onProgress }) }
}

/** Tells an application how far a file has come; its handler may throw. */
export function tellProgress(
  onProgress: TransferOptions['onProgress'],
  doneBytes: number,
  totalBytes: number,
): void {
  contain(() => onProgress?.(doneBytes, totalBytes))
}
