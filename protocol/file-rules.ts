/** What only senders and receivers of files need: a page loads it with its first file. */

/** Whether a media type is one of those allowed. */
export function isAllowedType(types: readonly string[], mimetype: string): boolean {
  const wanted = mimetype.toLowerCase()
  return types.some(
    (type) =>
      type === '*/*' || type === wanted || (type.endsWith('/*') && wanted.startsWith(type.slice(0, -1))),
  )
}

/** Media type of a file of unknown type. */
export const UNKNOWN_TYPE = 'application/octet-stream'

/** What a service keeps of the announcement of a file in a secure contact: its sender encrypts all else. */
export const encryptedFile = <A extends { readonly request: string; readonly size: number }>({
  request,
  size,
}: A): Pick<A, 'request' | 'size'> & { readonly name: string; readonly mimetype: string } => ({
  ...{ request, size },
  ...{ name: 'file', mimetype: UNKNOWN_TYPE },
})
