import { beforeEach, describe, expect, it } from 'vitest'
import { createActor, fromCallback, fromPromise } from 'xstate'
import { linkMachine } from '../../machines/index.ts'
import type { LinkActor, LinkEvent } from '../../machines/index.ts'
import { machineClock } from '../../sdk/client/clock.ts'
import { TestClock, settled } from '../../testing/index.ts'

let clock: TestClock
let link: LinkActor
/** Connections, in the order in which they were begun. */
let connections: { readonly tell: (event: LinkEvent) => void; open: boolean }[]
let replays: { readonly done: () => void; readonly failed: () => void }[]
let checks: typeof replays

const down = (jitter = 0): LinkEvent => ({ type: 'link.down', code: 'offline', final: false, jitter })
const refused: LinkEvent = { type: 'link.down', code: 'unauthorized', final: true, jitter: 0 }
const state = (): string => JSON.stringify(link.getSnapshot().value).replaceAll(/[{}"]/g, '')
const open = (): number => connections.filter((connection) => connection.open).length
const tell = (event: LinkEvent): void => connections.at(-1)?.tell(event)

beforeEach(() => {
  clock = new TestClock()
  connections = []
  replays = []
  checks = []
  const connection = fromCallback<LinkEvent>(({ sendBack }) => {
    const one = { tell: sendBack, open: true }
    connections.push(one)
    return () => void (one.open = false)
  })
  const resume = fromPromise<void>(
    () =>
      new Promise((resolve, reject) =>
        replays.push({ done: resolve, failed: () => reject(new Error('lost')) }),
      ),
  )
  const check = fromPromise<void>(
    () =>
      new Promise((resolve, reject) =>
        checks.push({ done: resolve, failed: () => reject(new Error('lost')) }),
      ),
  )
  link = createActor(linkMachine.provide({ actors: { connection, resume, check } }), {
    clock: machineClock(clock),
  }).start()
})

/** A link that is online. */
async function online(): Promise<void> {
  link.send({ type: 'link.start' })
  tell({ type: 'link.up' })
  replays.at(-1)?.done()
  await settled()
}

describe('the link machine', () => {
  it('LIFE-23 connects to nothing until it is started', () => {
    expect([state(), connections.length, clock.pending]).toEqual(['offline', 0, 0])
    link.send({ type: 'link.wake' })
    expect(state()).toBe('offline')
  })

  it('LOG-3 is online when it is up and everything missed has been replayed', async () => {
    link.send({ type: 'link.start' })
    expect([state(), open()]).toEqual(['connected:connecting', 1])
    tell({ type: 'link.up' })
    expect([state(), replays.length]).toEqual(['connected:resuming', 1])
    replays[0]?.done()
    await settled()
    expect([state(), link.getSnapshot().context, clock.pending]).toEqual([
      'connected:online',
      { attempts: 0, jitter: 0, retryAfterMs: 0, code: null, isMoving: false },
      0,
    ])
  })

  it.each([
    [0, [250, 500, 1_000, 2_000, 2_000]],
    [1, [125, 250, 500, 1_000, 1_000]],
  ])('ENG-18 SRV-15 with a jitter of %d it waits %j ms between attempts', async (jitter, waits) => {
    link.send({ type: 'link.start' })
    for (const wait of waits) {
      tell(down(jitter))
      const before = connections.length
      expect([state(), open()]).toEqual(['waiting', 0])
      await clock.advance(wait - 1)
      expect(connections.length).toBe(before)
      await clock.advance(1)
      expect([state(), connections.length]).toEqual(['connected:connecting', before + 1])
    }
  })

  it('CLU-145 comes again when the service says it, not before, and after the next end as before', async () => {
    link.send({ type: 'link.start' })
    tell({ type: 'link.down', code: 'rate_limited', final: false, jitter: 0.5, retryAfterMs: 4_000 })
    await clock.advance(4_999)
    expect(state()).toBe('waiting')
    await clock.advance(1)
    expect(state()).toBe('connected:connecting')
    tell(down())
    await clock.advance(500)
    expect(state()).toBe('connected:connecting')
  })

  it('SRV-15 starts with the shortest wait again once it was online', async () => {
    link.send({ type: 'link.start' })
    for (let n = 0; n < 5; n++) {
      tell(down())
      await clock.advance(2_000)
    }
    tell({ type: 'link.up' })
    replays.at(-1)?.done()
    await settled()
    tell(down())
    const before = connections.length
    await clock.advance(250)
    expect(connections.length).toBe(before + 1)
  })

  it('RES-3 on waking it checks the connection at once, and takes another where no answer comes within 3 s', async () => {
    await online()
    link.send({ type: 'link.wake' })
    expect([state(), checks.length]).toEqual(['connected:checking', 1])
    checks[0]?.done()
    await settled()
    expect([state(), open(), connections.length]).toEqual(['connected:online', 1, 1])
    link.send({ type: 'link.wake' })
    link.send({ type: 'link.wake' })
    expect(checks.length).toBe(2)
    await clock.advance(2_999)
    expect(state()).toBe('connected:checking')
    await clock.advance(1)
    expect([state(), open()]).toEqual(['waiting', 0])
    link.send({ type: 'link.wake' })
    expect([state(), open()]).toEqual(['connected:connecting', 1])
    tell({ type: 'link.up' })
    expect(state()).toBe('connected:resuming')
    replays.at(-1)?.done()
    await settled()
    link.send({ type: 'link.wake' })
    checks.at(-1)?.failed()
    await settled()
    expect([state(), open(), link.getSnapshot().context.code]).toEqual(['waiting', 0, 'offline'])
  })

  it('ERR-6 gives up a connection that is not made within 20 s', async () => {
    link.send({ type: 'link.start' })
    await clock.advance(19_999)
    expect([state(), open()]).toEqual(['connected:connecting', 1])
    await clock.advance(1)
    expect([state(), open(), link.getSnapshot().context.code]).toEqual(['waiting', 0, 'offline'])
  })

  it('ERR-6 gives up a replay that takes longer than 15 s', async () => {
    link.send({ type: 'link.start' })
    tell({ type: 'link.up' })
    await clock.advance(14_999)
    expect(state()).toBe('connected:resuming')
    await clock.advance(1)
    expect([state(), open()]).toEqual(['waiting', 0])
  })

  it('SND-22 SND-303 a replay may take as long as something arrives', async () => {
    link.send({ type: 'link.start' })
    tell({ type: 'link.up' })
    for (let minute = 0; minute < 60; minute++) {
      await clock.advance(14_999)
      tell({ type: 'link.heard' })
    }
    expect([state(), clock.pending]).toEqual(['connected:resuming', 1])
    await clock.advance(14_999)
    expect(state()).toBe('connected:resuming')
    await clock.advance(1)
    expect([state(), open()]).toEqual(['waiting', 0])
  })

  it('SND-22 RES-3 a connection on which something arrives lives, though the answer to the check is late', async () => {
    await online()
    link.send({ type: 'link.wake' })
    await clock.advance(2_999)
    tell({ type: 'link.heard' })
    expect([state(), clock.pending]).toEqual(['connected:online', 0])
  })

  it('LOG-3 a replay that fails closes the connection and tries again', async () => {
    link.send({ type: 'link.start' })
    tell({ type: 'link.up' })
    replays[0]?.failed()
    await settled()
    expect([state(), open()]).toEqual(['waiting', 0])
    await clock.advance(250)
    expect(open()).toBe(1)
  })

  it('LOG-3 a connection that breaks while it replays is not online when the replay ends', async () => {
    link.send({ type: 'link.start' })
    tell({ type: 'link.up' })
    tell(down())
    replays[0]?.done()
    await settled()
    expect(state()).toBe('waiting')
  })

  it('RES-3 a wake-up tries at once, and makes no second connection while there is one', async () => {
    await online()
    link.send({ type: 'link.wake' })
    expect([state(), connections.length]).toEqual(['connected:checking', 1])
    tell(down())
    link.send({ type: 'link.wake' })
    expect([state(), connections.length, clock.pending]).toEqual(['connected:connecting', 2, 1])
  })

  it('SRV-3 SRV-16 SND-3 a refusal is final until it is started again, or the page is shown again', async () => {
    await online()
    tell(refused)
    expect([state(), open(), link.getSnapshot().context.code, clock.pending]).toEqual([
      'refused',
      0,
      'unauthorized',
      0,
    ])
    await clock.advance(60_000)
    expect(connections.length).toBe(1)
    for (const type of ['link.wake', 'link.start'] as const) {
      link.send({ type })
      expect([state(), open()]).toEqual(['connected:connecting', 1])
      tell(refused)
    }
    expect([state(), connections.length]).toEqual(['refused', 3])
  })

  const isMoving = (): boolean => link.getSnapshot().context.isMoving

  it('CLU-45 a node that stops is left once it has answered all, at once, for another one', async () => {
    await online()
    link.send({ type: 'link.answered' })
    expect(state()).toBe('connected:online')
    tell({ type: 'link.drain' })
    expect([state(), open(), connections.length, isMoving()]).toEqual(['connected:draining', 1, 1, true])
    link.send({ type: 'link.answered' })
    expect([state(), open(), connections.length, isMoving()]).toEqual(['connected:connecting', 1, 2, true])
    tell({ type: 'link.up' })
    expect([state(), replays.length, isMoving()]).toEqual(['connected:resuming', 2, true])
    replays.at(-1)?.done()
    await settled()
    expect([state(), isMoving(), clock.pending]).toEqual(['connected:online', false, 0])
  })

  it('CLU-45 a node that stops before all was replayed or checked is left as well', async () => {
    link.send({ type: 'link.start' })
    tell({ type: 'link.up' })
    tell({ type: 'link.drain' })
    expect([state(), open(), connections.length, isMoving()]).toEqual(['connected:connecting', 1, 2, true])
    tell({ type: 'link.up' })
    replays.at(-1)?.done()
    await settled()
    link.send({ type: 'link.wake' })
    tell({ type: 'link.drain' })
    expect([state(), isMoving()]).toEqual(['connected:draining', true])
  })

  it('CLU-45 nothing waits for another node longer than 10 s, nor after a refusal, nor for a page that has gone', async () => {
    await online()
    tell({ type: 'link.drain' })
    tell(down())
    await clock.advance(9_999)
    expect(isMoving()).toBe(true)
    await clock.advance(1)
    expect(isMoving()).toBe(false)
    for (const end of [refused, { type: 'link.hide' }, { type: 'link.close' }] as const) {
      if (state() === 'refused' || state() === 'hidden') link.send({ type: 'link.wake' })
      tell({ type: 'link.up' })
      replays.at(-1)?.done()
      await settled()
      expect(state()).toBe('connected:online')
      tell({ type: 'link.drain' })
      expect(isMoving()).toBe(true)
      if (end.type === 'link.down') tell(end)
      else link.send(end)
      expect([isMoving(), clock.pending]).toEqual([false, 0])
    }
  })

  it.each(['offline', 'connecting', 'resuming', 'online', 'waiting', 'refused'])(
    'LIFE-20 closing while %s leaves no connection and no timer',
    async (when) => {
      if (when !== 'offline') link.send({ type: 'link.start' })
      if (when === 'resuming') tell({ type: 'link.up' })
      if (when === 'online') await online()
      if (when === 'waiting') tell(down())
      if (when === 'refused') tell(refused)
      expect(state()).toContain(when)
      link.send({ type: 'link.close' })
      expect([state(), open(), clock.pending]).toEqual(['closed', 0, 0])
    },
  )
})
