import { statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FileSpace } from '../../../service/src/attachments/file-space.ts'
import { startService } from '../../../service/src/start-service.ts'
import { joinBoth, queueVisitor } from '../../support/parties.ts'
import type { Party } from '../../support/parties.ts'
import { preparedData } from '../../support/prepared-store.ts'
import { signInVisitor, startTestService, testOptions } from '../../support/service.ts'
import { announce, announceNew, sendFile, tus } from '../../support/tus.ts'
import { WireClient, WireSession } from '../../support/wire-client.ts'

const KB = 1_024
const NO_ROOM = { code: 'too_large', message: expect.stringContaining('no room') as unknown }

describe('the room for files', () => {
  it('SND-124 files that are announced at once fit together, also on a disk that is nearly full', () => {
    const space = new FileSpace(1_000, () => 0)
    space.add('old', { size: 300, written: 300 })
    for (const id of ['a', 'b', 'a']) space.reserve(id, 300, 650)
    expect(() => space.reserve('c', 300, 650)).toThrow(/no room/)
    expect(() => space.reserve('d', 101, 9_999)).toThrow(/no room/)
    space.wrote('a', 300)
    expect([space.total, space.missing]).toEqual([900, 300])
    for (const id of ['a', 'b', 'b', 'unknown']) space.release(id)
    expect([space.total, space.missing]).toEqual([300, 0])
  })

  it('SND-124 is a quota of the service: a file beyond it is too_large, chat goes on, and what goes makes room', async () => {
    const test = await startTestService((options) => ({
      ...options,
      files: { ...options.files, spaceBytes: 300 * KB },
    }))
    const { visitor, agent, id } = await joinBoth(test)
    await sendFile(test.url, visitor, new Uint8Array(100 * KB))
    const asked = await Promise.allSettled(
      Array.from({ length: 5 }, () => announceNew(agent, { size: 90 * KB })),
    )
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    for (const each of asked) if (each.status === 'rejected') expect(each.reason).toMatchObject(NO_ROOM)
    expect(await agent.session.text('still here')).toMatchObject({
      appended: [{ seq: expect.any(Number) as unknown }],
    })
    expect(await (await fetch(`${test.url}/metrics`)).text()).toContain(`duolog_file_bytes ${280 * KB}`)
    const place = asked.find((each) => each.status === 'fulfilled')?.value ?? expect.fail('no place')
    expect((await tus(test.url, place, { method: 'DELETE' })).status).toBe(204)
    await sendFile(test.url, visitor, new Uint8Array(90 * KB))
    await expect(announce(visitor, { size: 90 * KB })).rejects.toMatchObject(NO_ROOM)
    for (const party of [visitor, agent])
      await party.client.call('contact.leave', { contact: id, session: party.session.id })
    const next = await queueVisitor(test)
    await expect
      .poll(() => announce(next, { size: 90 * KB }).catch(() => null))
      .toMatchObject({ state: 'open' })
    await test.close()
  })

  it('SND-124 an upload is stalled when too little of it has arrived for so long', () => {
    let now = 0
    const space = new FileSpace(1_000, () => now)
    for (const id of ['still', 'half', 'whole', 'late']) space.reserve(id, 100, 9_999)
    now = 600
    space.wrote('half', 50)
    space.wrote('whole', 100)
    space.wrote('late', 0)
    now = 1_000
    expect(space.stalled(1_000)).toEqual(['still', 'late'])
    now = 1_599
    space.wrote('late', 1)
    expect(space.stalled(1_000)).toEqual(['still'])
    now = 1_600
    expect([space.stalled(1_000), space.fits('new', 601, 9_999)]).toEqual([['still', 'half'], false])
  })

  it('SND-124 a trickle of bytes is no progress: a part of the file is, or 640 kB of a large one', () => {
    let now = 0
    const space = new FileSpace(200_000 * KB, () => now)
    space.reserve('small', 100 * KB, 200_000 * KB)
    space.reserve('large', 100_000 * KB, 200_000 * KB)
    for (let count = 1; count <= 10; count += 1) {
      now += 100
      space.wrote('small', count * 102)
      space.wrote('large', count * 64 * KB)
    }
    expect(space.stalled(1_000)).toEqual(['small'])
    space.wrote('small', KB)
    expect(space.stalled(1_000)).toEqual([])
  })

  it('SND-124 uploads that are announced and never sent make way after 10 min, where the room is needed', async () => {
    const test = await startTestService((options) => ({
      ...options,
      files: { ...options.files, spaceBytes: 300 * KB },
    }))
    const hoarder = await queueVisitor(test)
    const places = []
    for (let count = 0; count < 3; count += 1) places.push(await announceNew(hoarder, { size: 100 * KB }))
    const [begun] = places
    const honest = await queueVisitor(test)
    await expect(announce(honest, { size: 90 * KB })).rejects.toMatchObject(NO_ROOM)
    test.clock.advance(10 * 60_000)
    expect((await tus(test.url, begun ?? expect.fail(), { body: new Uint8Array(KB) })).status).toBe(204)
    await sendFile(test.url, honest, new Uint8Array(90 * KB))
    const states = []
    for (const place of places) states.push((await tus(test.url, place)).status)
    expect([states[0], new Set(states.slice(1))]).toEqual([200, new Set([200, 410])])
    await test.close()
  })

  it('SND-124 an upload that trickles makes way like one that stands still, and its request ends', async () => {
    const test = await startTestService((options) => ({
      ...options,
      files: { ...options.files, spaceBytes: 150 * KB },
    }))
    const { path, token, id } = await announceNew(await queueVisitor(test), { size: 100 * KB })
    const honest = await queueVisitor(test)
    const slow = request(`${test.url}${path}`, {
      method: 'PATCH',
      agent: false,
      headers: {
        'tus-resumable': '1.0.0',
        authorization: `Bearer ${token}`,
        'content-type': 'application/offset+octet-stream',
        'upload-offset': '0',
        'content-length': String(100 * KB),
      },
    })
    const answer = new Promise<number | undefined>((settle) => {
      slow.once('response', ({ statusCode }) => settle(statusCode))
    })
    for (const arrived of [10, 20]) {
      slow.write('ten bytes.')
      await expect.poll(() => statSync(join(test.options.files.folder, id)).size).toBe(arrived)
      test.clock.advance(5 * 60_000)
    }
    await sendFile(test.url, honest, new Uint8Array(90 * KB))
    expect(await answer).toBe(410)
    expect((await tus(test.url, { path, token })).status).toBe(410)
    slow.destroy()
    await test.close()
  })

  it('SND-124 a service that starts again counts what is there, and what is announced', async () => {
    const data = preparedData()
    const options = testOptions(data.folder, (standard) => ({
      ...standard,
      files: { ...standard.files, spaceBytes: 100 * KB },
    }))
    const opened = async (url: string, token: string): Promise<Party> => {
      const client = await WireClient.connect(url, token)
      const { contact } = await client.call('contact.create', { request: 'one', contact: {} })
      const session = new WireSession(client, contact)
      await session.open()
      return { client, session }
    }
    const first = await startService(options)
    const { token } = await signInVisitor(first.url)
    const before = await opened(first.url, token)
    await announceNew(before, { size: 60 * KB })
    before.client.close()
    await first.stop()
    const second = await startService(options)
    const after = await opened(second.url, token)
    await expect(announce(after, { size: 60 * KB })).rejects.toMatchObject(NO_ROOM)
    await announceNew(after, { size: 30 * KB })
    after.client.close()
    await second.stop()
    data.remove()
  })
})
