/** A folder of built pages, served as any web server does. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import type { ServedPage } from './chromium.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
}

/** The file of an address; null where there is none. */
export function fileOf(folder: string, address: string): string | null {
  const path = join(folder, decodeURIComponent(address.replace(/[?#].*$/, '')))
  const found = path.endsWith('/') ? `${path}index.html` : path
  return existsSync(found) && statSync(found).isFile() ? found : null
}

export async function serveFolder(folder: string): Promise<ServedPage> {
  const server = createServer(({ url = '/' }, response) => {
    const file = fileOf(folder, url)
    if (file === null) response.writeHead(404).end()
    else
      response
        .writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain; charset=utf-8' })
        .end(readFileSync(file))
  })
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle))
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((settle) => server.close(settle))
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close }
}
