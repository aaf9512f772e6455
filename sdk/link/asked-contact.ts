import { ContactError } from '../../protocol/index.ts'

/** @throws {@link ContactError} `protocol` — the answer is the record of another contact than the call names */
export function checkContact(
  name: string,
  { contact }: { readonly contact?: unknown },
  result: unknown,
): void {
  const { record } = Object(result) as { readonly record?: { readonly id: string } }
  if (record !== undefined && record.id !== contact)
    throw new ContactError('protocol', `unable to call ${name}; the service answered with another contact`)
}
