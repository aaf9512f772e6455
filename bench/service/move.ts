/**
 * All pages of a node leave it and come to another one in the same moment, beside all pages of a node without
 * others that come back to it: the check C7 of the cluster.
 */
import { Deployment } from '../../test/deployment/deployment.ts'
import { freePort } from '../../test/support/free-port.ts'
import { serviceProgram } from '../../test/support/service-process.ts'
import { temporaryData } from '../../test/support/temporary-data.ts'
import { atMost, median } from '../figures.ts'
import type { Figure } from '../figures.ts'
import { startGround } from './ground.ts'
import { PageProcesses } from './page-processes.ts'

/** Moves of all pages, for each of the two. */
const MOVES = 5
const SLOWER = 1.5

interface Moved {
  readonly lastMs: number
  readonly failed: readonly (readonly [cause: string, times: number])[]
}

export async function moveAll(connections: number): Promise<readonly Figure[]> {
  const data = temporaryData()
  const alone = await startGround()
  const all = await Deployment.start({
    folder: data.folder,
    service: await serviceProgram(),
    nodes: 2,
    port: await freePort(),
  })
  const urls = all.nodes.map(({ address, port }) => `http://${address}:${port}`)
  const pages = {
    alone: new PageProcesses(alone.url, connections),
    among: new PageProcesses(urls[0] ?? '', connections),
  }
  try {
    const rounds: Record<'alone' | 'among', Moved>[] = []
    await pages.alone.all({ what: 'open' })
    await pages.among.all({ what: 'open' })
    while (rounds.length < MOVES)
      rounds.push({
        alone: await move(pages.alone, alone.url),
        among: await move(pages.among, urls[(rounds.length + 1) % urls.length] ?? ''),
      })
    const times = (which: 'alone' | 'among') => median(rounds.map((round) => round[which].lastMs))
    return [
      { name: 'all at once, the last online after, at one node', value: times('alone'), unit: 'ms' },
      { name: 'all at once, the last online after, at the other node', value: times('among'), unit: 'ms' },
      atMost({ name: 'the other node / one node', value: times('among') / times('alone'), unit: '' }, SLOWER),
      atMost(
        {
          name: 'attempts that came to nothing at the other node, of all moves',
          value: timesOf(rounds.flatMap(({ among }) => among.failed)),
          unit: '',
        },
        0,
      ),
      ...causesOf(
        'the other node',
        rounds.flatMap(({ among }) => among.failed),
      ),
      ...causesOf(
        'one node',
        rounds.flatMap(({ alone: one }) => one.failed),
      ),
    ]
  } finally {
    for (const each of Object.values(pages)) each.kill()
    await all.stop()
    await alone.stop()
    data.remove()
  }
}

async function move(pages: PageProcesses, to: string): Promise<Moved> {
  const start = Date.now()
  const { times, failed } = await pages.all({ what: 'move', to })
  return { lastMs: Math.max(...times) - start, failed }
}

const timesOf = (failed: Moved['failed']): number => failed.reduce((sum, [, times]) => sum + times, 0)

/** What the attempts have come to that came to nothing. */
function causesOf(where: string, failed: Moved['failed']): readonly Figure[] {
  return [...new Set(failed.map(([cause]) => cause))].map((cause) => ({
    name: `of those at ${where}: ${cause}`,
    value: timesOf(failed.filter(([other]) => other === cause)),
    unit: '',
  }))
}
