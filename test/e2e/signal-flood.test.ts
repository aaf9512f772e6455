import { afterAll, beforeAll, expect, it } from 'vitest'
import { PRODUCTION_RATES } from '../../service/src/limits/rate-limits.ts'
import { launchChromium, servePage } from '../support/chromium.ts'
import type { ChromiumUnderTest, ServedPage } from '../support/chromium.ts'
import { queueVisitor } from '../support/parties.ts'
import { signInAgent, startTestService } from '../support/service.ts'
import type { TestService } from '../support/service.ts'

const PER_SECOND = 100

let test: TestService
let browser: ChromiumUnderTest
let site: ServedPage
beforeAll(async () => {
  test = await startTestService({}, { rates: PRODUCTION_RATES })
  browser = await launchChromium()
  site = await servePage('')
})
afterAll(async () => {
  await browser?.close()
  await site?.close()
  await test?.close()
})

it('SND-306 SND-302 a visitor who sends signals for a data channel that nobody has opened cuts no agent off from the service', async () => {
  const { token } = await signInAgent(test.url, 'Ada')
  const agent = await browser.newPage(site.url)
  await agent.evaluate(`(async () => {
    const { createAgent } = await import('${test.url}/sdk/agent.js')
    window.states = []
    const desk = createAgent({ service: '${test.url}', token: '${token}' })
    desk.on('connection', ({ state }) => states.push(state))
    desk.on('distribution', async ({ id }) => {
      const contact = await desk.accept(id)
      await contact.join()
      window.contact = contact
    })
    await desk.ready()
  })()`)
  const { client, id: contact, session } = await queueVisitor(test)
  const { entries } = await client.push('log.entries', ({ entries: some }) =>
    some.some(({ type, slot }) => type === 'present' && slot === 'agent'),
  )
  const present = entries.flatMap((entry) =>
    entry.type === 'present' && entry.slot === 'agent' ? [entry.session] : [],
  )
  await agent.waitForFunction('window.contact !== undefined')
  for (let n = 1; n <= 12 * PER_SECOND; n++) {
    test.clock.advance(1_000 / PER_SECOND)
    const body = { attempt: `a${n}`, peer: { type: 'offer', sdp: 'v=0\r\n' } }
    const frame = { n, ack: 0, kind: 'channel', body }
    const to = present[0] ?? ''
    expect(await client.ask('relay.send', { contact, session: session.id, to, frame })).toMatchObject({
      ok: true,
    })
  }
  await agent.evaluate(`contact.sendText('I am still here')`)
  expect(await agent.evaluate('states')).toEqual(['connecting', 'online'])
})
