import { StartError, messageOf } from '../start-error.ts'
import { DiskFiles } from './disk-files.ts'
import type { FileOptions } from './file-options.ts'
import type { FileStorage } from './file-storage.ts'
import { S3Files } from './s3-files.ts'

/**
 * The place of files. The packages for S3 are loaded where it is one.
 *
 * @throws {@link StartError} the bucket is not there, or may not be used
 */
export async function openStorage(
  { folder, s3 }: Pick<FileOptions, 'folder' | 's3'>,
  onFault: (thrown: unknown) => void,
): Promise<FileStorage> {
  if (!s3) return new DiskFiles(folder)
  const files = await S3Files.open(s3, onFault)
  const refused = await files.check()
  if (refused !== null)
    throw new StartError(`unable to use s3://${s3.bucket}/${s3.prefix} for files; ${messageOf(refused)}`, {
      cause: refused,
    })
  return files
}
