import { resolve } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import * as v from 'valibot'
import { ContactError } from '../../../protocol/index.ts'
import type { OriginRule } from '../auth/origins.ts'
import type { AttachmentService } from './attachment-service.ts'
import { contentDisposition } from './content-disposition.ts'

export interface DownloadParts {
  readonly attachments: AttachmentService
  readonly origins: OriginRule
}

const part = v.pipe(v.string(), v.minLength(1), v.maxLength(64))
const querySchema = v.object({ until: v.pipe(part, v.regex(/^\d+$/)), party: part, mac: part })

/** Downloads. Whatever a file holds and is called, no browser runs or shows it as a page. */
export async function downloadRoutes(
  app: FastifyInstance,
  { attachments, origins }: DownloadParts,
): Promise<void> {
  await app.register(fastifyStatic, {
    // Each answer names its folder.
    root: resolve('/'),
    serve: false,
    contentType: false,
    cacheControl: false,
    suppressWarning: true,
  })
  app.get<{ Params: { id: string }; Querystring: unknown }>('/attachments/:id', async (request, reply) => {
    const query = v.safeParse(querySchema, request.query)
    if (!query.success)
      throw new ContactError('not_found', 'unable to give the file; there is nothing at this address')
    const { origin } = request.headers
    if (origins.allows(origin)) reply.header('access-control-allow-origin', origin)
    const { id, name, mimetype } = await attachments.checkDownload(request.params.id, query.output)
    reply.headers({
      'content-type': mimetype,
      'content-disposition': contentDisposition(name),
      'content-security-policy': "sandbox; default-src 'none'",
      'cross-origin-resource-policy': 'same-site',
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer',
      vary: 'origin',
    })
    return attachments.files.storage.send(id, request, reply)
  })
}
