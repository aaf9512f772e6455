import { join, resolve } from 'node:path'
import type { FileOptions, S3Place } from '../attachments/index.ts'
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
  const place = one('files')
  return {
    folder: resolve((!isS3(place) && place) || join(one('data'), 'files')),
    s3: isS3(place) ? s3Place(place) : null,
    maxBytes: size('max-file', 0),
    contactBytes: size('contact-files', 1),
    visitorBytes: size('visitor-files', 1),
    spaceBytes: size('file-space', 1),
    types: types.length === 0 ? ['*/*'] : types.map((type) => type.toLowerCase()),
    urlMs: whole('file-link', one('file-link'), { least: 1, most: 10_080 }) * 60_000,
    origin: one('file-origin') === '' ? null : origin('file-origin')(one('file-origin')),
  }
}

const isS3 = (text: string): boolean => text.startsWith('s3:')
const S3_MUST =
  'a folder, or a URL such as s3://bucket/prefix?endpoint=https://host&region=eu-west-1 (credentials are variables)'

/** Reads the URL of a place in S3. */
function s3Place(text: string): S3Place {
  const url = URL.canParse(text) ? new URL(text) : null
  const given = [...(url?.searchParams ?? [])]
  const known = given.every(([name], index) => given.findIndex(([other]) => other === name) === index)
  if (!url || !known || given.some(([name]) => name !== 'endpoint' && name !== 'region'))
    throw wrong('files', S3_MUST)
  const { hostname, pathname, searchParams, username, password, port, hash } = url
  if (!/^[a-z\d][a-z\d.-]{1,62}$/.test(hostname) || username + password + port + hash !== '')
    throw wrong('files', S3_MUST)
  if (!/^(\/[\w.-]+)*\/?$/.test(pathname)) throw wrong('files', S3_MUST)
  const [endpoint, region] = [searchParams.get('endpoint'), searchParams.get('region')]
  if (endpoint !== null && !(URL.canParse(endpoint) && /^https?:$/.test(new URL(endpoint).protocol)))
    throw wrong('files', S3_MUST)
  const prefix = pathname.replace(/^\//, '').replace(/([^/])$/, '$1/')
  // Who names an endpoint need not name a region, which the signature has all the same.
  return { bucket: hostname, prefix, endpoint, region: region ?? (endpoint === null ? null : 'us-east-1') }
}
