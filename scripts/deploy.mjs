/**
 * `npm run deploy:check`: the files of `deploy/` by the programs that read them, which Debian has. The schemas are a
 * test of `npm test`.
 */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureDeployPrograms } from './programs.mjs'
import { inRoot, run } from './run.mjs'

const folder = await mkdtemp(join(tmpdir(), 'duolog-deploy-'))
const programs = await ensureDeployPrograms()
const made = join(folder, 'certificates')

/** nginx reads its certificates: those of the example are replaced by made ones. */
async function nginx() {
  const site = (await readFile(inRoot('deploy', 'nginx', 'duolog.conf'), 'utf8'))
    .replaceAll(/\/etc\/letsencrypt\/live\/[\w.]+\/fullchain\.pem/g, join(made, 'server.pem'))
    .replaceAll(/\/etc\/letsencrypt\/live\/[\w.]+\/privkey\.pem/g, join(made, 'server.key'))
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const config = join(folder, 'nginx.conf')
  await writeFile(
    config,
    [
      `pid ${folder}/nginx.pid;`,
      'error_log stderr;',
      'events {}',
      'http {',
      'access_log off;',
      ...places,
      site,
      '}\n',
    ].join('\n'),
  )
  return run(programs.nginx, ['-t', '-q', '-c', config])
}

/** The same for NATS. */
async function nats() {
  const config = join(folder, 'nats.conf')
  const text = await readFile(inRoot('deploy', 'nats', 'nats.conf'), 'utf8')
  await writeFile(config, text.replaceAll('"/certificates/', `"${made}/`))
  return run(programs.nats, ['-t', '-c', config], { env: { NATS_PASSWORD: 'any' } })
}

/** systemd wants to see the program that it would start. */
async function systemd() {
  const unit = join(folder, 'duolog-service.service')
  const text = await readFile(inRoot('deploy', 'systemd', 'duolog-service.service'), 'utf8')
  await writeFile(unit, text.replace('/usr/bin/node', process.execPath))
  return run(programs.systemd, ['verify', '--man=no', unit])
}

const caddy = () =>
  run(
    programs.caddy,
    ['validate', '--adapter', 'caddyfile', '--config', inRoot('deploy', 'caddy', 'Caddyfile')],
    {
      env: {
        DUOLOG_DOMAIN: 'contact.example.org',
        DUOLOG_NODES: 'node-1:8090 node-2:8090',
        XDG_DATA_HOME: folder,
        XDG_CONFIG_HOME: folder,
      },
    },
  )

await mkdir(made)
await cp(inRoot('deploy', 'compose', 'certificates.sh'), join(folder, 'certificates.sh'))
const certificates = () => run('sh', [join(folder, 'certificates.sh'), made, 'nats'])
for (const [name, check] of Object.entries({ certificates, nginx, caddy, nats, systemd })) {
  const { code, output } = await check()
  // systemd-analyze also tells of units that it does not find here.
  const isFine = code === 0 && (name !== 'systemd' || !output.includes('duolog-service'))
  console.log(`${name.padEnd(13)} ${isFine ? 'fine' : `refused\n${output.trim()}`}`)
  if (!isFine) process.exitCode = 1
}
await rm(folder, { recursive: true, force: true })
