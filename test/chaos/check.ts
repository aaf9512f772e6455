/** The checker: judges a run by what its parties noted and what is stored. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { checkExchange } from './check-exchange.ts'
import { checkLog } from './check-log.ts'
import { checkSessions } from './check-sessions.ts'
import type { Fact, Fault, OwnEnd, Run, Stored } from './facts.ts'
import { Verdict } from './verdict.ts'

export function judge(run: Run): Verdict {
  const verdict = new Verdict(run.faults)
  checkLog(run, verdict)
  checkSessions(run, verdict)
  checkExchange(run, verdict)
  checkNodes(run, verdict)
  return verdict
}

/** All nodes go on through a fault, but for those that it ends. */
function checkNodes({ faults, ends }: Run, verdict: Verdict): void {
  for (const { from } of faults) verdict.look('node', from)
  for (const { node, at, code, last } of ends)
    verdict.look('node', at, `${node} ended by itself (${code}, ${last})`)
}

/** A run as it was noted in a folder. The last line of a process that was killed may be cut. */
export function readRun(folder: string): Run {
  const facts = readdirSync(folder)
    .filter((file) => file.startsWith('history-'))
    .flatMap((file) => linesOf<Fact>(join(folder, file)))
    .toSorted((a, b) => a.at - b.at)
  return {
    facts,
    faults: linesOf<Fault>(join(folder, 'faults.jsonl')),
    ends: linesOf<OwnEnd>(join(folder, 'ends.jsonl')),
    stored: JSON.parse(readFileSync(join(folder, 'stored.json'), 'utf8')) as Stored,
  }
}

function linesOf<T>(file: string): T[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.slice(0, -1).map((line) => JSON.parse(line) as T)
}
