import { readSecrets } from '../webhooks/signature.ts'
import type { WebhookOptions } from '../webhooks/webhook-service.ts'
import { StartError, messageOf } from '../start-error.ts'
import type { RawOptions } from './flags.ts'
import { safeUrl, wrong } from './values.ts'

/** Null where no back end is to be told. @throws {@link StartError} */
export function webhookOptions({ one }: RawOptions): WebhookOptions | null {
  const [url, secretFile] = [one('webhook'), one('webhook-secret-file')]
  if (url === '') return null
  const parsed = safeUrl(url)
  if (!parsed || parsed.username !== '' || parsed.hash !== '')
    throw wrong('webhook', 'an https URL, or http of this machine, without a password')
  try {
    readSecrets(secretFile)
  } catch (cause) {
    throw new StartError(`unable to read --webhook-secret-file; ${messageOf(cause)}`, { cause })
  }
  return { url: parsed.href, secretFile }
}
