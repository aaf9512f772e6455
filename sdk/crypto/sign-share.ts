import { within } from '../../protocol/index.ts'
import type { Clock } from '../../protocol/index.ts'
import type { KeySignature, KeyToSign } from '../api/encryption.ts'
import { fromBase64 } from './bytes.ts'
import type { SecrecyHost } from './interface.ts'

/** How long the organisation may take to sign a key. */
const LIMIT_MS = 10_000 // §6

/** Has a key signed; null where that fails, takes too long or gives no signature. */
async function signShare(
  key: KeyToSign,
  {
    clock,
    signKey,
  }: {
    readonly clock: Clock
    readonly signKey: (key: KeyToSign) => KeySignature | Promise<KeySignature>
  },
): Promise<KeySignature | null> {
  try {
    const signing = Promise.resolve().then(() => signKey(key))
    const { signer, signature } = await within(signing, { clock, ms: LIMIT_MS })
    const isWhole = fromBase64(signer)?.length === 32 && fromBase64(signature)?.length === 64
    return isWhole ? { signer, signature } : null
  } catch {
    return null
  }
}

/** What has the keys of an agent signed; null where nothing is to be signed. */
export function signerOf(
  contact: string,
  { role, signKey, place, clock }: Pick<SecrecyHost, 'clock' | 'place' | 'role' | 'signKey'>,
): ((commit: string, key: string) => Promise<KeySignature | null>) | null {
  if (!signKey || role !== 'agent') return null
  return (commit, key) => {
    const { session, log } = place()
    const agent = log.state.agent?.user ?? ''
    return signShare({ contact, agent, session, commit, key }, { clock, signKey })
  }
}
