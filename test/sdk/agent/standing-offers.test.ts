import { expect, it } from 'vitest'
import { StandingOffers } from '../../../sdk/agent/standing-offers.ts'

function offersAt() {
  let now = 1_000
  const offers = new StandingOffers(() => now)
  const told = (expiresInMs: number): boolean => offers.add({ id: 'c', secure: false, expiresInMs })
  return { offers, told, pass: (ms: number) => (now += ms) }
}

it('SRV-10 an offer that the service tells twice is told to the application once', () => {
  const { offers, told, pass } = offersAt()
  expect(told(30_000)).toBe(true)
  pass(150)
  expect(told(29_850)).toBe(false)
  expect(offers.takeLapsed()).toEqual([])
})

it('SRV-10 it is told again after a connection was lost, after it was withdrawn, and where it is another offer', () => {
  const { offers, told, pass } = offersAt()
  expect(told(30_000)).toBe(true)
  offers.doubt()
  pass(5_000)
  expect([told(25_000), told(25_000)]).toEqual([true, false])
  expect(offers.takeLapsed()).toEqual([])
  offers.withdraw({ id: 'c', reason: 'cleared' })
  expect(told(25_000)).toBe(true)
  pass(2_000)
  expect(told(30_000)).toBe(true)
  offers.doubt()
  expect(offers.takeLapsed()).toEqual(['c'])
  expect(told(30_000)).toBe(true)
})
