import { expect, it } from 'vitest'
import { NativeEngine } from '../../../engines/index.ts'
import { FakeEngine, settled } from '../../../testing/index.ts'
import { asked, joined, mediaOf, offering, required, watch } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

/** Both pages have an engine that telephones, whoever made it. */
const telephones = (): World =>
  new World({
    engines: () => [new NativeEngine(), new FakeEngine({ id: 'Phone', media: ['Voice'], via: 'pstn' })],
  })
const CALL = offering({ Voice: { ...required, via: 'pstn', engine: 'Phone' } })

it('ENC-251 an incoming offer of the telephone is rejected in a secure contact, and its application is not asked', async () => {
  const pair = await joined({ secure: true }, undefined, telephones())
  const offers = asked(pair.visitor)
  const offer = watch(pair.agent.offerMedia(CALL))
  await settled()
  expect([offers, offer.result]).toEqual([[], { code: 'rejected' }])
  expect(mediaOf(pair).visitor['Voice']?.tx ?? false).toBe(false)
})

it('ENC-252 in a contact that is not secure the application is asked about the telephone', async () => {
  const pair = await joined({}, undefined, telephones())
  const offers = asked(pair.visitor)
  pair.agent.offerMedia(CALL).catch(() => {})
  await settled()
  expect(offers).toHaveLength(1)
})
