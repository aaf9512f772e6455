import fastify from 'fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isName } from '../../../protocol/index.ts'
import { downloadRoutes, uploadRoutes } from '../attachments/index.ts'
import type { AttachmentService } from '../attachments/index.ts'
import type { Audit } from '../audit.ts'
import { adminRoutes } from './admin.ts'
import type { AdminParts } from './admin.ts'
import { answerError, answerMissing } from './errors.ts'
import { askerOf } from './askers.ts'
import { backEndRoutes } from './back-end.ts'
import type { BackEndParts } from './back-end.ts'
import { OPENAPI } from './openapi.ts'
import { pageRoutes } from './pages.ts'
import type { PageRules } from './page-policy.ts'
import type { PageFolders } from './pages.ts'
import type { Say } from '../report.ts'
import { signInRoutes } from './sign-in.ts'
import type { SignInParts } from './sign-in.ts'

export interface HttpParts extends SignInParts, AdminParts, BackEndParts {
  readonly folders: PageFolders
  readonly attachments: AttachmentService
  readonly audit: Audit
  readonly proxies: number
  /** More are closed at once: those that are open go on. */
  readonly maxConnections: number
  /** Whether the service can do its work; throws or gives false where it cannot. */
  readonly isReady: () => Promise<boolean>
  readonly debug: Say
  readonly onFault: (thrown: unknown) => void
}

const BODY_BYTES = 65_536
/**
 * Connections that take longer to say what they want are ended; looked at this often. Bodies have limits of
 * their own.
 */
const PATIENCE = { headersTimeout: 10_000, connectionsCheckingInterval: 2_000, maxHeaderSize: 16_384 }

/** Routes that give nobody anything. */
const OPEN_ROUTES: ReadonlySet<string> = new Set(['/v1/openapi.json', '/v1/avatars/:file'])

/** By its route, never its address: that may hold a token. */
function noteRequest({ audit, debug }: HttpParts, request: FastifyRequest, reply: FastifyReply): void {
  const {
    method,
    params,
    routeOptions: { url = '' },
  } = request
  const status = reply.raw.statusCode
  if (status >= 400) debug('a request is refused', { method, route: url, status })
  if (!url.startsWith('/v1/') || OPEN_ROUTES.has(url) || method === 'OPTIONS') return
  const isAdmin = url.startsWith('/v1/admin/') && status !== 401
  const { contact } = Object(params) as { readonly contact?: unknown }
  audit({
    who: isAdmin ? 'admin' : askerOf(request),
    action: `${method} ${url}`,
    ...(isName(contact) && { contact }),
    result: status < 400 ? 'ok' : String(status),
  })
}

/** The console talks to the provider, which may be on this machine. */
const consoleRules = ({ consoleParents: parents, provider }: HttpParts): PageRules => ({
  parents,
  connect: provider?.client ? [new URL(provider.issuer).origin] : [],
})

/** The HTTP side of the service. Socket.IO shares its server. */
export async function httpServer(parts: HttpParts): Promise<FastifyInstance> {
  const trustProxy = (_address: string, hop: number): boolean => hop < parts.proxies
  const failed = answerError(parts.onFault)
  const app = fastify({
    logger: false,
    bodyLimit: BODY_BYTES,
    trustProxy,
    forceCloseConnections: true,
    http: PATIENCE,
    return503OnClosing: true,
    frameworkErrors: failed,
  })
  app.server.maxConnections = parts.maxConnections
  app.setErrorHandler(failed)
  app.setNotFoundHandler(answerMissing)
  app.addHook('onSend', async (_request, reply) => {
    reply.header('x-content-type-options', 'nosniff')
  })
  app.addHook('onResponse', async (request, reply) => noteRequest(parts, request, reply))
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/v1/openapi.json', async () => OPENAPI)
  app.get('/readyz', async (_request, reply) => {
    const ready = await parts.isReady().catch(() => false)
    return reply.status(ready ? 200 : 503).send({ status: ready ? 'ok' : 'not ready' })
  })
  await app.register(async (scope) => signInRoutes(scope, parts), { prefix: '/v1' })
  await app.register(async (scope) => uploadRoutes(scope, parts), { prefix: '/v1' })
  await app.register(async (scope) => downloadRoutes(scope, parts), { prefix: '/v1' })
  await app.register(async (scope) => backEndRoutes(scope, parts), { prefix: '/v1' })
  await app.register(async (scope) => adminRoutes(scope, parts))
  await app.register(async (scope) => pageRoutes(scope, parts.folders, consoleRules(parts)))
  await app.ready()
  return app
}
