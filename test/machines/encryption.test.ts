import { describe, expect, it } from 'vitest'
import { createActor } from 'xstate'
import type { ActorLogic } from 'xstate'
import { getAdjacencyMap } from 'xstate/graph'
import type { AdjacencyValue } from 'xstate/graph'
import { encryptionMachine } from '../../machines/index.ts'
import type {
  EncryptionActor,
  EncryptionEmitted,
  EncryptionEvent,
  EncryptionInput,
  EncryptionSnapshot,
  VerifiedBy,
} from '../../machines/index.ts'
import { machineClock } from '../../sdk/client/clock.ts'
import { TestClock } from '../../testing/index.ts'

const agreed = (id: string, resumed: string | null = null, signed = false): EncryptionEvent => ({
  type: 'key.agreed',
  id,
  resumed,
  signed,
})
/** `old` is a key that an earlier page may have verified. */
const EVENTS: readonly EncryptionEvent[] = [
  { type: 'crypto.loaded' },
  { type: 'crypto.failed' },
  { type: 'peer.came' },
  { type: 'peer.left' },
  agreed('new'),
  agreed('new', 'old'),
  agreed('new', null, true),
  { type: 'key.confirmed' },
  { type: 'keys.came', verified: {} },
  { type: 'keys.came', verified: { old: 'user' } },
  { type: 'keys.came', verified: { new: 'user' } },
  { type: 'key.ended' },
  { type: 'tampering.found', what: 'log' },
  { type: 'user.matches' },
  { type: 'user.differs' },
  { type: 'user.accepts' },
]
const place = (snapshot: EncryptionSnapshot): string =>
  JSON.stringify(snapshot.value).replaceAll(/[{}"]/g, '')

type Step = Pick<AdjacencyValue<EncryptionSnapshot, EncryptionEvent>, 'state'> & {
  readonly event: EncryptionEvent
}

/** Every transition between every two moments that the events can bring about. */
function transitionsFrom(verified: Readonly<Record<string, VerifiedBy>>): readonly {
  readonly from: EncryptionSnapshot
  readonly event: EncryptionEvent
  readonly to: EncryptionSnapshot
}[] {
  // Their types do not fit machines that emit, nor each other.
  const logic = encryptionMachine as unknown as ActorLogic<
    EncryptionSnapshot,
    EncryptionEvent,
    EncryptionInput
  >
  const map: unknown = getAdjacencyMap(logic, { events: [...EVENTS], input: { verified } })
  return Object.values(map as Record<string, AdjacencyValue<EncryptionSnapshot, EncryptionEvent>>).flatMap(
    ({ state: from, transitions }) =>
      Object.values(transitions as Record<string, Step>).map(({ event, state: to }) => ({ from, event, to })),
  )
}

const all = [...transitionsFrom({}), ...transitionsFrom({ old: 'user' })]

function started(verified: Readonly<Record<string, VerifiedBy>> = {}): {
  readonly actor: EncryptionActor
  readonly clock: TestClock
  readonly told: EncryptionEmitted[]
} {
  const clock = new TestClock()
  const told: EncryptionEmitted[] = []
  const actor = createActor(encryptionMachine, { clock: machineClock(clock), input: { verified } })
  actor.on('*', (emitted) => void told.push(emitted))
  actor.start()
  return { actor, clock, told }
}

describe('the encryption machine, in every moment that its events bring about', () => {
  it('ENC-210 comes to every state', () => {
    expect(new Set(all.map(({ to }) => place(to)))).toEqual(
      new Set([
        'loading',
        'unavailable',
        'waiting:alone',
        'waiting:agreeing',
        'secured:unverified',
        'secured:verified',
        'held',
        'broken',
      ]),
    )
  })

  it('ENC-211 is verified by the user, by a signature, or from a verified key that it goes on from, and by nothing else', () => {
    for (const { from, event, to } of all) {
      if (place(to) !== 'secured:verified' || place(from) === 'secured:verified') continue
      const goesOn =
        event.type === 'key.agreed' &&
        (event.signed || (event.resumed !== null && event.resumed in from.context.verified))
      const isElsewhere = event.type === 'keys.came' && (from.context.key?.id ?? '') in event.verified
      expect([goesOn || isElsewhere || event.type === 'user.matches', event]).toEqual([true, event])
    }
  })

  it('ENC-212 once a key was verified, one that does not go on from a verified one and is not signed is held until the user says so', () => {
    for (const { from, event, to } of all) {
      if (event.type !== 'key.agreed' || !place(from).startsWith('waiting')) continue
      const isKnown = event.signed || (event.resumed !== null && event.resumed in from.context.verified)
      const isFirst = Object.keys(from.context.verified).length === 0
      expect(place(to)).toBe(isKnown ? 'secured:verified' : isFirst ? 'secured:unverified' : 'held')
    }
    for (const { from, event, to } of all) {
      if (place(from) !== 'held' || !place(to).startsWith('secured')) continue
      // In another tab the user has accepted the key, or compared it.
      const isElsewhere =
        event.type === 'keys.came' &&
        place(to) ===
          (from.context.key && from.context.key.id in event.verified
            ? 'secured:verified'
            : 'secured:unverified') &&
        (place(to) === 'secured:verified' || Object.keys(event.verified).length === 0)
      expect([isElsewhere || ['user.matches', 'user.accepts'].includes(event.type), event]).toEqual([
        true,
        event,
      ])
    }
  })

  it('ENC-213 what differs or was tampered with breaks it from every state, for good', () => {
    for (const { from, event, to } of all) {
      const breaks = event.type === 'user.differs' || event.type === 'tampering.found'
      if (place(from) === 'broken') expect(place(to)).toBe('broken')
      else if (place(from) !== 'unavailable') expect(place(to) === 'broken').toBe(breaks)
    }
  })

  it('ENC-214 holds ids of keys and no key', () => {
    const known = /^(?:old|new|user|organisation|log|people)$/
    const texts = (value: unknown): string[] =>
      typeof value === 'string' ? [value] : Object.values(Object(value) as object).flatMap(texts)
    const contexts = new Set(all.map(({ to }) => JSON.stringify(to.context)))
    for (const each of contexts) for (const text of texts(JSON.parse(each))) expect(text).toMatch(known)
  })
})

describe('the encryption machine', () => {
  it('ENC-215 tells after 15 s with both parties there that there is no key, once, and still waits', async () => {
    const { actor, clock, told } = started()
    actor.send({ type: 'crypto.loaded' })
    await clock.advance(60_000)
    actor.send({ type: 'peer.came' })
    await clock.advance(14_999)
    expect(told).toEqual([])
    await clock.advance(60_000)
    expect(told).toEqual([{ type: 'stalled' }])
    actor.send(agreed('new'))
    expect(place(actor.getSnapshot())).toBe('secured:unverified')
  })

  it('ENC-216 an accepted key is not asked about again, nor are those that go on from it', () => {
    const { actor, told } = started({ old: 'user' })
    for (const event of [
      { type: 'crypto.loaded' } as const,
      agreed('new'),
      { type: 'user.accepts' } as const,
      { type: 'key.ended' } as const,
      agreed('next', 'new'),
    ])
      actor.send(event)
    expect(place(actor.getSnapshot())).toBe('secured:unverified')
    expect(told).toEqual([{ type: 'accepted' }])
  })

  it('ENC-217 a key is confirmed once, by the first thing that opens', () => {
    const { actor, told } = started()
    for (const event of [
      { type: 'crypto.loaded' } as const,
      agreed('new'),
      { type: 'key.confirmed' } as const,
      { type: 'key.confirmed' } as const,
    ])
      actor.send(event)
    expect(told).toEqual([{ type: 'confirmed', id: 'new' }])
  })
})
