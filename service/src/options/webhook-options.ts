import { readSecrets } from '../webhooks/signature.ts'
import type { WebhookOptions } from '../webhooks/webhook-service.ts'
import { StartError, messageOf } from '../start-error.ts'
import type { RawOptions } from './flags.ts'
import { wrong } from './values.ts'

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/

/** Null where no back end is to be told. @throws {@link StartError} */
export function webhookOptions({ one }: RawOptions): WebhookOptions | null {
  const [url, secretFile] = [one('webhook'), one('webhook-secret-file')]
  if (url === '') return null
  const parsed = URL.canParse(url) ? new URL(url) : null
  const isSafe =
    parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && LOOPBACK.test(parsed.hostname))
  if (!parsed || !isSafe || parsed.username !== '' || parsed.hash !== '')
    throw wrong('webhook', 'an https URL, or http of this machine, without a password')
  try {
    readSecrets(secretFile)
  } catch (cause) {
    throw new StartError(`unable to read --webhook-secret-file; ${messageOf(cause)}`, { cause })
  }
  return { url: parsed.href, secretFile }
}
