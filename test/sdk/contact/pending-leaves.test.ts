import { describe, expect, it } from 'vitest'
import { AgentImpl } from '../../../sdk/agent/create-agent.ts'
import type { KeyValueStore } from '../../../sdk/api/client.ts'
import { PendingLeaves } from '../../../sdk/client/pending-leaves.ts'
import type { ServiceLink } from '../../../sdk/link/service-link.ts'
import { subjectOf } from '../../../sdk/link/token-subject.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { ContactError } from '../../../protocol/index.ts'
import type { Calls } from '../../../protocol/index.ts'
import { settled } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import { record } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

/** A token in the name of `sub`, as an identity provider issues it. */
const tokenOf = (sub: string): string =>
  `e30.${btoa(JSON.stringify({ sub, nick: '\u00fc>?' }))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')}.x`

/** A page of an agent in a tab. */
const pageOf = (
  world: World,
  id: string,
  { tab, token }: { readonly tab: KeyValueStore; readonly token: string },
): AgentImpl =>
  new AgentImpl(
    { service: 'http://localhost', token, transport: world.link.transport({ slot: 'agent', id, nick: id }) },
    { ...testEnvironment(world.clock), clock: world.clock, tab },
  )

/** Ada has left in this tab, and the service has not heard of it. */
async function leftUnheard(world: World, given: { readonly tab: KeyValueStore; readonly token: string }) {
  const visitor = await world.visitor().client.createContact()
  const page = pageOf(world, 'ada', given)
  const contact = await page.accept(visitor.id)
  await contact.join()
  await settled()
  world.link.faults = { onConnect: ({ slot }) => (slot === 'agent' ? 'drop' : 'pass') }
  world.link.cut('agent')
  await contact.leave()
  await page.close()
  world.link.faults = {}
  return record(visitor, 'left')
}

/** Whose pages have told the service of a leave. */
function tellers({ link }: World): string[] {
  const told: string[] = []
  link.faults = {
    onMessage: ({ id }, name) => {
      if (name === 'contact.leave') told.push(id)
      return 'pass'
    },
  }
  return told
}

describe('a leave that the service has not heard of', () => {
  it('SND-21 SND-304 is told in the name of the agent who has left, not of another one who signs in in the same tab', async () => {
    const [world, tab] = [new World(), memoryStore()]
    const told = await leftUnheard(world, { tab, token: tokenOf('ada') })
    const names = tellers(world)
    const other = pageOf(world, 'bob', { tab, token: tokenOf('bob') })
    await other.ready()
    await other.close()
    expect([names, told]).toEqual([[], []])
    const again = pageOf(world, 'ada', { tab, token: tokenOf('ada') })
    await again.ready()
    await settled()
    expect([names, told]).toMatchObject([['ada'], [['left', { user: 'ada' }]]])
    await again.ready()
    await again.close()
    expect(names).toEqual(['ada'])
  })

  it('SND-21 SND-304 is kept where the token does not say whose it is and the service says that the contact is not with this agent', async () => {
    const [world, tab] = [new World(), memoryStore()]
    const told = await leftUnheard(world, { tab, token: 'opaque' })
    const names = tellers(world)
    for (const id of ['bob', 'ada', 'ada']) {
      const page = pageOf(world, id, { tab, token: 'opaque' })
      await page.ready()
      await page.close()
    }
    await settled()
    expect([names, told]).toMatchObject([['bob', 'ada'], [['left', { user: 'ada' }]]])
  })

  it('SND-21 ends for its own agent where the service says that the contact is not with them any more', async () => {
    const [world, tab] = [new World(), memoryStore()]
    await leftUnheard(world, { tab, token: tokenOf('ada') })
    const names: Calls['contact.leave']['args'][] = []
    world.link.faults = {
      onMessage: (_party, name, body) => {
        if (name !== 'contact.leave') return 'pass'
        names.push(body as Calls['contact.leave']['args'])
        throw new ContactError('not_assigned', 'unable to use the contact; it is not assigned to this agent')
      },
    }
    for (let load = 0; load < 2; load++) {
      const page = pageOf(world, 'ada', { tab, token: tokenOf('ada') })
      await page.ready()
      await page.close()
    }
    expect(names.length).toBe(1)
  })
})

describe('a page that closes while a leave of an earlier one is being told', () => {
  it('SND-21 waits until the service has heard of it', async () => {
    const tab = memoryStore()
    const leave = { party: 'ada', contact: 'c-1', session: 's-1' }
    tab.setItem('leaves', JSON.stringify([leave]))
    const answers: (() => void)[] = []
    const link = {
      isConnected: true,
      callHere: () => new Promise<void>((resolve) => answers.push(resolve)),
    } as unknown as ServiceLink
    const leaves = new PendingLeaves({
      store: tab,
      key: 'leaves',
      onTold: async () => {},
      onDone: () => {},
      onFailed: () => {},
    })
    const telling = leaves.tellAll(link, 'ada')
    const waited = leaves.telling
    expect(waited).not.toBeNull()
    for (const answer of answers) answer()
    await Promise.all([telling, waited])
    expect([leaves.telling, tab.getItem('leaves')]).toEqual([null, null])
  })
})

describe('the subject of a token', () => {
  it.each([
    ['a JWT', tokenOf('ada'), 'ada'],
    ['no subject', `e30.${btoa('{}')}.x`, undefined],
    ['a subject that is no text', `e30.${btoa('{"sub":1}')}.x`, undefined],
    ['not JSON', `e30.${btoa('no')}.x`, undefined],
    ['null', `e30.${btoa('null')}.x`, undefined],
    ['not base64', 'e30.~.x', undefined],
    ['opaque', 'opaque', undefined],
    ['nothing', '', undefined],
  ])('SND-21 %s', (_what, token, subject) => {
    expect(subjectOf(token)).toBe(subject)
  })
})
