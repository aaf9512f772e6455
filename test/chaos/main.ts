/** `npm run chaos`: parties who talk, a nemesis who disturbs, and the checker who judges. */
import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Deployment } from '../deployment/deployment.ts'
import { NetworkPlace } from '../deployment/network-place.ts'
import { deploymentFolder, optionsOrExit } from '../deployment/options.ts'
import { freePort } from '../support/free-port.ts'
import { judge, readRun } from './check.ts'
import { dumpStore, lastTexts } from './dump.ts'
import type { Fault } from './facts.ts'
import { CLOCK, FAULTS, OF_PACKETS, SHORT, orderOf } from './nemesis.ts'
import type { Ground } from './nemesis.ts'
import { Notes } from './notes.ts'
import { Parties } from './parties.ts'
import { planOf } from './plan.ts'
import { seededFor } from './random.ts'
import { reportOf } from './report.ts'

const [, , service = '', partyProgram = '', ...args] = process.argv
const plan = optionsOrExit(() => planOf(args))
const fakeTime = process.env['DUOLOG_FAKETIME']
const withoutNetwork = NetworkPlace.whyNot()
const possible = Object.keys(FAULTS).filter(
  (name) => (name !== CLOCK || fakeTime !== undefined) && (!(name in OF_PACKETS) || withoutNetwork === null),
)
const names = plan.faults ?? (plan.isOnce ? SHORT.filter((name) => possible.includes(name)) : possible)
const unknown = names.find((name) => !possible.includes(name))
const say = (line: string): void => void process.stdout.write(`${line}\n`)
if (fakeTime === undefined)
  say('clocks do not jump: libfaketime is not installed (Debian: apt-get install libfaketime)')
if (withoutNetwork !== null)
  say(`packets are not dropped: it needs root and Debian's iproute2 and nftables (${withoutNetwork})`)
if (unknown !== undefined) {
  process.stderr.write(`there is no fault "${unknown}" here; there are ${possible.join(', ')}\n`)
  process.exit(2)
}

const folder = deploymentFolder(plan.keep, 'chaos')
for (const file of ['faults.jsonl', 'ends.jsonl']) writeFileSync(join(folder, file), '')
const { seed, nodes, contacts, processes, everyMs } = plan
say(`seed ${seed}, ${nodes} nodes, ${contacts} contacts, ${plan.minutes} min, in ${folder}`)
new Notes(folder, 'nemesis').watchTime()
const startedAt = Date.now()
const all = await Deployment.start({
  folder,
  service,
  nodes,
  port: await freePort(),
  args: ['--strategy', 'least-loaded', '--log-level', 'warn'],
  breakable: true,
  standby: names.includes('fail-over'),
  network: withoutNetwork === null,
  postgres: plan.postgres,
  fakeTime,
  onOwnEnd: (end) => {
    appendFileSync(join(folder, 'ends.jsonl'), `${JSON.stringify(end)}\n`)
    say(`${new Date(end.at).toISOString()} ${end.node} ended by itself (${end.code}, ${end.last})`)
  },
})
const parties = new Parties(partyProgram, { contacts, processes }, { url: all.url, folder, seed, everyMs })
try {
  await talk()
} finally {
  parties.stop()
  await all.stop()
}
const run = readRun(folder)
const verdict = judge(run)
say(reportOf(run, verdict))
say(`${Math.round((Date.now() - startedAt) / 1_000)} s`)
if (plan.keep === undefined && verdict.holds) rmSync(folder, { recursive: true, force: true })
process.exit(verdict.holds ? 0 : 1)

async function talk(): Promise<void> {
  await disturb({ all, parties, random: seededFor(seed, 'nemesis'), standbys: 2 })
  say('nothing is disturbed any more')
  await parties.order({ name: 'rest' })
  await delay(plan.settleMs)
  await parties.order({ name: 'settle', last: await lastTexts(all.postgres.url) })
  await parties.order({ name: 'conclude' })
  writeFileSync(join(folder, 'stored.json'), JSON.stringify(await dumpStore(all.postgres.url)))
  await parties.order({ name: 'end' })
}

/** One fault after the other until the time is over; the last ones have their aftermath. */
async function disturb(ground: Ground): Promise<void> {
  const until = Date.now() + plan.minutes * 60_000
  await delay(plan.quietMs)
  for (const name of plan.isOnce ? names : orderOf(ground.random, names)) {
    if (Date.now() > until) return
    const from = Date.now()
    const told = await FAULTS[name]?.(ground)
    const fault: Fault = { name, from, until: Date.now(), target: '', ...told }
    appendFileSync(join(folder, 'faults.jsonl'), `${JSON.stringify(fault)}\n`)
    say(`${new Date(from).toISOString()} ${name}: ${fault.target}, ${fault.until - from} ms`)
    await delay(plan.quietMs * (0.5 + ground.random()))
  }
}
