import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Server } from '@tus/server'
import type { OriginRule } from '../auth/origins.ts'
import { ContactError } from '../../../protocol/index.ts'
import { errorBody, statusOf } from '../http/errors.ts'
import { storeError } from '../store/database.ts'
import type { AttachmentService } from './attachment-service.ts'

export interface UploadParts {
  readonly attachments: AttachmentService
  readonly origins: OriginRule
  readonly onFault: (thrown: unknown) => void
}

interface Params {
  readonly Params: { readonly id: string }
}

const bearerOf = (request: Request): string =>
  /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? ''

/**
 * Uploads by tus (1.0.0, core and termination). They are announced by the call `attachment.open`; the token
 * that it gives opens one of them.
 */
export async function uploadRoutes(app: FastifyInstance, parts: UploadParts): Promise<void> {
  const { origins } = parts
  const tus = tusServer(parts)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.route<Params>({
    method: ['OPTIONS', 'HEAD', 'PATCH', 'DELETE'],
    url: '/uploads/:id',
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      if (!origins.allowsRequest(request.headers))
        throw new ContactError('forbidden', 'unable to take the file; this origin is not allowed')
      await handleUpload(request, reply, tus)
    },
  })
}

async function handleUpload(request: FastifyRequest, reply: FastifyReply, tus: Server): Promise<void> {
  reply.hijack()
  reply.raw.setHeader('x-content-type-options', 'nosniff')
  reply.raw.setHeader('cache-control', 'no-store')
  await tus.handle(request.raw, reply.raw)
}

function tusServer({ attachments, origins, onFault }: UploadParts): Server {
  return new Server({
    path: '/v1/uploads',
    datastore: attachments.files,
    locker: attachments.locks,
    relativeLocation: true,
    disableTerminationForFinishedUploads: true,
    allowedOrigins: (origin) => origins.allows(origin),
    onIncomingRequest: (request, id) => attachments.checkUpload(id, bearerOf(request)),
    onUploadFinish: async (_request, upload) => {
      await attachments.finish(upload.id)
      return {}
    },
    onResponseError: (_request, thrown) => {
      if (isTusRefusal(thrown)) return thrown
      const error = storeError(thrown)
      if (error.code === 'internal') onFault(thrown)
      return {
        status_code: statusOf(error),
        body: JSON.stringify(errorBody(error)),
      }
    },
  })
}

const isTusRefusal = (thrown: object): thrown is { status_code: number; body: string } =>
  'status_code' in thrown && 'body' in thrown
