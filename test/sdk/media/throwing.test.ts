import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { NativeEngine } from '../../../engines/index.ts'
import type { Contact, MediaEngine } from '../../../sdk/index.ts'
import { FakeEngine, createTestContact, settled } from '../../../testing/index.ts'
import { OFF, VOICE, answering, fakeOf, joined, offering, required, watch } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

const thrower = (): never => {
  throw new Error('of somebody else')
}
const rejecter = (): Promise<never> => Promise.reject(new Error('of somebody else'))
const hanger = (): Promise<never> => new Promise(() => {})
const WAYS = [
  ['throws', thrower],
  ['rejects', rejecter],
  ['never answers', hanger],
] as const

let unhandled: unknown[] = []
const note = (reason: unknown): void => void unhandled.push(reason)

beforeEach(() => {
  unhandled = []
  process.on('unhandledRejection', note)
})

afterEach(async () => {
  await new Promise((resolve) => setTimeout(resolve))
  process.off('unhandledRejection', note)
  if (unhandled.length > 0) throw new Error(`nobody took ${String(unhandled[0])}`)
})

/** Chat goes both ways, and no connection was lost. */
async function expectAlive({
  visitor,
  agent,
  states,
}: {
  readonly visitor: Contact
  readonly agent: Contact
  readonly states: readonly string[]
}): Promise<void> {
  const got: string[] = []
  for (const contact of [visitor, agent]) contact.on('text', ({ text }) => void got.push(text))
  await Promise.all([visitor.sendText('from the visitor'), agent.sendText('from the agent')])
  await settled()
  expect([got.toSorted(), states]).toEqual([['from the agent', 'from the visitor'], []])
}

const statesOf = (...contacts: readonly Contact[]): string[] => {
  const states: string[] = []
  for (const contact of contacts) contact.on('connection', ({ state }) => void states.push(state))
  return states
}

const MEMBERS = [
  'prepare',
  'transit',
  'undo',
  'receive',
  'data',
  'stop',
  'controls',
  'setControls',
  'capabilities',
] as const

describe('what an engine throws', () => {
  for (const member of MEMBERS)
    it.each(WAYS)(
      `SND-302 where ${member} %s, chat and connection go on on both sides, and the contact can be left`,
      async (_way, fail) => {
        const { visitor, agent, clock } = await createTestContact()
        const states = statesOf(visitor, agent)
        Object.defineProperty(visitor.getMediaEngine('WebRTC'), member, { value: fail })
        answering(agent)
        answering(visitor)
        const running = [watch(visitor.offerMedia(VOICE))]
        await settled()
        fakeOf(agent).host?.signal({ of: 'the other side' })
        await clock.advance(40_000)
        running.push(watch(agent.offerMedia(offering({ Voice: required, Video: required }))))
        await clock.advance(40_000)
        await visitor.getMedia()
        running.push(watch(visitor.mergeAndTransitMedia({ Voice: OFF })))
        await clock.advance(120_000)
        expect(running.map(({ result }) => result)).not.toContain('pending')
        await expectAlive({ visitor, agent, states })
        const left = watch(visitor.leave())
        await clock.advance(20_000)
        expect(left.result).toEqual({ value: undefined })
      },
    )

  it.each(['capabilities', 'attach'] as const)(
    'SND-302 a contact opens also where %s of an engine throws, and that is told',
    async (member) => {
      const broken = (): MediaEngine =>
        Object.defineProperty(new FakeEngine({ id: 'Broken', media: ['Voice'] }), member, { value: thrower })
      const world = new World({ engines: () => [new NativeEngine(), broken()] })
      const errors: unknown[] = []
      const pair = await joined(
        {},
        ({ visitor }) => void visitor.on('error', (error) => errors.push(error)),
        world,
      )
      expect(pair.visitor.getMediaEngine('Broken')).toBe(undefined)
      await expectAlive({ ...pair, states: [] })
    },
  )
})

describe('what a handler or a callback throws', () => {
  const FAILING = [
    ['throws', thrower],
    ['rejects', rejecter],
  ] as const
  const EVENTS = [
    'text',
    'localtext',
    'mediaoffer',
    'mediachange',
    'mediastate',
    'capabilities',
    'localcapabilities',
    'left',
    'ack',
    'action',
    'connection',
    'data',
    'datachannel',
  ] as const

  it.each(EVENTS)('SND-302 a handler of %s that throws disturbs nothing', async (event) => {
    const pair = await joined()
    const states = statesOf(pair.visitor, pair.agent)
    for (const contact of [pair.visitor, pair.agent]) contact.on(event, thrower)
    answering(pair.agent)
    await pair.visitor.offerMedia(VOICE).catch(() => {})
    await pair.visitor.setLocalCapability('Acme', 1)
    await pair.visitor.sendAction('Blink', ['a'])
    await pair.visitor.sendData('one', 1)
    await settled()
    await expectAlive({ ...pair, states })
  })

  it.each(FAILING)('SND-302 a procedure that %s is a failure of its request', async (_way, fail) => {
    const pair = await joined()
    pair.agent.on('Ask', fail as never)
    await expect(pair.visitor.request('Ask')).rejects.toMatchObject({ message: 'of somebody else' })
    await expectAlive({ ...pair, states: [] })
  })

  it('SND-302 a callback that throws disturbs nothing', async () => {
    const pair = await joined()
    await pair.visitor.sendText('x', undefined, thrower)
    await pair.visitor.offerMedia({ Nonsense: required }, thrower)
    await pair.visitor.request('Nothing', null, null, null, thrower)
    await expectAlive({ ...pair, states: [] })
  })
})
