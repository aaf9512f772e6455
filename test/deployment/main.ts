/** `npm run cluster`: several nodes on one machine, for a developer who wants to see them work. */
import { rmSync } from 'node:fs'
import { Deployment } from './deployment.ts'
import { clusterOptions, deploymentFolder, optionsOrExit } from './options.ts'

const { nodes, port, data } = optionsOrExit(() => clusterOptions(process.argv.slice(3)))
const folder = deploymentFolder(data, 'cluster')
const ending = new Promise<void>((settle) => {
  process.once('SIGINT', () => settle())
  process.once('SIGTERM', () => settle())
})

const all = await Deployment.start({
  ...{ folder, nodes, port },
  service: process.argv[2] ?? '',
})
const lines = [
  `Load balancer         ${all.url}`,
  `Visitor's demo page   ${all.url}/visitor/`,
  `Sign in as an agent   ${all.url}/agent/?nick=Ada`,
  ...all.nodes.map(
    ({ name, port: own, program }) =>
      `${name.padEnd(21)} http://127.0.0.1:${own}  /readyz /metrics  (process ${program.pid})`,
  ),
  `PostgreSQL            ${all.postgres.url}  (process ${all.postgres.pid})`,
  `NATS                  ${all.natsUrl}  (process ${all.nats.pid})`,
  `Logs and data         ${folder}`,
  'Kill a node, stop it, cut it off: pages go on with another one. Ctrl-C ends all.',
]
process.stdout.write(`${lines.join('\n')}\n`)
await ending
await all.stop()
if (data === undefined) rmSync(folder, { recursive: true, force: true })
