import { ContactError, isAllowedType } from '../../protocol/index.ts'
import type { MediaCapabilities } from '../../protocol/index.ts'

/** Of both parties; of the remote null where they are not known. */
export interface BothCapabilities {
  readonly local: MediaCapabilities
  readonly remote: MediaCapabilities | null
}

/**
 * What either party's capabilities rule out is not even announced.
 * @throws {@link ContactError} `not_supported`, `too_large`
 */
export function requireAllowed(
  { size, mimetype }: { readonly size: number; readonly mimetype: string },
  { local, remote }: BothCapabilities,
): void {
  const [here, there] = [local.Media.Sharing, remote?.Media.Sharing]
  if (here?.FileTransfer !== true) throw refused('not_supported', 'this contact takes no files')
  if (there?.FileTransfer === false) throw refused('not_supported', 'the other party takes no files')
  for (const sharing of [here, there]) {
    const { MaxFileSize: most, FileTypes: types } = sharing ?? {}
    if (most !== undefined && size > most) throw refused('too_large', `it is larger than ${most} bytes`)
    if (types !== undefined && !isAllowedType(types, mimetype))
      throw refused('not_supported', `only ${types.join(', ')} may be sent`)
  }
}

const refused = (code: 'not_supported' | 'too_large', reason: string): ContactError =>
  new ContactError(code, `unable to attach the file; ${reason}`)
