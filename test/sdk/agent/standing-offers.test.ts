import { expect, it } from 'vitest'
import { StandingOffers } from '../../../sdk/agent/standing-offers.ts'

it('SRV-10 an offer that the service tells twice is news once, and again after a lost connection or a withdrawal', () => {
  const offers = new StandingOffers()
  const told = (): boolean => offers.add({ id: 'c', secure: false })
  expect([told(), told()]).toEqual([true, false])
  offers.doubt()
  expect([told(), told()]).toEqual([true, false])
  expect(offers.takeLapsed()).toEqual([])
  offers.withdraw({ id: 'c', reason: 'cleared' })
  expect([told(), told()]).toEqual([true, false])
})
