import { describe, expect, it } from 'vitest'
import { compat } from '../../../sdk/compat/index.ts'
import { settled } from '../../../testing/index.ts'
import { joined, textsOf, watch } from '../../support/contacts.ts'
import type { Pair } from '../../support/contacts.ts'

/** What the page does a task later has happened. */
async function tasks(): Promise<void> {
  for (let task = 0; task < 3; task++) await new Promise((resolve) => setTimeout(resolve))
  await settled()
}

/** A contact whose visitor's page is being loaded anew when these texts come. */
async function missed(...texts: readonly string[]): Promise<Pair> {
  const pair = await joined()
  await pair.pages.visitor.client.close()
  for (const text of texts) await pair.agent.sendText(text)
  await settled()
  return pair
}

/** A page of the visitor's tab that has taken the contact up. */
async function resumed({ world, tab }: Pair) {
  const { client } = world.visitor({ tab })
  const { contact } = await client.resumeContact()
  if (!contact) throw new Error('nothing was resumed')
  return { client, contact }
}

describe('what a page that has given its contact back leaves to the next one of its tab', () => {
  it('SND-304 events that it had not been told yet: it hears none of them, the next page all', async () => {
    const pair = await missed('are you there?')
    // A framework mounts twice: the first client is closed as soon as it is there.
    const first = await resumed(pair)
    const toldBefore = textsOf(first.contact)
    await first.client.close()
    await tasks()
    const toldAfter = textsOf((await resumed(pair)).contact)
    await tasks()
    expect([toldBefore, toldAfter]).toEqual([[], ['are you there?']])
  })

  it('SND-304 also where both pages are there at once', async () => {
    const pair = await missed('are you there?')
    const first = await resumed(pair)
    const toldBefore = textsOf(first.contact)
    await first.client.close()
    const toldAfter = textsOf((await resumed(pair)).contact)
    await tasks()
    expect([toldBefore, toldAfter]).toEqual([[], ['are you there?']])
  })

  it('SND-304 those behind the one in whose handler it was closed', async () => {
    const pair = await missed('1', '2', '3')
    const first = await resumed(pair)
    const toldBefore: string[] = []
    first.contact.on('text', ({ text }) => {
      toldBefore.push(text)
      void first.client.close()
    })
    await tasks()
    const toldAfter = textsOf((await resumed(pair)).contact)
    await tasks()
    expect([toldBefore, toldAfter]).toEqual([['1'], ['2', '3']])
  })

  it('SND-304 raw messages of the compatibility entry', async () => {
    const pair = await missed('1', '2')
    const client = compat(pair.world.visitor({ tab: pair.tab }).client)
    const first = (await client.resumeContact()).contact
    const toldBefore: string[] = []
    first?.on('rawmessage', () => void toldBefore.push('raw'))
    first?.on('text', (text: string) => {
      toldBefore.push(text)
      first.channel.disconnect()
    })
    await tasks()
    const second = (await client.resumeContact()).contact
    const toldAfter: string[] = []
    second?.on('text', (text: string) => void toldAfter.push(text))
    await tasks()
    expect([toldBefore, toldAfter]).toEqual([['raw', '1'], ['2']])
  })

  it('SND-304 the storage: what it still does overwrites nothing', async () => {
    const pair = await missed()
    const first = await resumed(pair)
    // The service answers when the page is closed already.
    await first.client.close()
    const second = await resumed(pair)
    pair.link.faults = { onConnect: ({ slot }) => (slot === 'visitor' ? 'drop' : 'pass') }
    pair.link.cut('visitor')
    watch(second.contact.sendText('written offline'))
    await tasks()
    await second.client.close()
    pair.link.faults = {}
    const told = textsOf(pair.agent)
    await resumed(pair)
    await tasks()
    expect(told).toEqual(['written offline'])
  })
})
