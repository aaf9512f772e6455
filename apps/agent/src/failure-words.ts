import type { Words } from '../../ui/src/index.ts'
import type { ConsoleModel } from './console-model.ts'

/** Why something of the console did not work, in words; empty where nothing failed. */
export function failureText(
  { failure: code, way }: Pick<ConsoleModel, 'failure' | 'way'>,
  words: Pick<Words, 't' | 'error'>,
): string {
  if (code === null) return ''
  if (code === 'paused') return words.t('pausedByService')
  if (code === 'sign-in') return words.t(way === 'nick' ? 'signInFailed' : 'signInRefused')
  if (code === 'no-agent') return words.t(way === 'oidc' ? 'signInNoAgentAtProvider' : 'signInNoAgent')
  return code === 'unauthorized' ? words.t('signInOver') : words.error(code)
}
