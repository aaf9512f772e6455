import { createCipheriv, randomBytes, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BackEndReader } from '../../../service/src/contacts/back-end-reader.ts'
import { joinBoth, queueVisitor } from '../../support/parties.ts'
import type { Party } from '../../support/parties.ts'
import { agreement, keyId, sealOf, sealedBodies } from '../../support/sealed-bodies.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { announce, sendFile } from '../../support/tus.ts'
import { PhoneNetwork } from '../telephony/phone-network.ts'

const KEY = keyId(1)
const PNG = Uint8Array.from(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
    'base64',
  ),
)
const network = new PhoneNetwork()
let test: TestService
beforeAll(async () => {
  test = await startTestService(
    (options) => ({ ...options, files: { ...options.files, types: ['image/*'] } }),
    { telephony: network },
  )
})
afterAll(() => test.close())

const counters = new WeakMap<Party, number>()
/** Writes one entry. Gives its number. */
async function write(party: Party, type: string, body: unknown): Promise<number> {
  const { client, session } = party
  const counter = (counters.get(party) ?? 1) + 1
  counters.set(party, counter)
  const draft = { id: randomUUID(), session: session.id, counter, type, body }
  const { appended } = await client.call('log.append', {
    contact: session.contact,
    session: session.id,
    drafts: [draft as never],
  })
  expect(appended).toEqual([{ id: draft.id, seq: expect.any(Number) as number }])
  return (appended[0] as { readonly seq: number }).seq
}

/** Two parties in a secure contact who have agreed on a key. */
async function agreed(): Promise<Awaited<ReturnType<typeof joinBoth>>> {
  const both = await joinBoth(test, { secure: true })
  const { keyCommit, keyShare, keyReveal } = agreement(KEY)
  const commit = await write(both.visitor, 'keyCommit', keyCommit)
  const share = await write(both.agent, 'keyShare', keyShare(commit))
  await write(both.visitor, 'keyReveal', keyReveal(share))
  return both
}

const bodyOf = async (contact: string, seq: number): Promise<string | undefined> => {
  const { rows } = await test.service.database.pool.query<{ body: string }>(
    'select body from entries where contact = $1 and seq = $2',
    [contact, seq],
  )
  return rows[0]?.body
}

/** Every value of every row of every table, as text. */
async function everything(): Promise<string> {
  const { pool } = test.service.database
  const tables = await pool.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  )
  const rows = await Promise.all(
    tables.rows.map(({ name }) => pool.query<Record<string, unknown>>(`select * from "${name}"`)),
  )
  const textOf = (value: unknown): string =>
    typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return rows.flatMap((result) => result.rows.flatMap((row) => Object.values(row).map(textOf))).join('\n')
}

/** How a text may stand in a store. */
const formsOf = (text: string): readonly string[] => [
  text,
  JSON.stringify(text).slice(1, -1),
  JSON.stringify(JSON.stringify(text)).slice(3, -3),
  ...[0, 1, 2].map((offset) =>
    Buffer.from(`${'\0'.repeat(offset)}${text}`, 'utf8')
      .toString('base64')
      .slice(4, -4),
  ),
  Buffer.from(text, 'utf16le').toString('hex'),
  Buffer.from(text, 'utf8').toString('hex'),
]

/** A ciphertext as a page makes one. */
function encrypted(text: string): string {
  const cipher = createCipheriv('aes-256-cbc', randomBytes(32), randomBytes(16))
  return Buffer.concat([randomBytes(57), cipher.update(text, 'utf8'), cipher.final()]).toString('base64')
}

describe('what the service keeps of a secure contact', () => {
  it('ENC-130 nothing of what a party has sealed stands in the store or in the files', async () => {
    const { visitor, agent, id: contact } = await agreed()
    const canaries = Array.from({ length: 12 }, (_, index) => `canary "${index}" ü ${randomUUID()}`)
    const seal = sealOf(KEY)
    const [text, url, desc, code, args, meta, reason, frame, name, about, reference, bytes] = canaries.map(
      (canary) => ({ canary, ciphertext: encrypted(canary) }),
    ) as { canary: string; ciphertext: string }[]
    const sent: readonly (readonly [string, object])[] = [
      ['text', { text: text?.ciphertext, encrypted: ['text'], seal }],
      ['link', { url: url?.ciphertext, desc: desc?.ciphertext, encrypted: ['url', 'desc'], seal }],
      ['action', { code: code?.ciphertext, args: args?.ciphertext, encrypted: ['code', 'args'], seal }],
      ['file', { file: 'f-1', meta: meta?.ciphertext, encrypted: ['meta'], seal }],
      ['reject', { ref: 1, reason: reason?.ciphertext, encrypted: ['reason'], seal }],
    ]
    for (const [type, body] of sent) await write(visitor, type, body)
    await visitor.client.call('relay.send', {
      ...{ contact, session: visitor.session.id, to: agent.session.id },
      frame: { n: 1, ack: 0, kind: 'rpc', body: frame?.ciphertext ?? '' },
    })
    // A page should not say these at all: the service keeps none of them.
    const careless = {
      name: name?.canary ?? '',
      desc: about?.canary ?? '',
      referenceId: reference?.canary ?? '',
    }
    const content = Uint8Array.from(Buffer.from(bytes?.ciphertext ?? '', 'base64'))
    const id = await sendFile(test.url, visitor, content, careless)
    const stored = await everything()
    const file = (await readFile(join(test.options.files.folder, id))).toString('latin1')
    for (const one of [text, url, desc, code, args, meta, reason]) expect(stored).toContain(one?.ciphertext)
    for (const canary of canaries)
      for (const form of formsOf(canary)) {
        expect(stored).not.toContain(form)
        expect(file).not.toContain(form)
      }
  })

  it('ENC-131 a sealed body stands in the store as it came, byte for byte', async () => {
    const { visitor, id } = await agreed()
    for (const [type, body] of Object.entries(sealedBodies(KEY))) {
      const newer = { ...body, newer: { more: [1, 'ü'] } }
      expect(await bodyOf(id, await write(visitor, type, newer))).toBe(JSON.stringify(newer))
    }
  })

  it('ENC-132 a file is octets without a name and is not looked into, whatever its first bytes and the allowed types', async () => {
    const secure = await joinBoth(test, { secure: true })
    const plain = await joinBoth(test)
    const asked = { name: 'secret.png', mimetype: 'image/png', desc: 'a secret', referenceId: 'r' }
    const meta = async ({ visitor, agent, id: contact }: typeof plain): Promise<unknown> => {
      const id = await sendFile(test.url, visitor, PNG, asked)
      const { body } = await agent.client.entry(contact, 'attachment', (entry) => entry.id === id)
      const { originalName, mimetype, desc, referenceId, width, size } = body
      return { originalName, mimetype, desc, referenceId, width, size }
    }
    const { size } = { size: PNG.length }
    expect(await meta(plain)).toEqual({
      ...{ originalName: 'secret.png', mimetype: 'image/png', desc: 'a secret', referenceId: 'r' },
      ...{ width: 1, size },
    })
    expect(await meta(secure)).toEqual({
      originalName: 'file',
      mimetype: 'application/octet-stream',
      size,
    })
    await expect(announce(plain.visitor, { size: 1 })).rejects.toMatchObject({ code: 'not_supported' })
    expect(await announce(secure.visitor, { size: 1 })).toMatchObject({ state: 'open' })
  })

  it('ENC-133 a secure contact has no telephone, and none rings for it, whatever its parties agree on', async () => {
    const data = [
      { name: 'call', data: [{ name: 'n', type: 'phone', value: '+4930123456', visible: false }] },
    ]
    const request = { data: data as never }
    const phone = { Voice: { tx: true, rx: true, via: 'pstn', engine: 'Native' } }
    const call = async (
      { visitor, agent }: Awaited<ReturnType<typeof joinBoth>>,
      more: object,
    ): Promise<void> => {
      const offer = { Voice: { tx: 'required', rx: 'required', via: 'pstn', engine: 'Native' } }
      const ref = await write(visitor, 'offer', { offer, restore: false, ...more })
      await write(agent, 'answer', { ref, answer: phone, ...more })
    }
    const secure = await joinBoth(test, { ...request, secure: true })
    const { keyCommit, keyShare, keyReveal } = agreement(KEY)
    const commit = await write(secure.visitor, 'keyCommit', keyCommit)
    await write(
      secure.visitor,
      'keyReveal',
      keyReveal(await write(secure.agent, 'keyShare', keyShare(commit))),
    )
    await call(secure, { seal: sealOf(KEY) })
    const plain = await joinBoth(test, request)
    await call(plain, {})
    await expect.poll(() => network.dialled.map(({ contact }) => contact)).toEqual([plain.id])
    const records = [secure, plain].map(async ({ visitor, id }) => {
      const { record } = await visitor.client.call('contact.read', { contact: id })
      return record.telephone
    })
    expect(await Promise.all(records)).toEqual([undefined, true])
  })

  it('ENC-134 the stored fold knows the key, also when it is read again; one of an earlier version has no part for it', async () => {
    const { visitor, id } = await agreed()
    const { pool } = test.service.database
    const keysOf = async (contact: string): Promise<unknown> => {
      const read = await test.service.database.db
        .selectFrom('contacts')
        .select('state')
        .where('id', '=', contact)
        .executeTakeFirstOrThrow()
      return (JSON.parse(read.state) as { readonly keys?: unknown }).keys
    }
    expect(await keysOf(id)).toMatchObject({ name: expect.any(String) as string })
    const plain = await queueVisitor(test)
    expect(await keysOf(plain.id)).toBeNull()
    await pool.query(`update contacts set state = (state::jsonb - 'keys')::text where id = $1`, [plain.id])
    await write(plain, 'text', sealedBodies(KEY).text)
    expect((await plain.client.call('contact.read', { contact: plain.id })).record.transcript.messages).toBe(
      1,
    )
    expect((await visitor.client.call('contact.read', { contact: id })).record.secure).toBe(true)
  })

  it('ENC-620 a message that is written again under the next key counts once, in the record and in lists', async () => {
    const { visitor, id } = await agreed()
    await write(visitor, 'text', sealedBodies(keyId(2)).text)
    await write(visitor, 'text', sealedBodies(KEY).text)
    const { record } = await visitor.client.call('contact.read', { contact: id })
    expect(record.transcript.messages).toBe(1)
    await visitor.client.call('contact.leave', { contact: id, session: visitor.session.id })
    const { contacts } = await visitor.client.call('contact.list', {})
    expect(contacts).toMatchObject([{ id, messages: 1 }])
    const all = await new BackEndReader(test.service.database.db).list({ limit: 100 })
    expect(all.contacts.find((one) => one.id === id)?.messages).toBe(1)
  })
})
