import { describe, expect, it } from 'vitest'
import type { InspectionEvent, Observer } from 'xstate'
import { createAgent } from 'duolog/agent'
import { createClient } from 'duolog'
import type { Inspect } from 'duolog'
import { MemoryService, TestClock, settled } from 'duolog/testing'
import '../../support/loaded-code.ts'

interface Seen {
  readonly type: string
  readonly actorRef: { readonly id: string }
  readonly event?: { readonly type: string }
}

/** A contact of which the visitor's page is observed by `inspect`. */
async function observed(inspect: Inspect) {
  const clock = new TestClock()
  const link = new MemoryService(clock)
  const service = 'http://localhost'
  const client = createClient({
    service,
    clock,
    inspect,
    transport: link.transport({ slot: 'visitor', id: 'visitor-1' }),
  })
  const desk = createAgent({
    service,
    clock,
    token: 'memory',
    transport: link.transport({ slot: 'agent', id: 'agent-1', nick: 'Ada' }),
  })
  const visitor = await client.createContact()
  const agent = await desk.accept(visitor.id)
  await agent.join()
  await settled()
  return { visitor, close: () => Promise.all([client.close(), desk.close()]) }
}

describe('inspect', () => {
  const forms: readonly [string, (see: (event: unknown) => void) => Inspect][] = [
    ['a function', (see) => see],
    ['an observer', (see) => ({ next: see })],
    ["XState's own observer type", (see): Observer<InspectionEvent> => ({ next: see })],
  ]

  it.each(forms)('MED-35 %s sees every machine of a page and the log that it reads', async (_, toInspect) => {
    const seen: Seen[] = []
    const { visitor, close } = await observed(toInspect((event) => seen.push(event as Seen)))
    await visitor.sendText('a secret')
    await settled()
    const actors = new Set(
      seen.filter(({ type }) => type === '@xstate.actor').map(({ actorRef }) => actorRef.id),
    )
    expect([...actors]).toEqual(
      expect.arrayContaining([
        `membership ${visitor.id}`,
        `media ${visitor.id}`,
        `log ${visitor.id}`,
        'engines',
        'log',
        'connection',
        'resume',
        'enter',
      ]),
    )
    const entries = seen
      .filter(({ type, event }) => type === '@xstate.event' && event?.type === 'log.entry')
      .map(({ event }) => event)
    expect(entries.map((entry) => (entry as unknown as { readonly entry: string }).entry)).toEqual(
      expect.arrayContaining(['present', 'assigned', 'joined', 'text']),
    )
    expect(JSON.stringify(entries)).not.toContain('a secret')
    await close()
  })
})
