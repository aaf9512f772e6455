import { createActor, fromPromise } from 'xstate'
import { uploadMachine } from '../../machines/index.ts'
import type { StoredFile, UploadActor } from '../../machines/index.ts'
import {
  ContactError,
  LIMITS,
  UNKNOWN_TYPE,
  cutText,
  isAllowedType,
  isMediaType,
} from '../../protocol/index.ts'
import type { Calls, Clock, MediaCapabilities, UploadPlace } from '../../protocol/index.ts'
import type { AttachOptions, Attached } from '../api/attachments.ts'
import type { Inspect } from '../api/client.ts'
import type { Membership } from '../contact/membership.ts'
import type { ServiceLink } from '../link/service-link.ts'
import type { Uploader } from './uploader.ts'
import { actorOptions } from '../client/clock.ts'
import { fromArguments, requireText } from '../values/arguments.ts'
import { randomName } from '../values/random-id.ts'
import { reportThrown } from '../async/callbackify.ts'

/** What sending a file needs of its contact. */
export interface AttachHost {
  /** Id of the contact; another one after a transfer. */
  readonly id: string
  readonly session: string
  /** Origin of the service. */
  readonly service: string
  readonly clock: Clock
  readonly inspect?: Inspect | undefined
  readonly link: Pick<ServiceLink, 'call' | 'onState'>
  readonly membership: Pick<Membership, 'requirePart' | 'isOver'>
  /** Of both parties. */
  readonly capabilities: { readonly local: MediaCapabilities; readonly remote: MediaCapabilities | null }
  readonly upload: Uploader
  /** Aborted when this page's part in the contact ends. */
  readonly over: AbortSignal
}

/** A file and what is said of it, as the application gave them. */
export interface Attaching {
  readonly file: unknown
  readonly desc: unknown
  readonly referenceId: unknown
}

type Asked = Omit<Calls['attachment.open']['args'], 'contact' | 'session'>

/**
 * Sends a file: announced, uploaded in parts, gone on with after a cut. Settles with the contact at the
 * latest.
 */
export async function attachFile(host: AttachHost, attaching: Attaching, how: unknown): Promise<Attached> {
  const { file, asked, signal, onProgress } = fromArguments('attach the file', () => {
    const given = requireFile(attaching.file)
    return { file: given, asked: toRequest(given, attaching), ...optionsOf(how) }
  })
  host.membership.requirePart('attach the file')
  requireAllowed(asked, host.capabilities.local, host.capabilities.remote)
  if (signal?.aborted) throw cancelled()
  return new Promise((resolve, reject) => {
    const upload = startUpload(host, { file, asked, onProgress })
    const cancel = (): void => upload.send({ type: 'upload.cancel' })
    const stopListening = host.link.onState(
      (state) => state === 'online' && upload.send({ type: 'link.online' }),
    )
    signal?.addEventListener('abort', cancel)
    host.over.addEventListener('abort', cancel)
    upload.subscribe({
      complete: () => {
        stopListening()
        signal?.removeEventListener('abort', cancel)
        host.over.removeEventListener('abort', cancel)
        const { stored, failure } = upload.getSnapshot().context
        if (stored)
          resolve({
            id: stored.id,
            url: new URL(stored.url, host.service).href,
            ...(asked.referenceId !== undefined && { referenceId: asked.referenceId }),
          })
        else if (upload.getSnapshot().matches('cancelled')) reject(host.over.aborted ? over() : cancelled())
        else
          reject(
            new ContactError(
              failure?.code ?? 'internal',
              failure?.message ?? 'unable to attach the file; something unexpected happened',
              { retryAfterMs: failure?.retryAfterMs },
            ),
          )
      },
    })
    upload.start()
  })
}

/**
 * A fresh address of a file.
 * @throws {@link ContactError} `invalid_argument`, `too_large`, `not_found`, `left`
 */
export async function attachmentUrl(
  { id: contact, link, service }: AttachHost,
  id: unknown,
): Promise<string> {
  requireText('find the file', id, { name: 'id', bytes: LIMITS.id })
  const { url } = await link.call('attachment.url', { contact, id })
  return new URL(url, service).href
}

function optionsOf(how: unknown): AttachOptions {
  if (typeof how === 'function' || how === undefined || how === null) return {}
  const wrong = (what: string): ContactError =>
    new ContactError('invalid_argument', `unable to attach the file; ${what}`)
  if (typeof how !== 'object') throw wrong('the options must be an object')
  const { signal, onProgress } = how as AttachOptions
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw wrong('signal must be an AbortSignal')
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw wrong('onProgress must be a function')
  return { ...(signal && { signal }), ...(onProgress && { onProgress }) }
}

interface Sending {
  readonly file: Blob
  readonly asked: Asked
  readonly onProgress: AttachOptions['onProgress']
}

function startUpload(host: AttachHost, { file, asked, onProgress }: Sending): UploadActor {
  const { link, service, upload: send } = host
  const ended = new AbortController()
  const told = (sentBytes: number): void => {
    try {
      onProgress?.(sentBytes, file.size)
    } catch (thrown) {
      reportThrown(thrown)
    }
  }
  const actor: UploadActor = createActor(
    uploadMachine.provide({
      actors: {
        open: fromPromise<UploadPlace | (StoredFile & { readonly state: 'stored' })>(() =>
          link
            .call('attachment.open', { contact: host.id, session: host.session, ...asked })
            .catch((thrown: unknown) => afterMove(host, thrown)),
        ),
        send: fromPromise(async ({ input: { place }, signal: stopped }) => {
          if (!place)
            throw new ContactError('internal', 'unable to attach the file; something unexpected happened')
          const onSent = (sentBytes: number): void => {
            actor.send({ type: 'upload.progress', sentBytes })
            told(sentBytes)
          }
          await send(file, {
            url: new URL(place.path, service).href,
            token: place.token,
            cancelled: ended.signal,
            stopped,
            onProgress: onSent,
          })
        }),
      },
    }),
    { id: `upload ${host.id} ${asked.request}`, ...actorOptions(host) },
  )
  actor.subscribe((snapshot) => snapshot.matches('cancelled') && ended.abort())
  return actor
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

function requireFile(file: unknown): Blob {
  if (!(file instanceof Blob))
    throw new ContactError('invalid_argument', 'unable to attach the file; it must be a File')
  return file
}

function toRequest(file: Blob, { desc, referenceId }: Attaching): Asked {
  const text = (name: string, value: unknown): string | undefined => {
    if (value === undefined || value === null || value === '') return undefined
    requireText('attach the file', value, { name, bytes: LIMITS.desc })
    return value
  }
  const [said, reference] = [text('description', desc), text('referenceId', referenceId)]
  const name = 'name' in file && typeof file.name === 'string' ? cutText(file.name, LIMITS.fileName) : ''
  const type = file.type.split(';')[0]?.trim() ?? ''
  return {
    request: randomName(),
    name: name || 'file',
    mimetype: isMediaType(type) ? type : UNKNOWN_TYPE,
    size: file.size,
    ...(said !== undefined && { desc: said }),
    ...(reference !== undefined && { referenceId: reference }),
  }
}

/** What either party's capabilities rule out is not even announced. */
function requireAllowed(
  { size, mimetype }: Asked,
  local: MediaCapabilities,
  remote: MediaCapabilities | null,
): void {
  const [here, there] = [local.Media.Sharing, remote?.Media.Sharing]
  if (here?.FileTransfer !== true)
    throw new ContactError('not_supported', 'unable to attach the file; this contact takes no files')
  if (there?.FileTransfer === false)
    throw new ContactError('not_supported', 'unable to attach the file; the other party takes no files')
  for (const sharing of [here, there]) {
    const { MaxFileSize: most, FileTypes: types } = sharing ?? {}
    if (most !== undefined && size > most)
      throw new ContactError('too_large', `unable to attach the file; it is larger than ${most} bytes`)
    if (types !== undefined && !isAllowedType(types, mimetype))
      throw new ContactError(
        'not_supported',
        `unable to attach the file; only ${types.join(', ')} may be sent`,
      )
  }
}

const over = (): ContactError =>
  new ContactError('left', 'unable to attach the file; the contact is over for this page')
const cancelled = (): ContactError =>
  new ContactError('withdrawn', 'unable to attach the file; it was cancelled')
