/** Files between the two pages of a secure contact: encryption.md, section 8. */
import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { settled } from '../../../testing/index.ts'
import { joined, record, watch } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'
import { hostileTo } from '../../support/lying-service.ts'

const FILE = new File(['the whole estate'], 'last will.txt', { type: 'text/plain' })
const CANARIES = ['the whole estate', 'last will', 'text/plain', 'for the notary', 'my own name']

/** Reading and encrypting a file take their own time. */
async function until(world: World, isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    await new Promise((resolve) => setImmediate(resolve))
    await world.clock.advance(10)
  }
  await settled()
}

describe('a file of a secure contact', () => {
  it('ENC-332 sent in the queue reaches the agent who joins: one event, the id of attach, acknowledged, opened', async () => {
    const world = new World()
    const visitor = await world.visitor().client.createContact({ secure: true })
    const own = record(visitor, 'attachment', 'ack')
    const sending = watch(visitor.attach(FILE, 'for the notary', 'my own name'))
    await until(world, () => world.contact.entries.some(({ type }) => type === 'attachment'))
    expect([sending.result, own]).toEqual(['pending', []])
    const agent = await world.agent().client.accept(visitor.id)
    const theirs = record(agent, 'attachment', 'insecure')
    await agent.join()
    await until(world, () => own.length === 2)
    const meta = {
      ...{ id: 'file-1', originalName: 'last will.txt', mimetype: 'text/plain', size: FILE.size },
      ...{ desc: 'for the notary', referenceId: 'my own name', ref: 'my own name', encrypted: true },
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
    }
    expect(theirs).toMatchObject([['attachment', { id: 'file-1', meta, from_id: 'visitor-1', agent: false }]])
    expect(own).toMatchObject([
      ['attachment', { id: 'file-1', meta }],
      ['ack', { ref: 'file-1', agent: true }],
    ])
    expect(sending.result).toMatchObject({ value: { id: 'file-1', referenceId: 'my own name' } })
    for (const party of [visitor, agent])
      expect(await (await party.openAttachment('file-1')).text()).toBe('the whole estate')
    const log = JSON.stringify(world.contact.entries)
    for (const canary of CANARIES) expect(log).not.toContain(canary)
    const stored = Buffer.from(await (await fetch(await agent.attachmentUrl('file-1'))).arrayBuffer())
    expect(stored.includes('the whole estate')).toBe(false)
  })

  it('SND-340 that is cancelled while it waits for a key is not sent when the key comes', async () => {
    const world = new World()
    const tab = memoryStore()
    const visitor = await world.visitor({ tab }).client.createContact({ secure: true })
    const abort = new AbortController()
    const sending = watch(visitor.attach(FILE, undefined, undefined, { signal: abort.signal }))
    await until(world, () => world.contact.entries.some(({ type }) => type === 'attachment'))
    expect(sending.result).toBe('pending')
    abort.abort()
    await settled()
    expect(sending.result).toEqual({ code: 'withdrawn' })
    const agent = await world.agent().client.accept(visitor.id)
    const theirs = record(agent, 'attachment', 'text')
    await agent.join()
    await visitor.sendText('instead of a file')
    await settled()
    expect(theirs).toMatchObject([['text', { text: 'instead of a file' }]])
  })

  it('ENC-333 a page that comes later opens it as well', async () => {
    const world = new World()
    const tab = memoryStore()
    const visitor = await world.visitor({ tab }).client.createContact({ secure: true })
    const agent = await world.agent().client.accept(visitor.id)
    await agent.join()
    const sending = watch(visitor.attach(FILE))
    await until(world, () => sending.result !== 'pending')
    world.link.cut('visitor')
    const next = await world.visitor({ tab }).client.resumeContact()
    await settled()
    expect(next.contact?.id).toBe(visitor.id)
    expect(await (await next.contact?.openAttachment('file-1'))?.text()).toBe('the whole estate')
  })

  it('ENC-334 what is told of it under a key that is over is told again, without another upload', async () => {
    const world = new World()
    let isHeld = false
    const release = hostileTo(world, 'visitor', { holds: () => isHeld })
    const pair = await joined({ secure: true }, undefined, world)
    let uploads = 0
    world.link.files.onPart = () => {
      uploads += 1
      return 'pass'
    }
    isHeld = true
    await pair.pages.agent.client.close()
    const [agent] = await world.agent().client.contacts()
    if (!agent) throw new Error('the agent has no contact')
    const told = record(agent, 'attachment')
    const joining = agent.join()
    await settled()
    const sending = watch(pair.visitor.attach(FILE))
    await until(world, () => world.entries.includes('file'))
    isHeld = false
    release()
    await joining
    await until(world, () => sending.result !== 'pending' && told.length > 0)
    expect(sending.result).toMatchObject({ value: { id: 'file-1' } })
    expect([uploads, world.entries.filter((type) => type === 'file').length, told.length]).toEqual([1, 2, 1])
    expect(await (await agent.openAttachment('file-1')).text()).toBe('the whole estate')
  })
})
