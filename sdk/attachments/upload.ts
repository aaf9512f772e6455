/** An upload: the machine of `machines/upload/` with the service and the way to it. */
import { createActor, fromPromise } from 'xstate'
import { uploadMachine } from '../../machines/upload/index.ts'
import type { StoredFile, UploadActor } from '../../machines/upload/index.ts'
import { ContactError } from '../../protocol/index.ts'
import type { Calls, UploadPlace } from '../../protocol/index.ts'
import { actorOptions } from '../client/clock.ts'
import type { Announced } from './attach-arguments.ts'
import type { AttachHost } from './attach-host.ts'
import type { UploadJob, UploadSource } from './uploader.ts'

/** How the service says that a file stands. */
type Opened = UploadPlace | (StoredFile & { readonly state: 'stored' })

/** What is uploaded, and who is told of it. */
export interface Uploading {
  readonly source: UploadSource
  readonly announced: Announced
  /** Called with the bytes that have gone out. */
  readonly tell: (sentBytes: number) => void
}

/** The file that is stored in the end. @throws {@link ContactError} `withdrawn`, `left`, and those of the way */
export function uploaded(
  host: AttachHost,
  uploading: Uploading,
  signal: AbortSignal | undefined,
): Promise<StoredFile> {
  const upload = startUpload(host, uploading)
  const cancel = (): void => upload.send({ type: 'upload.cancel' })
  const stopListening = host.link.onState(
    (state) => state === 'online' && upload.send({ type: 'link.online' }),
  )
  signal?.addEventListener('abort', cancel)
  host.over.addEventListener('abort', cancel)
  return new Promise<StoredFile>((resolve, reject) => {
    upload.subscribe({
      complete: () => {
        const { stored } = upload.getSnapshot().context
        if (stored) resolve(stored)
        else reject(failureOf(upload, host.over))
      },
    })
    upload.start()
  }).finally(() => {
    stopListening()
    signal?.removeEventListener('abort', cancel)
    host.over.removeEventListener('abort', cancel)
  })
}

export const cancelled = (): ContactError =>
  new ContactError('withdrawn', 'unable to attach the file; it was cancelled')

function failureOf(upload: UploadActor, over: AbortSignal): ContactError {
  if (upload.getSnapshot().matches('cancelled'))
    return over.aborted
      ? new ContactError('left', 'unable to attach the file; the contact is over for this page')
      : cancelled()
  const { failure } = upload.getSnapshot().context
  if (!failure) return unexpected()
  return new ContactError(failure.code, failure.message, { retryAfterMs: failure.retryAfterMs })
}

const unexpected = (): ContactError =>
  new ContactError('internal', 'unable to attach the file; something unexpected happened')

function startUpload(host: AttachHost, uploading: Uploading): UploadActor {
  const { announced } = uploading
  const ended = new AbortController()
  let opening: Promise<Opened> | undefined
  let isSending = false
  const actor: UploadActor = createActor(
    uploadMachine.provide({
      actors: {
        open: fromPromise<Opened>(() => {
          opening = host.link
            .call('attachment.open', { contact: host.id, session: host.session, ...announced })
            .then(knownPlace, (thrown: unknown) => afterMove(host, thrown))
          return opening
        }),
        send: fromPromise(({ input: { place }, signal: stopped }) =>
          place
            ? host.upload(uploading.source, {
                ...placed(host, place),
                ...{ cancelled: ended.signal, stopped },
                onProgress: (sentBytes) => {
                  actor.send({ type: 'upload.progress', sentBytes })
                  uploading.tell(sentBytes)
                },
              })
            : Promise.reject(unexpected()),
        ),
      },
    }),
    { id: `upload ${host.id} ${announced.request}`, ...actorOptions(host) },
  )
  actor.subscribe((snapshot) => {
    const wasSending = isSending
    isSending = snapshot.matches('sending')
    if (!snapshot.matches('cancelled')) return
    ended.abort()
    if (!wasSending) giveUp(host, uploading, snapshot.context.place ?? opening)
  })
  return actor
}

const placed = ({ service }: AttachHost, { path, token }: UploadPlace): Pick<UploadJob, 'token' | 'url'> => ({
  ...{ url: new URL(path, service).href, token },
})

/**
 * No attempt runs that could tell the service that nobody wants the upload any more: it hears so as soon as it
 * can be reached, and the place is known.
 */
function giveUp(
  host: AttachHost,
  { source }: Uploading,
  asked: UploadPlace | Promise<Opened> | undefined,
): void {
  const tell = async (): Promise<void> => {
    const place = await asked
    if (place?.state !== 'open') return
    await reachable(host.link)
    const over = AbortSignal.abort()
    await host.upload(source, {
      ...placed(host, place),
      cancelled: over,
      stopped: over,
      onProgress: () => {},
    })
  }
  tell().catch(() => {})
}

const reachable = (link: AttachHost['link']): Promise<void> =>
  new Promise((resolve) => {
    if (link.state === 'online') return resolve()
    const stop = link.onState((state) => {
      if (state !== 'online') return
      stop()
      resolve()
    })
  })

/** A state that this version does not know may pass: the service is asked again. */
function knownPlace(
  answer: Calls['attachment.open']['result'],
): Exclude<typeof answer, { readonly state: 'later' }> {
  if (answer.state === 'later')
    throw new ContactError('internal', 'unable to attach the file; its state is of a later version')
  return answer
}

/**
 * Where the contact goes on under another id, the file is announced again there. The service may say so
 * before this page has read it; where the contact is over, its log ends the upload.
 */
function afterMove({ membership }: AttachHost, thrown: unknown): never {
  if (thrown instanceof ContactError && thrown.code === 'left' && !membership.isOver())
    throw new ContactError('offline', 'unable to attach the file; the contact is being transferred', {
      cause: thrown,
    })
  throw thrown
}
