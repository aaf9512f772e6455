import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { existsSync, readFileSync } from 'node:fs'
import { pageHeaders } from './page-policy.ts'
import type { PageRules } from './page-policy.ts'

/** Folders that the service serves. */
export interface PageFolders {
  readonly sdk: string
  readonly visitor: string
  readonly agent: string
  /** Null: not served. */
  readonly inspector: string | null
}

const INDEX = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Duolog</title>
<body><h1>Duolog</h1><ul><li><a href="/visitor/">Visitor's page</a></li><li><a href="/agent/">Agent's console</a></li><li><a href="/sdk/duolog.js">SDK</a></li></ul></body></html>
`

/** What the build has compressed stands beside the file. */
const COMPRESSED = /\.(?:br|gz)$/
/** The name changes with the content. */
const HASHED = /-[0-9A-Z]{8}\.js$/

/** The SDK and the widget for every page of the world, the two pages to try it with, and in local use the inspector. */
export async function pageRoutes(
  app: FastifyInstance,
  folders: PageFolders,
  console: PageRules,
): Promise<void> {
  app.get('/', async (_request, reply) =>
    reply.headers(pageHeaders(INDEX)).type('text/html; charset=utf-8').send(INDEX),
  )
  await folder(app, { prefix: '/sdk/', root: folders.sdk, isPublic: true })
  app.get('/widget.js', async (_request, reply) =>
    existsSync(`${folders.sdk}/widget.js`) ? reply.sendFile('widget.js') : notBuilt(reply),
  )
  await folder(app, { prefix: '/visitor/', root: folders.visitor, isPublic: false })
  await folder(app, { prefix: '/agent/', root: folders.agent, isPublic: false, rules: console })
  if (folders.inspector !== null)
    await folder(app, { prefix: '/inspector/', root: folders.inspector, isPublic: false })
}

const notBuilt = (reply: FastifyReply): FastifyReply =>
  reply.status(404).type('text/plain; charset=utf-8').send('Not built yet: run the build first.\n')

interface Folder {
  readonly prefix: string
  readonly root: string
  readonly isPublic: boolean
  readonly rules?: PageRules
}

async function folder(app: FastifyInstance, { prefix, root, isPublic, rules }: Folder): Promise<void> {
  if (!existsSync(root)) {
    app.get(`${prefix}*`, async (_request, reply) => notBuilt(reply))
    return
  }
  await app.register(fastifyStatic, {
    root,
    prefix,
    // Only one folder may: its files can be sent under other addresses too.
    decorateReply: isPublic,
    redirect: true,
    cacheControl: false,
    preCompressed: true,
    setHeaders: (response, served) => {
      const path = served.replace(COMPRESSED, '')
      response.header('cache-control', HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache')
      if (path.endsWith('.html'))
        for (const [name, value] of Object.entries(pageHeaders(readFileSync(path, 'utf8'), rules)))
          response.header(name, value)
      response.header('x-content-type-options', 'nosniff')
      if (!isPublic) return
      response.header('access-control-allow-origin', '*')
      response.header('cross-origin-resource-policy', 'cross-origin')
    },
  })
}
