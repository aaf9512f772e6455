/** A page in a contact: does what people and their applications do, and notes all that it does and sees. */
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Contact } from '../../sdk/index.ts'
import { codeOf } from './notes.ts'
import type { Notes } from './notes.ts'
import type { Random } from './random.ts'

type Channel = Awaited<ReturnType<Contact['getDataChannel']>>

const REQUEST_MS = 5_000
const RETRIES = 2
const BURST = 5
const FILE_BYTES = 40_000
const FILE_MS = 120_000

/** JSON with the members of objects in the order of their names. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

export class Talker {
  readonly page: string
  readonly contact: Contact
  readonly #notes: Notes
  readonly #random: Random
  #texts = 0
  #requests = 0
  #streams = 0
  /** This page's end of the data channel, its name in the notes, and how many messages have gone out. */
  #stream: { readonly channel: Channel; readonly stream: string; n: number } | null = null
  #isOver = false
  /** Texts that are not answered yet. */
  readonly #waiting = new Set<Promise<void>>()
  #lastRead: string | null = null
  #onRead: () => void = () => {}
  /** The contact that the events are of: `contact.id` is ahead of them after a transfer. */
  #told: string

  constructor(contact: Contact, notes: Notes, random: Random) {
    this.contact = contact
    this.#notes = notes
    this.#random = random
    this.page = notes.page()
    this.#told = contact.id
    notes.note(this.page, { what: 'opened', role: contact.role, contact: contact.id })
    this.#listen()
  }

  get isOver(): boolean {
    return this.#isOver
  }

  get hasEntered(): boolean {
    return this.#texts > 0
  }

  /** Something that a person may do. */
  act(): void {
    const dice = this.#random()
    if (dice < 0.86) this.say()
    else if (dice < 0.92) void this.#ask()
    else if (dice < 0.985) void this.#send()
    else void this.#attach()
  }

  /** Its first text names its session in the store, so each page writes one when it has entered. */
  say(): void {
    this.#texts += 1
    const text = `${this.page}#${this.#texts}`
    this.#note({ what: 'send', contact: this.contact.id, text })
    const answered: Promise<void> = this.contact
      .sendText(text)
      .then(
        (id) => this.#note({ what: 'stored', text, id }),
        (thrown: unknown) => this.#note({ what: 'refused', text, code: codeOf(thrown) }),
      )
      .finally(() => this.#waiting.delete(answered))
    this.#waiting.add(answered)
  }

  async answered(): Promise<void> {
    if (!this.#isOver) await Promise.all(this.#waiting)
  }

  /** Resolves when the page has read the last text of its contact. */
  async hasRead(last: Readonly<Record<string, string>>): Promise<void> {
    await new Promise<void>((settle) => {
      this.#onRead = () => {
        const wanted = last[this.#told]
        if (this.#isOver || !this.hasEntered || wanted === undefined || wanted === this.#lastRead) settle()
      }
      this.#onRead()
    })
  }

  /** What the page knows when nothing is disturbed any more. */
  async conclude(): Promise<void> {
    if (this.#isOver || !this.hasEntered) return
    const { contact } = this
    const texts: string[] = []
    try {
      for await (const message of contact.transcript())
        if (message.type === 'text' && message.contact === contact.id) texts.unshift(message.text)
      const [own, remote] = [await contact.getLocalCapabilities(), await contact.getRemoteCapabilities()]
      if (this.#stream) this.#note({ what: 'stream', stream: this.#stream.stream, n: this.#stream.n })
      const final = { texts, own: canonical(own), remote: canonical(remote) }
      this.#note({ what: 'final', contact: contact.id, ...final })
    } catch (thrown) {
      this.#note({ what: 'failed', doing: 'conclude', code: codeOf(thrown) })
    }
  }

  /** The page is unloaded. */
  close(): void {
    if (!this.#isOver) this.#note({ what: 'closed' })
    this.#isOver = true
  }

  async leave(): Promise<void> {
    this.#note({ what: 'leaves', contact: this.contact.id })
    this.#isOver = true
    await this.contact.leave()
  }

  #note(seen: Parameters<Notes['note']>[1]): void {
    this.#notes.note(this.page, seen)
  }

  #listen(): void {
    const { contact } = this
    const read = ({ text }: { readonly text: string }): void => {
      this.#note({ what: 'read', contact: this.#told, text })
      this.#lastRead = text
      this.#onRead()
    }
    contact.on('text', read)
    contact.on('localtext', read)
    const over = (): void => {
      this.#isOver = true
      this.#onRead()
    }
    contact.on('cleared', over)
    contact.on('localleft', over)
    contact.on('transferred', ({ to }) => {
      this.#stream = null
      if (contact.role === 'agent') this.#isOver = true
      else this.#told = to.toId
    })
    contact.on('Add', (data, callback) => {
      this.#note({ what: 'ran', key: JSON.stringify(data) })
      callback(null, data)
    })
    contact.on('datachannel', (channel) => this.#hear(channel))
    contact.on('attachment', ({ meta, agent }) => {
      if (agent !== (contact.role === 'agent')) void this.#open(meta.id)
    })
    contact.on('error', ({ code }) => this.#note({ what: 'failed', doing: 'contact', code }))
  }

  async #ask(): Promise<void> {
    this.#requests += 1
    const name = `${this.page}?${this.#requests}`
    const key = JSON.stringify(name)
    this.#note({ what: 'asked', key })
    const code = await this.contact.request('Add', name, REQUEST_MS, RETRIES).then(() => null, codeOf)
    this.#note({ what: 'answered', key, code })
  }

  #hear(channel: Channel): void {
    this.#streams += 1
    const own = { channel, stream: `${this.page}~${this.#streams}`, n: 0 }
    this.#stream = own
    channel.on('data', ({ data }) => {
      const { stream, n } = data as { stream: string; n: number }
      this.#note({ what: 'framed', stream, n })
    })
    channel.on('close', () => {
      if (this.#stream === own) this.#stream = null
    })
  }

  async #send(): Promise<void> {
    try {
      if (!this.#stream) await this.contact.getDataChannel('flow', 'sio')
      for (let sent = 0; this.#stream && sent < BURST; sent += 1) {
        const own = this.#stream
        own.n += 1
        await own.channel.send({ stream: own.stream, n: own.n })
      }
    } catch (thrown) {
      this.#stream = null
      this.#note({ what: 'failed', doing: 'stream', code: codeOf(thrown) })
    }
  }

  async #attach(): Promise<void> {
    const bytes = randomBytes(FILE_BYTES)
    const { contact } = this
    try {
      const { id } = await contact.attach(new File([bytes], 'noise.bin'), null, null, {
        signal: AbortSignal.timeout(FILE_MS),
      })
      this.#note({ what: 'file', contact: contact.id, id, sha256: sha256(bytes) })
    } catch (thrown) {
      this.#note({ what: 'failed', doing: 'attach', code: codeOf(thrown) })
    }
  }

  /** Tried again where the service is away. */
  async #open(id: string): Promise<void> {
    for (let tries = 0; tries < 5 && !this.#isOver; tries += 1) {
      try {
        const blob = await this.contact.openAttachment(id)
        return this.#note({ what: 'opened-file', id, sha256: sha256(await blob.arrayBuffer()) })
      } catch (thrown) {
        this.#note({ what: 'failed', doing: 'open', code: codeOf(thrown) })
        await delay(2_000)
      }
    }
  }
}

const sha256 = (bytes: Buffer | ArrayBuffer): string =>
  createHash('sha256').update(new Uint8Array(bytes)).digest('hex')
