import { randomUUID } from 'node:crypto'
import { readOptions } from '../../service/src/options.ts'
import type { Options } from '../../service/src/options.ts'
import { startService } from '../../service/src/start-service.ts'
import type { ServiceWorld } from '../../service/src/service-world.ts'
import type { RunningService } from '../../service/src/start-service.ts'
import { ManualClock } from './manual-clock.ts'
import { copyStore } from './prepared-store.ts'
import { temporaryData } from './temporary-data.ts'
import { WireClient } from './wire-client.ts'

/** What is to be other than the standard: some options, or all of them made from the standard ones. */
type Changes = Partial<Options> | ((standard: Options) => Options)

/** Options of a service on a free port, with changes. */
export function testOptions(data: string, changes: Changes = {}, args: readonly string[] = []): Options {
  const options = readOptions(
    ['--port', '0', '--data', data, '--log-level', process.env['DUOLOG_LOG_LEVEL'] ?? 'silent', ...args],
    {},
  )
  if (!options) throw new Error('the options ask for help')
  return typeof changes === 'function' ? changes(options) : { ...options, ...changes }
}

export interface TestService {
  readonly service: RunningService
  readonly options: Options
  readonly clock: ManualClock
  readonly url: string
  visitor(): Promise<WireClient>
  /** Another connection of the same visitor. */
  visitorAgain(client: WireClient): Promise<WireClient>
  agent(nick?: string): Promise<WireClient>
  /** Closes all clients, stops the service and removes its data. */
  close(): Promise<void>
}

/**
 * A real service in this process, on a free port, with a database of its own and a clock that stands still.
 */
export async function startTestService(
  changes: Changes = {},
  world: ServiceWorld = {},
): Promise<TestService> {
  const data = temporaryData()
  const clock = new ManualClock()
  const options = testOptions(data.folder, changes)
  if (options.databaseUrl === null && options.data === data.folder) copyStore(data.folder)
  const service = await startService(options, { clock, ...world })
  const clients: WireClient[] = []
  const connect = async (token: string): Promise<WireClient> => {
    const client = await WireClient.connect(service.url, token)
    clients.push(client)
    return client
  }
  return {
    service,
    options,
    clock,
    url: service.url,
    visitor: async () => connect((await signInVisitor(service.url)).token),
    visitorAgain: (client) => connect(client.token),
    agent: async (nick = `Agent ${randomUUID().slice(0, 8)}`) =>
      connect((await signInAgent(service.url, nick)).token),
    close: async () => {
      for (const client of clients) client.close()
      await service.stop()
      data.remove()
    },
  }
}

export interface VisitorTokens {
  readonly visitor: string
  readonly token: string
  readonly expiresInMs: number
  readonly refresh: string
}

export const signInVisitor = (url: string, headers: Record<string, string> = {}): Promise<VisitorTokens> =>
  post<VisitorTokens>(`${url}/v1/visitors`, {}, headers)

export const signInAgent = (
  url: string,
  nick: string,
): Promise<{ readonly token: string; readonly agent: { readonly id: string; readonly nick: string } }> =>
  post(`${url}/v1/dev/agents`, { nick })

/** The status of the answer to who brings an identity of the site. */
export const identify = async (url: string, identity: string): Promise<number> =>
  (await send(`${url}/v1/visitors/identify`, { identity })).status

const send = (url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

async function post<T>(url: string, body: unknown, headers?: Record<string, string>): Promise<T> {
  const response = await send(url, body, headers)
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as T
}
