/** What a run has shown, as Markdown. */
import type { Run } from './facts.ts'
import { PROMISES } from './verdict.ts'
import type { Verdict } from './verdict.ts'

const SHOWN = 40

export function reportOf({ facts, stored, faults, ends }: Run, verdict: Verdict): string {
  const count = (what: string): number => facts.filter((fact) => fact.what === what).length
  const failed = new Map<string, number>()
  for (const fact of facts)
    if (fact.what === 'failed' || fact.what === 'refused') {
      const key = `${fact.what === 'failed' ? fact.doing : 'text'} ${fact.code}`
      failed.set(key, (failed.get(key) ?? 0) + 1)
    }
  const figures = {
    pages: count('opened'),
    contacts: stored.contacts.length,
    entries: stored.entries.length,
    'texts sent': count('send'),
    acknowledged: count('stored'),
    refused: count('refused'),
    read: count('read'),
    requests: count('asked'),
    'frames heard': count('framed'),
    files: count('file'),
    'contacts taken': count('accepted'),
    'pages that stayed to the end': count('final'),
    faults: faults.length,
    'nodes that ended by themselves': ends.length,
    'ms that a process had no time, at most': facts.reduce(
      (most, fact) => (fact.what === 'late' ? Math.max(most, fact.ms) : most),
      0,
    ),
  }
  return [
    '',
    Object.entries(figures)
      .map(([name, value]) => `${name} ${value}`)
      .join(', '),
    `failed: ${[...failed].map(([key, times]) => `${key} ${times}`).join(', ') || 'nothing'}`,
    '',
    'Each cell: violations / what was looked at.',
    '',
    verdict.table(),
    '',
    Object.entries(PROMISES)
      .map(([name, says]) => `${name}: ${says}`)
      .join('; '),
    '',
    ...verdict.violations
      .slice(0, SHOWN)
      .map(
        ({ promise, at, fault, says }) => `${new Date(at).toISOString()} ${promise} after ${fault}: ${says}`,
      ),
    ...verdict.unseen.map((promise) => `nothing was there to look at for ${promise}`),
    `${verdict.violations.length} violations`,
  ].join('\n')
}
