import { join, resolve } from 'node:path'
import type { FileOptions } from '../attachments/index.ts'
import type { RawOptions } from './flags.ts'
import { origin, whole, wrong } from './values.ts'

const MB = 1_048_576
const LOCAL_FILES = {
  'max-file': '2048',
  'contact-files': '8192',
  'visitor-files': '8192',
  'file-space': '65536',
} as const
const PRODUCTION_FILES = {
  'max-file': '25',
  'contact-files': '250',
  'visitor-files': '100',
  'file-space': '10240',
} as const
const MEDIA_TYPE = /^([\w.+-]+\/([\w.+-]+|\*)|\*\/\*)$/

/** What may be sent, and how much of it. */
export function fileOptions({ one, all }: RawOptions, mode: 'local' | 'production'): FileOptions {
  const types = all('file-type')
  const standard = mode === 'local' ? LOCAL_FILES : PRODUCTION_FILES
  const size = (flag: keyof typeof LOCAL_FILES, least: number): number =>
    whole(flag, one(flag) || standard[flag], {
      least,
      most: flag === 'file-space' ? 1_073_741_824 : 1_048_576,
    }) * MB
  if (types.some((type) => !MEDIA_TYPE.test(type)))
    throw wrong('file-type', 'a media type such as image/png or image/*')
  return {
    folder: resolve(one('files') || join(one('data'), 'files')),
    maxBytes: size('max-file', 0),
    contactBytes: size('contact-files', 1),
    visitorBytes: size('visitor-files', 1),
    spaceBytes: size('file-space', 1),
    types: types.length === 0 ? ['*/*'] : types.map((type) => type.toLowerCase()),
    urlMs: whole('file-link', one('file-link'), { least: 1, most: 10_080 }) * 60_000,
    origin: one('file-origin') === '' ? null : origin('file-origin')(one('file-origin')),
  }
}
