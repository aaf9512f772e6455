/** A service in a process of its own, as it is installed, and parties who are joined. */
import { freePort } from '../../test/support/free-port.ts'
import { ServiceProcess, postmasterOf } from '../../test/support/service-process.ts'
import { signInAgent, signInVisitor } from '../../test/support/service.ts'
import { temporaryData } from '../../test/support/temporary-data.ts'
import { WireClient } from '../../test/support/wire-client.ts'

export interface Ground {
  readonly url: string
  readonly pid: number
  /** Process id of its PostgreSQL; 0 where it has none of its own. */
  readonly storePid: number
  readonly visitor: () => Promise<WireClient>
  readonly agent: (nick?: string) => Promise<WireClient>
  stop(): Promise<void>
}

export async function startGround(...args: readonly string[]): Promise<Ground> {
  const data = temporaryData()
  const port = await freePort()
  const service = await ServiceProcess.start(['--port', String(port), '--data', data.folder, ...args])
  const url = `http://127.0.0.1:${port}`
  let agents = 0
  return {
    url,
    pid: service.child.pid ?? 0,
    storePid: args.includes('--database-url') ? 0 : postmasterOf(data.folder),
    visitor: async () => WireClient.connect(url, (await signInVisitor(url)).token),
    agent: async (nick = `Agent ${(agents += 1)}`) =>
      WireClient.connect(url, (await signInAgent(url, nick)).token),
    stop: async () => {
      await service.stop()
      data.remove()
    },
  }
}
