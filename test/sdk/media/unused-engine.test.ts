import { afterEach, expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import { FakeEngine, settled } from '../../../testing/index.ts'
import {
  CALL,
  START,
  asked,
  endCleanly,
  fakeOf,
  joined,
  offering,
  record,
  required,
  watch,
} from '../../support/contacts.ts'
import type { Pair } from '../../support/contacts.ts'

let pair: Pair

afterEach(() => endCleanly(pair))

it('MED-25 ENG-21 an engine that carries nothing and breaks ends neither an offer that only receives, nor one of the other side, nor a transition', async () => {
  pair = await joined()
  const others = [
    new FakeEngine({ id: 'Acme', media: ['Whiteboard'] }),
    new FakeEngine({ id: 'Acme', media: ['Whiteboard'] }),
  ]
  await pair.visitor.registerMediaEngine(others[0] as FakeEngine)
  await pair.agent.registerMediaEngine(others[1] as FakeEngine)
  const told = [record(pair.visitor, 'error'), record(pair.agent, 'error')]
  const offers = asked(pair.agent)
  const result = watch(pair.visitor.offerMedia(offering({ Voice: { ...required, tx: 'off' } })))
  const break_ = async (): Promise<void> => {
    await settled()
    for (const other of others)
      other.host?.report({
        type: 'broke',
        error: new ContactError('engine_failed', 'the connection is gone'),
      })
    await settled()
  }
  await break_()
  expect([pair.visitor.mediaState, pair.agent.mediaState, result.result]).toEqual([
    'offering',
    'offered',
    'pending',
  ])
  fakeOf(pair.visitor).script('transit', 'freeze')
  const answer = { ...START, Voice: { ...CALL, rx: false } }
  offers[0]?.callback(null, answer)
  await break_()
  expect([pair.visitor.mediaState, pair.agent.mediaState, result.result]).toEqual([
    'transiting',
    'transiting',
    'pending',
  ])
  fakeOf(pair.visitor).thaw('succeed')
  await settled()
  expect([offers.length, told]).toEqual([1, [[], []]])
  expect(await pair.visitor.getMedia(true)).toMatchObject({ Voice: { tx: false, rx: true } })
})
