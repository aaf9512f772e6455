/** `npm run chaos`: parties who talk, a nemesis who disturbs, and the checker who judges. */
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Deployment } from '../deployment/deployment.ts'
import { freePort } from '../support/free-port.ts'
import { judge, readRun } from './check.ts'
import { dumpStore } from './dump.ts'
import type { Fault } from './facts.ts'
import { CLOCK, FAULTS, orderOf } from './nemesis.ts'
import type { Ground } from './nemesis.ts'
import { Parties } from './parties.ts'
import { seededFor } from './random.ts'
import { reportOf } from './report.ts'

const [, , service = '', partyProgram = '', ...args] = process.argv
const { values } = parseArgs({
  args,
  options: {
    minutes: { type: 'string', default: '60' },
    nodes: { type: 'string', default: '3' },
    contacts: { type: 'string', default: '500' },
    seed: { type: 'string' },
    faults: { type: 'string' },
    every: { type: 'string' },
    keep: { type: 'string' },
  },
})
const contacts = Number(values.contacts)
const seed = values.seed === undefined ? Date.now() % 1_000_000_007 : Number(values.seed)
const fakeTime = process.env['DUOLOG_FAKETIME']
const possible = Object.keys(FAULTS).filter((name) => name !== CLOCK || fakeTime !== undefined)
const names = values.faults?.split(',') ?? possible
const unknown = names.find((name) => !possible.includes(name))
if (unknown !== undefined) {
  process.stderr.write(`there is no fault "${unknown}" here; there are ${possible.join(', ')}\n`)
  process.exit(2)
}

/** All texts of a second, whatever the number of contacts. */
const EVERY_MS = Number(values.every ?? contacts * 60)
const QUIET_MS = 20_000
const SETTLE_MS = 30_000

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'duolog-chaos-'))
mkdirSync(folder, { recursive: true })
chmodSync(folder, 0o755)
writeFileSync(join(folder, 'faults.jsonl'), '')

say(`seed ${seed}, ${values.nodes} nodes, ${contacts} contacts, ${values.minutes} min, in ${folder}`)
if (fakeTime === undefined)
  say('clocks do not jump: libfaketime is not installed (Debian: apt-get install libfaketime)')
const all = await Deployment.start({
  folder,
  service,
  nodes: Number(values.nodes),
  port: await freePort(),
  args: ['--strategy', 'least-loaded', '--log-level', 'warn'],
  breakable: true,
  fakeTime,
})
const parties = new Parties(partyProgram, contacts, { url: all.url, folder, seed, everyMs: EVERY_MS })
await disturb({ all, parties, random: seededFor(seed, 'nemesis'), standbys: 2 })
say('nothing is disturbed any more')
await parties.order('rest')
await delay(SETTLE_MS)
await parties.order('conclude')
writeFileSync(join(folder, 'stored.json'), JSON.stringify(await dumpStore(all.postgres.url)))
await parties.order('end')
await all.stop()
const run = readRun(folder)
const verdict = judge(run)
say(reportOf(run, verdict))
if (values.keep === undefined && verdict.violations.length === 0)
  rmSync(folder, { recursive: true, force: true })
process.exit(verdict.violations.length === 0 ? 0 : 1)

/** One fault after the other until the time is over; the last ones have their aftermath. */
async function disturb(ground: Ground): Promise<void> {
  const until = Date.now() + Number(values.minutes) * 60_000
  await delay(QUIET_MS)
  for (const name of orderOf(ground.random, names)) {
    if (Date.now() > until) return
    const from = Date.now()
    const told = await FAULTS[name]?.(ground)
    const fault: Fault = { name, from, until: Date.now(), target: '', ...told }
    appendFileSync(join(folder, 'faults.jsonl'), `${JSON.stringify(fault)}\n`)
    say(`${new Date(from).toISOString()} ${name}: ${fault.target}, ${fault.until - from} ms`)
    await delay(QUIET_MS * (0.5 + ground.random()))
  }
}
