/** How soon somebody who comes back has what was missed. */
import { randomUUID } from 'node:crypto'
import { joinBoth } from '../../test/support/parties.ts'
import type { Party } from '../../test/support/parties.ts'
import { WireClient, WireSession } from '../../test/support/wire-client.ts'
import { atMost, median } from '../figures.ts'
import type { Figure } from '../figures.ts'
import { startGround } from './ground.ts'
import type { Ground } from './ground.ts'

const TIMES = 20
const PAGE = 50
const MISSED = 1_000
const LONG = 10_000

export async function opening(): Promise<readonly Figure[]> {
  const ground = await startGround()
  const { visitor, id } = await joinBoth(ground)
  await fill(visitor, LONG)
  const head = (await visitor.client.call('log.read', { contact: id, after: 0, limit: 1 })).head
  await reopen(ground, visitor, head - MISSED)
  const runs = []
  for (let run = 0; run < TIMES; run += 1)
    runs.push({
      all: await reopen(ground, visitor, head),
      missed: await reopen(ground, visitor, head - MISSED),
    })
  await ground.stop()
  return [
    atMost(
      {
        name: `opening a contact of ${LONG} entries, median`,
        value: median(runs.map(({ all }) => all.openMs)),
        unit: 'ms',
      },
      100,
    ),
    atMost(
      {
        name: `replay of ${MISSED} entries, from the call to the last one, median`,
        value: median(runs.map(({ missed }) => missed.replayMs)),
        unit: 'ms',
      },
      50,
    ),
  ]
}

async function fill({ session }: Party, count: number): Promise<void> {
  for (let written = 0; written < count; written += PAGE) {
    await session.write(
      ...Array.from({ length: PAGE }, () => ({
        id: randomUUID(),
        type: 'text' as const,
        body: { text: 'x'.repeat(200) },
      })),
    )
  }
}

/** The same session on a new connection. */
async function reopen(
  { url }: Ground,
  { client, session }: Party,
  cursor: number,
): Promise<{ readonly openMs: number; readonly replayMs: number }> {
  const late = await WireClient.connect(url, client.token)
  let seq = cursor
  let read = (): void => {}
  late.socket.offAny()
  late.socket.on('log.entries', ({ entries }: { entries: readonly { readonly seq: number }[] }) => {
    seq = entries.at(-1)?.seq ?? seq
    read()
  })
  const start = performance.now()
  const { head } = await new WireSession(late, session.contact, session.id).open(cursor)
  const openMs = performance.now() - start
  await new Promise<void>((settle) => {
    read = () => {
      if (seq >= head) settle()
    }
    read()
  })
  const replayMs = performance.now() - start
  late.close()
  return { openMs, replayMs }
}
