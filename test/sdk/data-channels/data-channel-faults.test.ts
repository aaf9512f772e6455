import { describe, expect, it } from 'vitest'
import { createTestContact, settled } from '../../../testing/index.ts'
import { KIB, MIB, code, heard, noise, opened, pairOf, rest } from '../../support/channels.ts'
import { watch } from '../../support/contacts.ts'

describe('data channels under faults', () => {
  it('CHAN-6 what does not connect in 5 s is relayed, and not tried again for a minute', async () => {
    const test = await createTestContact()
    test.pipes.state.agent = 'blocked'
    const channel = watch(test.visitor.getDataChannel('x'))
    await test.clock.advance(4_999)
    expect(channel.result).toBe('pending')
    await test.clock.advance(1)
    expect(channel.result).toMatchObject({ value: { type: 'sio' } })
    test.pipes.state.agent = 'working'
    expect((await test.visitor.getDataChannel('y')).type).toBe('sio')
    await test.clock.advance(60_000)
    expect((await test.visitor.getDataChannel('z')).type).toBe('webrtc')
  })

  it.each([1, 2, 3, 7, 20])(
    'CHAN-6 CHAN-7 the connection breaks at its message %i: over the relay all goes on, in order and once, both ways',
    async (at) => {
      const test = await createTestContact()
      const { here, there } = await pairOf(test)
      let left = at
      test.pipes.onMessage = () => (--left === 0 ? 'cut' : 'pass')
      const [mine, theirs] = [heard(here), heard(there)]
      for (let n = 0; n < 10; n++) {
        void here.send({ n, text: 'x'.repeat(n * 5_000) })
        void there.send(noise(n * 5_000, n).buffer as ArrayBuffer)
        if (n === 5) await settled()
      }
      await rest(test)
      expect(theirs).toEqual(Array.from({ length: 10 }, (_, n) => ({ n, text: 'x'.repeat(n * 5_000) })))
      expect(mine).toEqual(Array.from({ length: 10 }, (_, n) => noise(n * 5_000, n).buffer))
      expect([here.type, there.type, left <= 0]).toEqual(['sio', 'sio', true])
    },
  )

  it('CHAN-6 a break that only the receiver notices is told, also where it has nothing to send', async () => {
    const test = await createTestContact()
    const { here, there } = await pairOf(test)
    const theirs = heard(there)
    await rest(test)
    test.pipes.hold()
    for (let n = 0; n < 5; n++) void here.send(n)
    test.pipes.otherOf('visitor')?.fail()
    await rest(test)
    expect([theirs, here.type, there.type]).toEqual([[0, 1, 2, 3, 4], 'sio', 'sio'])
    await there.send('x')
  })

  it('CHAN-6 the link of either party is cut while data is relayed', async () => {
    const test = await createTestContact()
    const { here, there } = await pairOf(test, 'sio')
    const [mine, theirs] = [heard(here), heard(there)]
    for (let n = 0; n < 40; n++) {
      void here.send(noise(9_000, n).buffer as ArrayBuffer)
      void there.send(n)
      if (n % 8 === 0) test.link.lose({ name: 'relay.send', slot: n % 16 === 0 ? 'visitor' : 'agent' })
      if (n % 8 === 4)
        test.link.lose({ name: 'relay.frame', slot: n % 16 === 4 ? 'agent' : 'visitor', nth: 2 })
      if (n % 4 === 3) await test.clock.advance(300)
    }
    for (let turn = 0; turn < 20; turn++) await test.clock.advance(500)
    expect(theirs).toEqual(Array.from({ length: 40 }, (_, n) => noise(9_000, n).buffer))
    expect(mine).toEqual(Array.from({ length: 40 }, (_, n) => n))
  })

  it('CHAN-8 send waits above 4 MiB until less than 1 MiB waits; channels take turns; the browser never has more than 1 MiB and a frame', async () => {
    const test = await createTestContact()
    const { here, there } = await pairOf(test)
    const other = await test.visitor.getDataChannel('other')
    await settled()
    const theirs = heard(there)
    test.pipes.hold()
    const most: number[] = []
    const first = watch(here.send(new Uint8Array(4 * MIB - KIB)))
    await settled()
    const second = watch(here.send(new Uint8Array(2 * KIB)))
    await settled()
    const quick = watch(other.send('quick'))
    await settled()
    most.push(test.pipes.otherOf('agent')?.bufferedBytes ?? 0)
    expect([first.result, second.result, quick.result]).toEqual([
      { value: undefined },
      'pending',
      { value: undefined },
    ])
    const order: string[] = []
    test.agent.on('data', ({ channel }) => void order.push(channel))
    test.pipes.onMessage = () => {
      most.push(test.pipes.otherOf('agent')?.bufferedBytes ?? 0)
      return 'pass'
    }
    test.pipes.release()
    await rest(test)
    expect([second.result, theirs.length]).toEqual([{ value: undefined }, 2])
    expect(order[0]).toBe('other')
    expect(Math.max(...most)).toBeLessThanOrEqual(MIB + 16_384)
  })

  it('CHAN-8 more than 64 MiB do not wait', async () => {
    const test = await createTestContact()
    const { here } = await pairOf(test)
    test.pipes.hold()
    const sent = Array.from({ length: 5 }, () => watch(here.send(new Uint8Array(16 * MIB - KIB))))
    await settled()
    expect(sent.map(({ result }) => result)).toEqual([
      'pending',
      'pending',
      'pending',
      'pending',
      { code: 'too_large' },
    ])
  })

  it('CHAN-10 a channel closed while it opens is told to nobody', async () => {
    const test = await createTestContact()
    test.pipes.state.agent = 'blocked'
    const told = opened(test.agent)
    const waiting = test.visitor.getDataChannel('x')
    await settled()
    await test.visitor.leave()
    expect([await code(waiting), told]).toEqual(['left', []])
  })

  it('CHAN-6 LIFE-20 leaving settles everything with left, closes the channels and leaves no timer', async () => {
    const test = await createTestContact()
    const { here, there } = await pairOf(test)
    const closes: unknown[] = []
    for (const channel of [here, there]) channel.on('close', (event) => closes.push(event))
    test.pipes.hold()
    const sent = watch(here.send(new Uint8Array(8 * MIB)))
    await test.visitor.leave()
    await settled()
    expect([
      sent.result,
      closes,
      await code(here.send(1)),
      await code(test.visitor.getDataChannel('y')),
    ]).toEqual([{ code: 'left' }, [{ lost: true }, { lost: false }], 'left', 'left'])
    expect(await code(test.agent.getDataChannel('y'))).toBe('peer_left')
    await test.agent.leave()
    expect([test.clock.pending, test.pipes.isOpen]).toEqual([0, false])
  })

  it('CHAN-6 a page load of the other side ends its channels and says that data may be lost; new ones work', async () => {
    const test = await createTestContact()
    const { here } = await pairOf(test)
    const closes: unknown[] = []
    here.on('close', (event) => closes.push(event))
    test.pipes.hold()
    const sent = watch(here.send(new Uint8Array(5 * MIB)))
    const agent = await test.reload('agent')
    await settled()
    test.pipes.release()
    expect([sent.result, closes, await code(here.send(1))]).toEqual([
      { code: 'peer_left' },
      [{ lost: true }],
      'peer_left',
    ])
    const theirs: unknown[] = []
    agent.on('data', ({ data }) => void theirs.push(data))
    await test.visitor.sendData('x', 'again')
    await settled()
    expect([theirs, (await test.visitor.getDataChannel('x')).type]).toEqual([['again'], 'webrtc'])
  })
})
