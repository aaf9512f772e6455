import { StartError, messageOf } from '../start-error.ts'
import { DiskFiles } from './disk-files.ts'
import type { FileOptions } from './file-options.ts'
import type { FileStorage } from './file-storage.ts'
import { S3Files } from './s3-files.ts'

/**
 * The place of files. The packages for S3 are loaded where it is one.
 *
 * @throws {@link StartError} the folder or the bucket is not there, or may not be used
 */
export async function openStorage(
  { folder, s3, maxBytes }: Pick<FileOptions, 'folder' | 's3' | 'maxBytes'>,
  onFault: (thrown: unknown) => void,
): Promise<FileStorage> {
  const files = s3 ? await S3Files.open(s3, onFault) : new DiskFiles(folder)
  // Where no file may be sent, a folder need not be there.
  const refused = s3 || maxBytes > 0 ? await files.check() : null
  if (refused === null) return files
  const place = s3 ? `s3://${s3.bucket}/${s3.prefix}` : `the folder ${folder}`
  throw new StartError(`unable to use ${place} for files; ${messageOf(refused)}`, { cause: refused })
}
