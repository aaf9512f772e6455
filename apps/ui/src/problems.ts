import type { ErrorCode } from './sdk.ts'
import type { Problem } from './conversation.ts'

/** The code of a thrown value. The pages know errors by their code only. */
export function codeOf(thrown: unknown): ErrorCode {
  const code: unknown =
    typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined
  return typeof code === 'string' ? (code as ErrorCode) : 'internal'
}

const SILENT: ReadonlySet<ErrorCode> = new Set(['withdrawn', 'left'])

/** The problem to show for a failure, or `null` where there is nothing to say. */
export const problemOf = (
  thrown: unknown,
  what: Problem['what'],
  details: Omit<Problem, 'code' | 'what'> = {},
): Problem | null => (SILENT.has(codeOf(thrown)) ? null : { code: codeOf(thrown), what, ...details })

const CAMERA: ReadonlySet<ErrorCode> = new Set([
  'media_denied',
  'media_not_found',
  'media_in_use',
  'media_failed',
])

/** Whether the same may work without a camera. */
export const mayWorkWithoutCamera = ({ code, kind }: Problem): boolean => kind === 'video' && CAMERA.has(code)

/** Whether this is news rather than a failure. */
export const isMild = ({ code }: Problem): boolean => code === 'media_dismissed' || code === 'rejected'
