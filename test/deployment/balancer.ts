/** HAProxy in front of the nodes, as docs/cluster.md says. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Program } from './program.ts'

export interface BalancerParts {
  readonly folder: string
  readonly port: number
  /** By default on this machine. */
  readonly nodes: readonly { readonly name: string; readonly port: number; readonly address?: string }[]
}

/** Who is asked for `/readyz` each second, and gets nobody new after one answer that is not 200. */
export const balancerConfig = ({ port, nodes }: Omit<BalancerParts, 'folder'>): string =>
  [
    'defaults',
    '  mode http',
    '  timeout connect 2s',
    '  timeout client 60s',
    '  timeout server 60s',
    '  timeout tunnel 1h',
    '  timeout http-request 15s',
    '  option forwardfor',
    '  option redispatch 1',
    '  retries 2',
    'frontend pages',
    `  bind 127.0.0.1:${port}`,
    '  default_backend nodes',
    'backend nodes',
    '  balance leastconn',
    '  option httpchk GET /readyz',
    '  default-server check inter 1s fall 1 rise 1',
    ...nodes.map(({ name, port: at, address = '127.0.0.1' }) => `  server ${name} ${address}:${at}`),
    '',
  ].join('\n')

/** Path of the program: `DUOLOG_HAPROXY`, or Debian's. */
const haproxy = (): string => process.env['DUOLOG_HAPROXY'] ?? '/usr/sbin/haproxy'

export async function startBalancer({ folder, port, nodes }: BalancerParts): Promise<Program> {
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, balancerConfig({ port, nodes }))
  const program = new Program({
    command: haproxy(),
    args: ['-db', '-f', file],
    log: join(folder, 'haproxy.log'),
  })
  await program.ready(async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok)
  return program
}
