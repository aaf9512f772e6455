import { describe, expect, it } from 'vitest'
import { settled } from '../../../testing/index.ts'
import {
  CALLING,
  answering,
  joined,
  mediaOf,
  offering,
  openTab,
  record,
  reload,
  required,
  textsOf,
  watch,
} from '../../support/contacts.ts'

describe('a page that is loaded anew', () => {
  it('LOG-11 what was seen does not come again as an event, what came meanwhile does', async () => {
    const pair = await joined()
    await pair.agent.sendText('seen')
    await settled()
    await pair.pages.visitor.client.close()
    await pair.agent.sendText('missed')
    const page = pair.world.visitor({ tab: pair.tab })
    const { contact } = await page.client.resumeContact()
    if (!contact) throw new Error('nothing was resumed')
    const texts = textsOf(contact)
    await settled()
    expect(texts).toEqual(['missed'])
    await pair.agent.sendText('new')
    await settled()
    expect(texts).toEqual(['missed', 'new'])
  })

  it('LOG-11 a new tab gets no old messages as events', async () => {
    const pair = await joined()
    await pair.agent.sendText('old')
    const page = pair.world.visitor()
    const { contact } = await page.client.resumeContact()
    if (!contact) throw new Error('nothing was resumed')
    const texts = textsOf(contact)
    await pair.agent.sendText('new')
    await settled()
    expect(texts).toEqual(['new'])
  })

  it.each([
    ['was never sent', { name: 'log.append', slot: 'visitor' } as const],
    [
      'was stored without the page knowing',
      { name: 'log.append', slot: 'visitor', answerOnly: true } as const,
    ],
  ])('LOG-5 LOG-6 RES-1 a text that %s arrives once, and what follows it as well', async (_what, loss) => {
    const pair = await joined()
    const there = textsOf(pair.agent)
    pair.link.faults = { onConnect: ({ slot }) => (slot === 'visitor' ? 'drop' : 'pass') }
    pair.link.lose(loss)
    const sent = [watch(pair.visitor.sendText('1')), watch(pair.visitor.sendText('2'))]
    await pair.clock.advance(3_000)
    pair.link.faults = {}
    const { contact } = await reload(pair)
    expect(sent.map(({ result }) => result)).toEqual([{ code: 'left' }, { code: 'left' }])
    await contact.sendText('3')
    await settled()
    expect(there).toEqual(['1', '2', '3'])
  })

  it('LOG-6 MSG-7 an acknowledgement that could not be sent goes out from the next page', async () => {
    const pair = await joined()
    const there = record(pair.agent, 'ack')
    pair.link.faults = {
      onMessage: ({ slot }, name) => (slot === 'visitor' && name === 'log.append' ? 'drop' : 'pass'),
    }
    record(pair.visitor, 'text')
    const ref = await pair.agent.sendText('read this')
    await settled()
    await pair.pages.visitor.client.close()
    pair.link.faults = {}
    await openTab(pair, pair.tab)
    await settled()
    expect(there).toEqual([['ack', { ref, from_id: 'visitor-1', agent: false }]])
  })

  it('MED-6 NEG-1 after a reload offers go on as ever', async () => {
    const pair = await joined()
    const { contact } = await reload(pair)
    answering(pair.agent)
    expect(await contact.offerMedia(offering({ Voice: required }))).toEqual(CALLING)
    expect(mediaOf({ visitor: contact, agent: pair.agent })).toEqual({ visitor: CALLING, agent: CALLING })
  })
})
