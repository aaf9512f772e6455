import { randomUUID } from 'node:crypto'
import type { Calls } from '../../protocol/index.ts'
import type { Party } from './parties.ts'

type Asked = Partial<Omit<Calls['attachment.open']['args'], 'contact' | 'session'>>
type Place = Extract<Calls['attachment.open']['result'], { state: 'open' }>

/** Asks for a place to upload to, as a party's page does. */
export const announce = (
  { session }: Party,
  asked: Asked & { readonly size: number },
): Promise<Calls['attachment.open']['result']> =>
  session.client.call('attachment.open', {
    contact: session.contact,
    session: session.id,
    request: randomUUID(),
    name: 'a.txt',
    mimetype: 'text/plain',
    ...asked,
  })

/** The same, for a file that is not there yet. */
export async function announceNew(party: Party, asked: Asked & { readonly size: number }): Promise<Place> {
  const place = await announce(party, asked)
  if (place.state !== 'open') throw new Error('the file is there already')
  return place
}

export interface TusRequest {
  readonly method?: string
  readonly offset?: number
  readonly body?: BodyInit
  readonly token?: string | null
  readonly headers?: Record<string, string>
}

/** One request of an upload. Without a body it asks how far it has come. */
export function tus(
  url: string,
  place: Pick<Place, 'path' | 'token'>,
  { method, offset = 0, body, token = place.token, headers = {} }: TusRequest = {},
): Promise<Response> {
  return fetch(`${url}${place.path}`, {
    method: method ?? (body === undefined ? 'HEAD' : 'PATCH'),
    headers: {
      'tus-resumable': '1.0.0',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) }),
      ...headers,
    },
    ...(body === undefined ? {} : { body, duplex: 'half' }),
  } as RequestInit)
}

/** Sends a whole file; gives its id. */
export async function sendFile(
  url: string,
  party: Party,
  bytes: Uint8Array<ArrayBuffer>,
  asked: Asked = {},
): Promise<string> {
  const place = await announceNew(party, { ...asked, size: bytes.length })
  const answer = await tus(url, place, { body: bytes })
  if (answer.status !== 204)
    throw new Error(`the upload was answered with ${answer.status}: ${await answer.text()}`)
  return place.id
}

/** Where a party gets a file. */
export const urlOf = async ({ session }: Party, id: string): Promise<string> =>
  (await session.client.call('attachment.url', { contact: session.contact, id })).url
