/** PostgreSQL, nginx and coturn by Debian, each with the project's own file of `deploy/`, in one folder. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { NewFolder } from './new-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(root, 'docs/deploy.md'), 'utf8')

/** A text that stands in docs/deploy.md word for word. */
export function written(text: string): string {
  if (!page.includes(text)) throw new Error(`docs/deploy.md does not say: ${text}`)
  return text
}

/** Each `from` becomes `to`; one that is not there is a fault. */
export function adapted(text: string, changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`not there: ${from}`)
    return before.replaceAll(from, to)
  }, text)
}

/** Runs as somebody else where this user is root, as the packages of Debian do. */
export const asUser = (user: string, line: string): string =>
  process.getuid?.() === 0 ? `runuser -u ${user} -- sh -c '${line.replaceAll(`'`, `'"'"'`)}'` : line

/** A cluster of PostgreSQL, as Debian's package makes one. `sql` runs a line as its administrator. */
export async function startPostgres(folder: NewFolder, port: number): Promise<(line: string) => string> {
  const data = join(folder.path, 'pg')
  const bin = (process.env['DUOLOG_PG_CTL'] ?? 'pg_ctl').replace(/pg_ctl$/, '')
  folder.run(`mkdir ${data} && ${process.getuid?.() === 0 ? `chown postgres ${data}` : 'true'}`)
  folder.run(
    asUser(
      'postgres',
      `${bin}initdb --pgdata=${data} --auth-local=trust --auth-host=scram-sha-256 --no-sync`,
    ),
  )
  await folder.start(
    `exec ${asUser('postgres', `exec ${bin}postgres -D ${data} -p ${port} -c unix_socket_directories=${data}`)}`,
    /ready to accept connections/,
  )
  return (line) => folder.run(asUser('postgres', line.replace('psql', `psql -h ${data} -p ${port}`)))
}

/** nginx with the project's site, and `others` beside it. */
export async function startNginx(folder: NewFolder, site: string, others: string): Promise<void> {
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder.path}/nginx-${name};`,
  )
  folder.write('sites-available/duolog', site)
  folder.write(
    'nginx.conf',
    [
      `pid ${folder.path}/nginx.pid;`,
      'daemon off;',
      'error_log stderr notice;',
      ...(process.getuid?.() === 0 ? ['user www-data;'] : []),
      'events {}',
      'http {',
      'access_log off;',
      ...places,
      `include ${folder.path}/sites-available/duolog;`,
      others,
      '}\n',
    ].join('\n'),
  )
  const nginx = process.env['DUOLOG_NGINX'] ?? 'nginx'
  folder.run(`${nginx} -t -c ${folder.path}/nginx.conf`)
  await folder.start(`exec ${nginx} -c ${folder.path}/nginx.conf`, /start worker process /)
}

/** coturn with this configuration. */
export async function startTurn(folder: NewFolder, configuration: string): Promise<{ output(): string }> {
  folder.write('turnserver.conf', configuration)
  return folder.start(
    `exec ${process.env['DUOLOG_TURNSERVER'] ?? 'turnserver'} -v -c ${folder.path}/turnserver.conf --pidfile=${folder.path}/turn.pid --userdb=${folder.path}/turn.users`,
    /Total General servers/,
  )
}

/** A certificate of these names. */
export function makeCertificate(folder: NewFolder, names: readonly string[]): void {
  folder.run(
    `openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=walk -keyout privkey.pem -out fullchain.pem -addext subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`,
  )
}
