/** Takes rules of the encryption out of the sources, one at a time, and runs the tests that have to notice. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MUTATIONS } from './mutations.ts'
import type { Mutation } from './mutations.ts'

const ROOT = process.env['DUOLOG_ROOT'] ?? process.cwd()
/** A run of tests that has not ended by then has noticed nothing. */
const LIMIT_MS = 180_000

export interface Outcome {
  readonly isNoticed: boolean
  readonly text: string
}

interface Ended {
  /** Null of a run that was stopped. */
  readonly code: number | null
  readonly output: string
}

/** Runs test files under a mutation; without one, as the sources are. */
function runTests(tests: readonly string[], id: string): Promise<Ended> {
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
  const files = tests.map((name) => `test/${name}.test.ts`)
  const child = spawn(
    process.execPath,
    [vitest, 'run', '--config', 'test/model/sealing/vitest.config.ts', ...files],
    {
      cwd: ROOT,
      env: { ...process.env, DUOLOG_MUTATION: id, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => void (output += chunk.toString()))
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve({ code, output })
    })
  })
}

/** Whether the rule stands in its file once. */
const stands = ({ patches }: Mutation): boolean =>
  patches.every(({ file, rule }) => readFileSync(join(ROOT, file), 'utf8').split(rule).length === 2)

async function hunted(mutation: Mutation): Promise<Outcome> {
  if (!stands(mutation)) return { isNoticed: false, text: 'the rule does not stand in its file once' }
  const { code, output } = await runTests(mutation.tests, mutation.id)
  const [failed] = /(?:×|FAIL)\s.*?((?:ENC|SEC)-\d+[^\n]{0,90})/.exec(output)?.slice(1) ?? []
  if (code === null) return { isNoticed: false, text: 'the tests did not end' }
  // A source that cannot be loaded fails every test: only a named test has noticed.
  return failed === undefined
    ? { isNoticed: false, text: code === 0 ? 'nobody notices' : output.slice(-400) }
    : { isNoticed: true, text: failed.trim() }
}

/** Hunts those that are wanted. Returns what is wrong. */
export async function hunt(
  isWanted: (id: string) => boolean,
  say: (line: string) => void,
): Promise<readonly string[]> {
  const wanted = MUTATIONS.filter(({ id }) => isWanted(id))
  const all = [...new Set(wanted.flatMap(({ tests }) => tests))]
  const { code, output } = await runTests(all, '')
  if (code !== 0) return [`the tests fail without a mutation: ${output.slice(-2000)}`]
  const faults: string[] = []
  for (const mutation of wanted) {
    const { isNoticed, text } = await hunted(mutation)
    say(`${isNoticed ? '✓' : '✗'} ${mutation.id} ${mutation.safeguard}: ${text}`)
    if (!isNoticed) faults.push(`nobody notices that ${mutation.id} is gone: ${mutation.safeguard}`)
  }
  return faults
}
