import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AgentImpl } from '../../../sdk/agent/create-agent.ts'
import type { Contact } from '../../../sdk/index.ts'
import { toldBefore } from '../../../sdk/transcript/history.ts'
import { settled } from '../../../testing/index.ts'
import { joined, record, reload } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'
import type { Pair } from '../../support/contacts.ts'
import type { Page } from '../../support/world.ts'

const secure = { secure: true } as const

/** A turn of the event loop and a millisecond of the world. */
async function turn(world: World): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  await world.clock.advance(1)
}

/** Reading and encrypting a file take their own time. */
async function until(world: World, isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn(world)
  await settled()
}

/** Time in which something would come that is not to come. */
async function manyTurns(world: World): Promise<void> {
  for (let turns = 0; turns < 100; turns++) await turn(world)
  await settled()
}

/** A secure contact in which something was said, and which then went to another agent. */
async function transferred(
  world: World,
): Promise<{ readonly pair: Pair; readonly agent: Contact; readonly page: Page<AgentImpl> }> {
  const pair = await joined(secure, undefined, world)
  await pair.visitor.sendText('my number is 4711')
  await pair.agent.sendText('thank you')
  await settled()
  const page = world.agent({ id: 'agent-2', nick: 'Bo' })
  const id = await pair.pages.agent.client.transfer(pair.visitor.id, { toAgent: 'agent-2' })
  await settled()
  const agent = await page.client.accept(id)
  return { pair, agent, page }
}

const textsIn = async (contact: Contact): Promise<unknown[]> =>
  (await contact.readTranscript()).messages.flatMap((message) =>
    message.type === 'text' ? [message.text] : [],
  )

describe('shareHistory', () => {
  it('ENC-280 what was said before is told to the next agent, encrypted, and its transcript goes on in it', async () => {
    const world = new World({ shareHistory: true })
    const { pair, agent } = await transferred(world)
    const told = record(agent, 'attachment', 'error')
    const own = record(pair.visitor, 'error')
    await agent.join()
    await until(world, () => told.length > 0)
    expect(told).toMatchObject([['attachment', { meta: { kind: 'history', encrypted: true } }]])
    await pair.visitor.sendText('hello again')
    await settled()
    expect(await textsIn(agent)).toEqual(['hello again', 'thank you', 'my number is 4711'])
    const { messages } = await agent.readTranscript()
    expect(messages.at(-1)).toMatchObject({ contact: 'contact-1', type: 'text', agent: false })
    expect(own).toEqual([])
    expect(JSON.stringify([...world.link.contacts.values()].map(({ entries }) => entries))).not.toContain(
      'is 4711',
    )
  })

  it('ENC-281 pages of the transcript have the messages of both contacts once, in order', async () => {
    const world = new World({ shareHistory: true })
    const { agent } = await transferred(world)
    const told = record(agent, 'attachment')
    await agent.join()
    await until(world, () => told.length > 0)
    const texts: string[] = []
    for await (const message of agent.transcript()) texts.push(message.type)
    const paged: string[] = []
    for (let before: string | null | undefined; before !== null;) {
      const page = await agent.readTranscript({ limit: 1, ...(before !== undefined && { before }) })
      paged.push(...page.messages.map(({ type }) => type))
      before = page.before
    }
    expect(texts).toEqual(['attachment', 'text', 'text'])
    expect(paged).toEqual(texts)
  })

  it('ENC-282 without it the next agent reads nothing of what was said before', async () => {
    const world = new World()
    const { agent } = await transferred(world)
    const told = record(agent, 'attachment')
    await agent.join()
    await manyTurns(world)
    expect([told, await textsIn(agent)]).toEqual([[], []])
  })

  it('ENC-283 it is told once, also where the page is loaded anew, and not to an agent whose tab has read it', async () => {
    const world = new World({ shareHistory: true })
    const { pair, agent, page } = await transferred(world)
    const told = record(agent, 'attachment')
    await agent.join()
    await until(world, () => told.length > 0)
    await reload(pair)
    await manyTurns(world)
    expect(told).toHaveLength(1)
    const id = await page.client.transfer(agent.id, { toTags: ['again'] })
    await settled()
    const again = await page.client.accept(id)
    const more = record(again, 'attachment')
    await again.join()
    await manyTurns(world)
    expect(more).toEqual([])
  })

  it('ENC-284 nothing is told under a changed key before the user has accepted it', async () => {
    const world = new World({ shareHistory: true })
    const pair = await joined(secure, undefined, world)
    await pair.visitor.sendText('for you alone')
    pair.visitor.verify(true)
    const page = world.agent({ id: 'agent-2', nick: 'Bo' })
    const id = await pair.pages.agent.client.transfer(pair.visitor.id, { toAgent: 'agent-2' })
    await settled()
    const agent = await page.client.accept(id)
    const told = record(agent, 'attachment')
    await agent.join()
    await manyTurns(world)
    expect([pair.visitor.verification?.state, told]).toEqual(['changed', []])
    pair.visitor.acceptKey()
    await until(world, () => told.length > 0)
    expect(await textsIn(agent)).toEqual(['for you alone'])
  })

  it('ENC-285 what a hostile page tells as history throws nothing, and gives what the schemas of entries take', async () => {
    const host = {
      ...{ id: 'c', service: 'http://localhost', link: { call: () => Promise.reject(new Error('unused')) } },
      encryption: { readable: () => null, files: { history: () => 'f' } },
    } as unknown as Parameters<typeof toldBefore>[0]
    const said = async (text: string): Promise<readonly unknown[]> => {
      const openFile = (): Promise<Blob> => Promise.resolve(new Blob([text]))
      return (await toldBefore(host, { contact: 'history:f', before: null }, { limit: 200, openFile })).said
    }
    const entry = (text: unknown): unknown => ({
      ...{ seq: 1, time: 0, slot: 'visitor', id: 'm-1', session: 's', counter: 1, type: 'text' },
      ...{ from: { id: 'v' }, body: { text } },
    })
    const part = fc.record({
      contact: fc.anything(),
      entries: fc.oneof(fc.anything(), fc.array(fc.anything())),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.array(part).map((parts) => JSON.stringify(parts) ?? ''),
        ),
        async (text) => {
          expect(await said(text)).toEqual([])
        },
      ),
      { numRuns: 100 },
    )
    const mixed = JSON.stringify([null, { contact: 'b', entries: [entry('good'), entry(7), 3, entry(null)] }])
    expect(await said(mixed)).toMatchObject([{ contact: 'b', type: 'text', text: 'good' }])
  })
})
