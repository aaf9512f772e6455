import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ServiceProcess } from '../../support/service-process.ts'
import { preparedData } from '../../support/prepared-store.ts'
import { signInVisitor } from '../../support/service.ts'
import { announceNew, tus, urlOf } from '../../support/tus.ts'
import { WireClient, WireSession } from '../../support/wire-client.ts'

const MB = 1024 * 1024
/** `DUOLOG_LARGE_MB=1024` sends a gigabyte. */
const SIZE_MB = Number(process.env['DUOLOG_LARGE_MB'] ?? 128)
const PART_MB = 64
/** What the service may grow by, whatever the file. */
const GROWTH_MB = 96

const data = preparedData()
let service: ServiceProcess
let url: string

beforeAll(async () => {
  ;({ service, url } = await ServiceProcess.startIn(data.folder, '--log-level', 'silent'))
})
afterAll(async () => {
  await service.stop()
  data.remove()
})

const residentMb = (): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

/** The part of a file that nobody holds as a whole. */
const partOf = (chunk: Uint8Array<ArrayBuffer>): ReadableStream => {
  let left = PART_MB
  return new ReadableStream(
    { pull: (stream) => (left-- > 0 ? stream.enqueue(chunk) : stream.close()) },
    { highWaterMark: 1 },
  )
}

it(`ATT-7 ${SIZE_MB} MB go through the service in both directions, and its memory stays flat`, async () => {
  const client = await WireClient.connect(url, (await signInVisitor(url)).token)
  const { contact } = await client.call('contact.create', { request: 'r', contact: {} })
  const session = new WireSession(client, contact)
  await session.open()
  const chunk = Uint8Array.from(randomBytes(MB))
  const hash = createHash('sha256')
  for (let count = 0; count < SIZE_MB; count += 1) hash.update(chunk)
  const sha256 = hash.digest('hex')
  const before = residentMb()
  let most = before
  const watching = setInterval(() => (most = Math.max(most, residentMb())), 50)
  const [place, started] = [await announceNew({ client, session }, { size: SIZE_MB * MB }), performance.now()]
  for (let offset = 0; offset < SIZE_MB * MB; offset += PART_MB * MB)
    expect((await tus(url, place, { body: partOf(chunk), offset })).status).toBe(204)
  const sent = performance.now()
  expect((await client.entry(contact, 'attachment')).body.sha256).toBe(sha256)
  const got = createHash('sha256')
  const { body } = await fetch(new URL(await urlOf({ client, session }, place.id), url))
  for await (const bytes of body ?? []) got.update(bytes as Uint8Array)
  clearInterval(watching)
  expect(got.digest('hex')).toBe(sha256)
  console.log(
    `${SIZE_MB} MB: up in ${((sent - started) / 1000).toFixed(1)} s, down in ${((performance.now() - sent) / 1000).toFixed(1)} s; memory of the service ${before.toFixed(0)} MB, at most ${most.toFixed(0)} MB`,
  )
  expect(most - before).toBeLessThan(GROWTH_MB)
  client.close()
}, 300_000)
