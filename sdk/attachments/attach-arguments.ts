/** What an application says of a file that it sends, checked. */
import { ContactError, LIMITS, UNKNOWN_TYPE, cutText, isMediaType } from '../../protocol/index.ts'
import type { Calls } from '../../protocol/index.ts'
import type { AttachOptions } from '../api/attachments.ts'
import { fromArguments, requireText } from '../values/arguments.ts'
import { randomName } from '../values/random-id.ts'
import { transferOptions } from './transfer-options.ts'

/** A file and what is said of it, as the application gave them. */
export interface Attaching {
  readonly file: unknown
  readonly desc: unknown
  readonly referenceId: unknown
}

/** What the service is told of a file before it comes. */
export type Announced = Omit<Calls['attachment.open']['args'], 'contact' | 'session'>

/** A file that is to be sent. */
export interface Sending extends AttachOptions {
  readonly file: Blob
  readonly announced: Announced
}

/** @throws {@link ContactError} `invalid_argument`, `too_large` */
export const sendingOf = (attaching: Attaching, how: unknown): Sending =>
  fromArguments('attach the file', () => {
    const file = requireFile(attaching.file)
    const options = transferOptions('attach the file', typeof how === 'function' ? null : how)
    return { file, announced: announcedOf(file, attaching), ...options }
  })

function requireFile(file: unknown): Blob {
  if (!(file instanceof Blob))
    throw new ContactError('invalid_argument', 'unable to attach the file; it must be a File')
  return file
}

function announcedOf(file: Blob, { desc, referenceId }: Attaching): Announced {
  const [said, reference] = [textOf('description', desc), textOf('referenceId', referenceId)]
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

function textOf(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  requireText('attach the file', value, { name, bytes: LIMITS.desc })
  return value
}
