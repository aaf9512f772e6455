/** `npm run cluster`: several nodes on one machine, for a developer who wants to see them work. */
import { tmpdir } from 'node:os'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Deployment } from './deployment.ts'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    nodes: { type: 'string', default: '3' },
    port: { type: 'string', default: '8090' },
    data: { type: 'string' },
  },
})

const folder = values.data ?? mkdtempSync(join(tmpdir(), 'duolog-cluster-'))
chmodSync(folder, 0o755)
const ending = new Promise<void>((settle) => {
  process.once('SIGINT', () => settle())
  process.once('SIGTERM', () => settle())
})

const all = await Deployment.start({
  folder,
  service: process.argv[2] ?? '',
  nodes: Number(values.nodes),
  port: Number(values.port),
})
const lines = [
  `Load balancer         ${all.url}`,
  `Visitor's demo page   ${all.url}/visitor/`,
  `Sign in as an agent   ${all.url}/agent/?nick=Ada`,
  ...all.nodes.map(
    ({ name, port, program }) =>
      `${name.padEnd(21)} http://127.0.0.1:${port}  /readyz /metrics  (process ${program.pid})`,
  ),
  `PostgreSQL            ${all.postgres.url}  (process ${all.postgres.pid})`,
  `NATS                  ${all.natsUrl}  (process ${all.nats.pid})`,
  `Logs and data         ${folder}`,
  'Kill a node, stop it, cut it off: pages go on with another one. Ctrl-C ends all.',
]
process.stdout.write(`${lines.join('\n')}\n`)
await ending
await all.stop()
if (values.data === undefined) rmSync(folder, { recursive: true, force: true })
