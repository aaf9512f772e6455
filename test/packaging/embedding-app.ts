/** An application of somebody else: a folder with the packed SDK among its packages, and no configuration. */
import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const repository = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Imports every entry, and connects two WebRTC engines with each other. The title says when.
 */
const MAIN = `
import { ContactError, createClient } from 'duolog'
import { createAgent } from 'duolog/agent'
import { NativeEngine, WebRtcEngine } from 'duolog/engines'
import type { EngineHost } from 'duolog/engines'
import { linkMachine, mediaMachine, membershipMachine } from 'duolog/machines'
import { createTestContact } from 'duolog/testing'

const clock = { now: () => Date.now(), setTimeout: (run: () => void, ms: number) => window.setTimeout(run, ms), clearTimeout: (timer: unknown) => window.clearTimeout(timer as number) }
const [visitor, agent] = [new WebRtcEngine(), new WebRtcEngine()]
const host = (slot: EngineHost['slot'], other: WebRtcEngine): EngineHost => ({ slot, clock, iceServers: async () => [], report: () => {}, observed: () => {}, signal: (data) => other.receive(data) })
const voice = (tx: boolean) => ({ Voice: { tx, rx: !tx, via: 'net', engine: 'WebRTC' } })
const transition = (to: ReturnType<typeof voice>) => ({ from: {}, to, wasOffered: true, restore: false, signal: new AbortController().signal })

async function call(): Promise<void> {
  visitor.attach(host('visitor', agent))
  agent.attach(host('agent', visitor))
  await Promise.all([visitor.transit(transition(voice(true))), agent.transit(transition(voice(false)))])
  await Promise.all([visitor.stop(), agent.stop()])
}

async function chat(): Promise<string> {
  const { visitor, agent } = await createTestContact()
  const heard = new Promise<string>((resolve) => agent.on('text', ({ text }) => resolve(text)))
  await visitor.sendText('Good morning')
  return heard
}

const found = [ContactError, createClient, createAgent, NativeEngine, linkMachine, mediaMachine, membershipMachine].every((value) => value !== undefined)
const ended = found ? Promise.all([chat(), call()]) : Promise.reject(new Error('an export is missing'))
ended.then(
  ([text]) => (document.title = \`ready: \${text}\`),
  (error: unknown) => (document.title = \`failed: \${String(error)}\`),
)
`

const HTML =
  '<!doctype html><meta charset="utf-8"><title>waiting</title><link rel="icon" href="data:,"><script type="module" src="/main.ts"></script>'

export interface EmbeddingApp {
  readonly folder: string
  remove(): void
}

/** Makes the application; the SDK must have been built. */
export function createEmbeddingApp(): EmbeddingApp {
  const folder = mkdtempSync(join(tmpdir(), 'duolog-app-'))
  const packages = join(folder, 'node_modules')
  mkdirSync(join(packages, 'duolog'), { recursive: true })
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], {
    cwd: repository,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? 'missing'
  execFileSync('tar', ['xzf', join(folder, tarball), '-C', join(packages, 'duolog'), '--strip-components=1'])
  rmSync(join(folder, tarball))
  const { dependencies } = JSON.parse(readFileSync(join(packages, 'duolog', 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(packages, name)), { recursive: true })
    symlinkSync(join(repository, 'node_modules', name), join(packages, name))
  }
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'somebody-else', private: true, type: 'module' }),
  )
  writeFileSync(join(folder, 'index.html'), HTML)
  writeFileSync(join(folder, 'main.ts'), MAIN)
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
