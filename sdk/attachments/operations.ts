import type { GenericCallback } from '../api/callbacks.ts'
import { later } from '../contact/lazy-modules.ts'
import { runOperation } from '../async/run-operation.ts'
import type { AttachOptions, Attached, OpenOptions } from '../api/attachments.ts'
import type { AttachHost } from './attach-host.ts'
import type { Attaching } from './attach-arguments.ts'
import type { Loading } from '../async/lazy-module.ts'
import { loaded } from '../async/lazy-module.ts'

/** Sends a file. What it takes to do so is loaded with the first one. */
export function attach(
  host: AttachHost & Loading,
  attaching: Attaching,
  how: GenericCallback<Attached> | AttachOptions | null | undefined,
): Promise<Attached> {
  const sending = async (): Promise<Attached> =>
    (await loaded('attach the file', later.attach(), host)).attachFile(host, attaching, how)
  return runOperation('attach the file', sending, typeof how === 'function' ? how : undefined)
}

/** A fresh address of a file. */
export function attachmentUrl(host: AttachHost & Loading, id: string): Promise<string> {
  return runOperation('find the file', async () =>
    (await loaded('find the file', later.attach(), host)).attachmentUrl(host, id),
  )
}

/** The bytes of a file. */
export function openAttachment(host: AttachHost & Loading, id: string, how?: OpenOptions): Promise<Blob> {
  return runOperation('open the file', async () =>
    (await loaded('open the file', later.attach(), host)).openAttachment(host, id, how),
  )
}
