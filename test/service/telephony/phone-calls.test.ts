import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Retry } from '../../../service/src/retry.ts'
import { PhoneCalls } from '../../../service/src/telephony/phone-calls.ts'
import type { PhoneCall, PhoneEvents } from '../../../service/src/telephony/index.ts'
import { settled } from '../../../testing/index.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { memoryRows } from './phone-rows-fake.ts'

/** What the store says of a contact: the transition for which it is to be called, or that it wants none. */
interface Wanted {
  readonly ref: number | null
  readonly before?: string
}

/** Calls of contacts whose logs and gateway a test plays. */
function office() {
  const clock = new ManualClock()
  const wanted = new Map<string, Wanted>()
  const dialled: PhoneCall[] = []
  const hungUp: string[] = []
  const faults: unknown[] = []
  const slow = { dial: false, hangUp: false }
  const store = { isOut: false }
  const open: (() => void)[] = []
  const events: PhoneEvents[] = []
  const noted: unknown[] = []
  const maybe = (isSlow: boolean): Promise<void> =>
    isSlow ? new Promise((settle) => open.push(settle)) : Promise.resolve()
  const read = async (contact: string): Promise<unknown> => {
    if (store.isOut) throw new Error('the store is out')
    const want = wanted.get(contact)
    if (!want) return null
    const phase =
      want.ref === null
        ? { name: 'idle' }
        : { name: 'transiting', ref: want.ref, target: { Voice: { via: 'pstn' } } }
    const details = JSON.stringify({
      data: [{ name: 'f', data: [{ name: 'n', type: 'phone', value: '+4930123456' }] }],
    })
    return {
      row: {
        life: 'joined',
        machine: '{"value":{"open":{"visitor":"here"}}}',
        details,
        agent: 'ada',
        transferred_from: want.before ?? null,
      },
      state: { shared: { phase, media: {} } },
    }
  }
  const change = async (contact: string, run: (change: unknown) => Promise<void>): Promise<void> => {
    const found = (await read(contact)) as { readonly state: unknown } | null
    const life = { value: { open: { progress: 'joined' } } }
    if (found) await run({ life, state: found.state, noteTelephone: (news: unknown) => noted.push(news) })
  }
  const gateway = {
    dial: (call: PhoneCall, of: PhoneEvents) => {
      dialled.push(call)
      events.push(of)
      return maybe(slow.dial)
    },
    hangUp: (id: string) => {
      hungUp.push(id)
      return maybe(slow.hangUp)
    },
  }
  const onFault = (thrown: unknown): void => void faults.push(thrown)
  const rows = memoryRows()
  const calls = new PhoneCalls({
    gateway,
    store: { read, change } as never,
    rows: rows.at('own'),
    takesCalls: () => true,
    clock,
    random: (size) => randomBytes(size),
    retry: new Retry(onFault, (run, delayMs) => void clock.setTimeout(run, delayMs)),
    onFault,
  })
  const want = async (contact: string, next: Wanted | null): Promise<void> => {
    if (next) wanted.set(contact, next)
    else wanted.delete(contact)
    calls.sync(contact)
    await settled()
  }
  return {
    clock,
    calls,
    want,
    dialled,
    events,
    noted,
    hungUp,
    faults,
    slow,
    store,
    wanted,
    finish: () => open.splice(0).forEach((settle) => settle()),
  }
}
const idOf = (call: PhoneCall | undefined): string => call?.id ?? 'no call'

describe('calls of a slow gateway', () => {
  it('SND-122 a contact that goes while the gateway still dials is hung up at once, and once more when it has dialled', async () => {
    const { want, dialled, hungUp, slow, finish } = office()
    slow.dial = true
    await want('c1', { ref: 1 })
    await want('c1', null)
    expect([hungUp, dialled[0]?.signal.aborted]).toEqual([[idOf(dialled[0])], true])
    finish()
    await settled()
    expect(hungUp).toEqual([idOf(dialled[0]), idOf(dialled[0])])
  })

  it('SND-122 nobody answers while the gateway still dials: it is given up after 25 s', async () => {
    const { want, dialled, hungUp, slow, clock } = office()
    slow.dial = true
    await want('c1', { ref: 1 })
    clock.advance(25_000)
    expect([hungUp, dialled[0]?.signal.aborted]).toEqual([[idOf(dialled[0])], true])
  })

  it('SND-122 a visitor who is handed on is rung up when the telephone is free, and once', async () => {
    const { want, dialled, hungUp, slow, finish } = office()
    await want('c1', { ref: 1 })
    slow.hangUp = true
    await want('c2', { ref: 7, before: 'c1' })
    await want('c2', { ref: 7, before: 'c1' })
    expect([hungUp, dialled.length]).toEqual([[idOf(dialled[0])], 1])
    finish()
    await settled()
    expect(dialled.map(({ contact }) => contact)).toEqual(['c1', 'c2'])
    await want('c1', { ref: null })
    expect(hungUp).toHaveLength(1)
  })

  it('SND-122 a gateway that never hangs up keeps nobody from a call, nor the service from its end', async () => {
    const { want, dialled, slow, clock, calls, faults } = office()
    slow.hangUp = true
    await want('c1', { ref: 1 })
    await want('c1', { ref: 2 })
    expect(dialled).toHaveLength(1)
    clock.advance(5_000)
    await settled()
    expect([dialled.length, faults.length]).toEqual([2, 1])
    const stopped = calls.stop()
    clock.advance(5_000)
    await stopped
    expect(dialled.every(({ signal }) => signal.aborted)).toBe(true)
  })
})

describe('the telephone that becomes free', () => {
  it.each([
    ['the contact has ended', null],
    ['the transition was given up', { ref: null, before: 'c1' }],
    ['the contact wants another transition', { ref: 8, before: 'c1' }],
  ] as const)('SND-122 does not ring for what was wanted before, where %s meanwhile', async (_what, next) => {
    const { want, dialled, hungUp, slow, finish } = office()
    await want('c1', { ref: 1 })
    slow.hangUp = true
    await want('c2', { ref: 7, before: 'c1' })
    await want('c2', next)
    finish()
    await settled()
    expect(dialled.map(({ contact }) => contact)).toEqual(next?.ref ? ['c1', 'c2'] : ['c1'])
    expect(hungUp).toEqual([idOf(dialled[0])])
  })
})

describe('calls while the store is out', () => {
  /** The store is back, and what waits for it is tried again. */
  const back = async ({ store, clock }: ReturnType<typeof office>): Promise<void> => {
    store.isOut = false
    clock.advance(2_000)
    await settled()
  }

  it('SND-122 SRV-14 what has been agreed meanwhile rings when the store is back', async () => {
    const played = office()
    const { want, dialled, store } = played
    store.isOut = true
    await want('c1', { ref: 1 })
    expect(dialled).toEqual([])
    await back(played)
    expect(dialled.map(({ contact }) => contact)).toEqual(['c1'])
  })

  it('SND-122 SRV-14 a call whose contact has ended meanwhile is hung up when the store is back', async () => {
    const played = office()
    const { want, dialled, hungUp, store } = played
    await want('c1', { ref: 1 })
    store.isOut = true
    await want('c1', null)
    expect(hungUp).toEqual([])
    await back(played)
    expect(hungUp).toEqual([idOf(dialled[0])])
  })

  it.each(['answered', 'ended'] as const)(
    'SND-122 what a call came to while the store was out (%s) is not told of the next one',
    async (what) => {
      const played = office()
      const { want, events, noted, store, wanted, dialled } = played
      await want('c1', { ref: 1 })
      store.isOut = true
      if (what === 'answered') events[0]?.answered()
      else events[0]?.ended('busy')
      await settled()
      wanted.set('c1', { ref: 7 })
      await back(played)
      expect(noted).toEqual([])
      await want('c1', { ref: 7 })
      expect(dialled).toHaveLength(2)
      events[1]?.answered()
      await settled()
      expect(noted).toEqual([{ state: 'answered' }])
    },
  )

  it('SND-122 a call of whose end nobody told is hung up when all are compared', async () => {
    const { want, wanted, calls, dialled, hungUp } = office()
    await want('c1', { ref: 1 })
    await want('c2', { ref: 1 })
    wanted.delete('c1')
    await calls.syncAll()
    await settled()
    expect(hungUp).toEqual([idOf(dialled[0])])
  })
})

describe('the stop', () => {
  it('SND-122 nothing rings after it, though it was being looked at', async () => {
    const { calls, wanted, dialled } = office()
    wanted.set('c1', { ref: 1 })
    calls.sync('c1')
    await calls.stop()
    await settled()
    expect(dialled).toEqual([])
  })

  it('SND-122 what the gateway still dials is hung up once more when it has dialled, before the end', async () => {
    const { calls, want, dialled, hungUp, slow, finish } = office()
    slow.dial = true
    await want('c1', { ref: 1 })
    let isOver = false
    const stopped = calls.stop().then(() => (isOver = true))
    await settled()
    expect(isOver).toBe(false)
    finish()
    await stopped
    expect(hungUp).toEqual([idOf(dialled[0]), idOf(dialled[0])])
  })
})
