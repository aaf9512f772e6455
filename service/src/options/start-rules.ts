import { StartError } from '../start-error.ts'
import type { Options } from './options.types.ts'

/** Shorter ones are guessed or left over from development. */
const SECRET_LENGTH = 16
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '::1'])

/** Whether `host:port` is on this machine. */
const isLoopback = (server: string): boolean =>
  LOOPBACK.has(new URL(`nats://${server}`).hostname.replace(/^\[|\]$/g, ''))

/** Refuses options with which the service must not start. @throws {@link StartError} */
export function checkOptions(options: Options): Options {
  if (options.mode === 'local') checkLocal(options)
  else checkProduction(options)
  return options
}

function checkLocal({ provider, openSignIn, host }: Options): void {
  if (provider === null && !openSignIn && !LOOPBACK.has(host))
    throw new StartError(
      `unable to start; anyone who reaches ${host} could sign in as an agent: use --mode production, or --open-sign-in where that is wanted`,
    )
}

/** In production, defaults that are convenient on one machine are refused. */
function checkProduction(options: Options): void {
  if (options.provider === null)
    throw new StartError(
      "unable to start in production; agents' tokens need --agent-jwks, --agent-issuer and --agent-audience",
    )
  if (options.origins.length === 0)
    throw new StartError(
      'unable to start in production; give the pages that may use the service with --origin',
    )
  const insecure = [...options.origins, ...options.consoleParents].find(
    (each) => !each.startsWith('https://'),
  )
  if (insecure !== undefined)
    throw new StartError(`unable to start in production; the origin ${insecure} is not https`)
  const { turn, turnSecret } = options.ice
  if (turn.length > 0 && (turnSecret === null || turnSecret.length < SECRET_LENGTH))
    throw new StartError(
      `unable to start in production; --turn-secret must have at least ${SECRET_LENGTH} characters`,
    )
  if (options.bus && !options.bus.tls && !options.bus.servers.every(isLoopback))
    throw new StartError('unable to start in production; --bus must be tls://, except on this machine')
  const endpoint = options.files.s3?.endpoint ?? null
  if (endpoint?.startsWith('http:') && !isLoopback(new URL(endpoint).host))
    throw new StartError(
      'unable to start in production; the endpoint of --files must be https, except on this machine',
    )
  if (options.adminToken !== null && options.adminToken.length < SECRET_LENGTH)
    throw new StartError(
      `unable to start in production; --admin-token must have at least ${SECRET_LENGTH} characters`,
    )
}
