import { describe, expect, it } from 'vitest'
import type { Contact } from '../../../sdk/index.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { settled } from '../../../testing/index.ts'
import { attackable } from '../../support/attacks.ts'
import { World } from '../../support/world.ts'
import { stateOf } from '../../support/hostile-scene.ts'
import { hostileTransport } from '../../support/hostile-service.ts'
import type { Attack } from '../../support/hostile-service.ts'

const SECURE = { secure: true } as const
type Answer = { readonly contact?: string; readonly record?: Readonly<Record<string, unknown>> }

/** A world whose service is hostile from when `attack` is set. */
function hostileWorld(): { readonly world: World; readonly attack: (attack: Attack) => void } {
  const world = new World()
  const hands = attackable()
  const sound = world.link.transport
  Object.assign(world.link, {
    transport: (party: Parameters<typeof sound>[0]) =>
      hostileTransport(sound(party), party.slot, hands.service),
  })
  return { world, attack: (attack) => void (hands.attack = attack) }
}

/** All that any log of the service holds. */
const stored = (world: World): string =>
  JSON.stringify([...world.link.contacts.values()].map(({ entries }) => entries))

describe('what the service says of a contact that a page asked for', () => {
  it('ENC-560 the record of another contact is refused: a secure one that was asked for is never a plain one', async () => {
    const { world, attack } = hostileWorld()
    let made = ''
    attack({
      ask: (name, args: { readonly contact: unknown }) => {
        if (name === 'contact.create') return { ...args, contact: {} }
        return args.contact === 'another' ? { ...args, contact: made } : args
      },
      answer: (name, result: Answer) => {
        if (name !== 'contact.create') return result
        made = result.contact ?? ''
        return { ...result, contact: 'another' }
      },
    })
    await expect(world.visitor().client.createContact(SECURE)).rejects.toMatchObject({ code: 'protocol' })
  })

  it('ENC-560 so does a page that resumes one', async () => {
    const { world, attack } = hostileWorld()
    const tab = memoryStore()
    const page = world.visitor({ tab })
    await page.client.createContact(SECURE)
    await page.client.close()
    const other = world.visitor()
    const { id } = await other.client.createContact()
    await other.client.close()
    attack({
      answer: (name, result: Answer) =>
        name === 'contact.read' ? { ...result, record: { ...result.record, id, secure: false } } : result,
    })
    const resuming = world.visitor({ tab }).client.resumeContact()
    await expect(resuming).rejects.toMatchObject({ code: 'protocol' })
  })

  it('ENC-560 so does an agent who accepts one, and a page that opens one', async () => {
    const { world, attack } = hostileWorld()
    const visitor = await world.visitor().client.createContact()
    const renamed = (call: string): Attack => ({
      answer: (name, result: Answer) =>
        name === call ? { ...result, record: { ...result.record, id: 'another' } } : result,
    })
    attack(renamed('agent.accept'))
    const { client } = world.agent()
    await expect(client.accept(visitor.id)).rejects.toMatchObject({ code: 'protocol' })
    attack(renamed('contact.open'))
    const [agent] = await client.contacts()
    await expect(agent?.join()).rejects.toMatchObject({ code: 'protocol' })
    expect(agent?.id).toBe(visitor.id)
  })

  it('ENC-561 a contact that was told of as secure is not accepted as one that is not', async () => {
    const { world, attack } = hostileWorld()
    const lowered = (each: Readonly<Record<string, unknown>> = {}): object => ({ ...each, secure: false })
    attack({
      answer: (
        _name,
        result: Answer & { readonly records?: readonly Readonly<Record<string, unknown>>[] },
        to,
      ) =>
        to !== 'agent'
          ? result
          : {
              ...result,
              ...(result.record && { record: lowered(result.record) }),
              ...(result.records && { records: result.records.map((each) => lowered(each)) }),
            },
    })
    const { client } = world.agent()
    const told: unknown[] = []
    client.on('distribution', ({ secure }) => void told.push(secure))
    await client.ready({ capacity: 1 })
    const visitor = await world.visitor().client.createContact(SECURE)
    await settled()
    const expectLocked = async (agent: Contact | undefined): Promise<void> => {
      expect([told, agent?.secure, agent && stateOf(agent)]).toEqual([[true], true, 'broken'])
      await expect(agent?.join()).rejects.toMatchObject({ code: 'no_crypto' })
      await expect(agent?.sendText('my secret')).rejects.toMatchObject({ name: 'ContactError' })
    }
    await expectLocked(await client.accept(visitor.id))
    const [listed] = await client.contacts()
    await expectLocked(listed)
    await settled()
    expect(stored(world)).not.toContain('my secret')
  })
})
