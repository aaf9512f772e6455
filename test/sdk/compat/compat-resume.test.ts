/** A client of the positional style whose transcript takes its time. */
import { describe, expect, it } from 'vitest'
import type { CallName, Transport } from '../../../protocol/index.ts'
import { compat } from '../../../sdk/compat/index.ts'
import { later as lazy } from '../../../sdk/contact/lazy-modules.ts'
import { settled } from '../../../testing/index.ts'
import { CALL, VOICE, joined, watch } from '../../support/contacts.ts'
import type { Pair } from '../../support/contacts.ts'

// What is loaded from the disk takes a time of its own.
await Promise.all([lazy.transcript(), lazy.negotiation()])

/** The visitor's page has gone, and every page after it reads the log when the test says so. */
async function away(): Promise<Pair & { readonly read: () => Promise<void> }> {
  const pair = await joined()
  await pair.agent.sendText('before')
  await settled()
  await pair.pages.visitor.client.close()
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  const make = pair.world.link.transport.bind(pair.world.link)
  pair.world.link.transport = (party): Transport => {
    const transport = make(party)
    return {
      connect: (hear) => {
        const connection = transport.connect(hear)
        return {
          close: () => connection.close(),
          call: async <N extends CallName>(name: N, args: Parameters<typeof connection.call<N>>[1]) => {
            if (name === 'log.read') await opened
            return connection.call(name, args)
          },
        }
      },
    }
  }
  return { ...pair, read: async () => (open(), settled()) }
}

describe('a client of the positional style that resumes while the transcript is on its way', () => {
  it('SND-308 LOG-3 hears what was said while its page was loaded, and acknowledges it', async () => {
    const { world, tab, agent, read } = await away()
    const acks: string[] = []
    agent.on('ack', ({ ref }) => void acks.push(ref))
    const missed = await agent.sendText('meanwhile')
    const resuming = compat(world.visitor({ tab }).client).resumeContact()
    await settled()
    const told: string[] = []
    void resuming.then(({ contact }) => contact?.on('text', (text) => void told.push(text)))
    const later = await agent.sendText('later')
    await settled()
    expect([told, acks]).toEqual([[], []])
    await read()
    await resuming
    await settled()
    expect([told, acks]).toEqual([
      ['meanwhile', 'later'],
      [missed, later],
    ])
  })

  it('SND-308 SND-303 has the offer that is made meanwhile', async () => {
    const { world, tab, agent, read } = await away()
    const resuming = compat(world.visitor({ tab }).client).resumeContact()
    await settled()
    const offering = watch(agent.offerMedia(VOICE))
    await settled()
    expect(offering.result).toBe('pending')
    void resuming.then(({ contact }) => {
      contact?.on('mediaoffer', (offer, callback) => callback(null, offer as never))
    })
    await read()
    await resuming
    await settled()
    expect(offering.result).toMatchObject({ value: { Voice: CALL } })
  })
})
