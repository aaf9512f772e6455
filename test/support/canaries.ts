/** Texts that must appear nowhere but on the two pages, and the search for them. */
import { randomBytes } from 'node:crypto'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { Page } from 'playwright-core'

/** A text that occurs nowhere by chance. The letters beyond ASCII are escaped by some writers of JSON. */
export const canary = (where: string): string => `canary-${where}-${randomBytes(6).toString('hex')}-ä"ö`

/** How a text may stand in bytes: as it is, escaped, in UTF-16, in base64 at each of three places, in hex. */
export function formsOf(text: string): readonly Buffer[] {
  const escaped = Array.from(JSON.stringify(text).slice(1, -1))
    .map((letter) => (letter > '~' ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}` : letter))
    .join('')
  const plain = Buffer.from(text)
  const inBase64 = [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), plain]).toString('base64')
    // Without the letters that the neighbours of the text decide.
    return encoded.slice(shift === 0 ? 0 : shift + 1, -4)
  })
  const texts = [text, JSON.stringify(text).slice(1, -1), escaped, plain.toString('hex'), ...inBase64]
  const wide = Buffer.from(text, 'utf16le')
  return [...new Set(texts)].map((each) => Buffer.from(each)).concat(wide, Buffer.from(wide).swap16())
}

/** Looks for texts in all that it is shown. */
export class CanarySearch {
  readonly found: string[] = []
  #needles: { readonly name: string; readonly forms: readonly Buffer[] }[] = []
  #bytes = 0

  add(text: string): string {
    this.#needles.push({ name: text, forms: formsOf(text) })
    return text
  }

  get count(): number {
    return this.#needles.length
  }

  /** Bytes that it has looked at. */
  get bytes(): number {
    return this.#bytes
  }

  look(where: string, bytes: Buffer): void {
    this.#bytes += bytes.length
    for (const { name, forms } of this.#needles)
      if (forms.some((form) => bytes.includes(form))) this.found.push(`${name} in ${where}`)
  }

  /** Looks at every frame and request of a page from now on. */
  watch(page: Page, name: string): void {
    page.on('websocket', (socket) => {
      const look = ({ payload }: { readonly payload: string | Buffer }): void =>
        this.look(`a frame of ${name}`, Buffer.from(payload))
      socket.on('framesent', look)
      socket.on('framereceived', look)
    })
    page.on('request', (request) => {
      const body = request.postDataBuffer()
      this.look(`a request of ${name}`, Buffer.concat([Buffer.from(request.url()), body ?? Buffer.alloc(0)]))
    })
  }

  /** Looks at every file below a folder. */
  lookInFolder(folder: string): void {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      if (statSync(path).isDirectory()) this.lookInFolder(path)
      else this.look(path, readFileSync(path))
    }
  }

  /** Looks at every row of every table. Returns their number. */
  async lookInDatabase(connection: pg.ClientConfig): Promise<number> {
    const client = new pg.Client(connection)
    await client.connect()
    try {
      const { rows: tables } = await client.query<{ name: string }>(
        "select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')",
      )
      let count = 0
      for (const { name } of tables) {
        const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`)
        count += rows.length
        for (const { row } of rows) this.look(name, Buffer.from(row))
      }
      return count
    } finally {
      await client.end()
    }
  }
}
