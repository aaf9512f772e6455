import type { GenericCallback } from '../api/callbacks.ts'
import type { ContactCore } from '../contact/contact-core.ts'
import { later } from '../contact/lazy-modules.ts'
import { runOperation } from '../async/run-operation.ts'
import type { AttachOptions, Attached } from '../api/attachments.ts'
import type { Attaching } from './attach.ts'

/** Sends a file. What it takes to do so is loaded with the first one. */
export function attach(
  core: ContactCore,
  attaching: Attaching,
  how: GenericCallback<Attached> | AttachOptions | null | undefined,
): Promise<Attached> {
  const sending = async (): Promise<Attached> =>
    (await core.loaded('attach the file', later.attach())).attachFile(core, attaching, how)
  return runOperation('attach the file', sending, typeof how === 'function' ? how : undefined)
}

/** A fresh address of a file. */
export function attachmentUrl(core: ContactCore, id: string): Promise<string> {
  return runOperation('find the file', async () =>
    (await core.loaded('find the file', later.attach())).attachmentUrl(core, id),
  )
}
