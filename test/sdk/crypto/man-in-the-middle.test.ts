import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { settled } from '../../../testing/index.ts'
import { changing, isFrom } from '../../support/attacks.ts'
import type { Organisation } from '../../support/world.ts'
import { events, expectBroken, scene } from '../../support/hostile-scene.ts'
import { ManInTheMiddle } from '../../support/man-in-the-middle.ts'

describe('a man in the middle', () => {
  it('ENC-545 reads everything unnoticed, but the codes differ in every run, and who says so is safe', async () => {
    for (let run = 0; run < 10; run += 1) {
      const man = new ManInTheMiddle('contact-1')
      const { visitor, agent, heard } = await scene(man)
      const id = await visitor.sendText('is it you?')
      await agent.sendText('of course')
      await settled()
      expect(events(heard.agent)).toEqual(['text is it you?', expect.stringMatching('^ack ')])
      expect(events(heard.visitor)).toEqual(expect.arrayContaining(['text of course', `ack ${id}`]))
      expect(man.read.join()).toContain('is it you?')
      expect(visitor.verification?.code).not.toBeNull()
      expect(visitor.verification?.code).not.toEqual(agent.verification?.code)
      if (run > 0) continue
      visitor.verify(false)
      await expectBroken(visitor)
      await visitor.leave()
    }
  })

  it('ENC-548 is found out where he chooses his key late, to make the codes equal', async () => {
    const man = new ManInTheMiddle('contact-1', { isLate: true })
    const { agent, heard } = await scene(man)
    await expectBroken(agent)
    expect(events(heard.agent)).toEqual(['error tampered'])
  })

  /** Signs as the organisation's server does, which knows its agents. */
  function organisation(): Organisation {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const signer = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
    const lp = (text: string): Buffer => {
      const bytes = Buffer.from(text)
      return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes])
    }
    return {
      trustedKeys: [signer],
      signKey: ({ contact, agent, session, commit, key }) => {
        const [prefix, ...keys] = [
          Buffer.from('duolog/1 agent key'),
          ...[commit, key].map((one) => Buffer.from(one, 'base64')),
        ]
        const data = Buffer.concat([prefix, lp(contact), lp(agent), lp(session), ...keys])
        return { signer, signature: sign(null, data, privateKey).toString('base64') }
      },
    }
  }

  it('ENC-546 is impossible where an organisation signs the keys of its agents', async () => {
    const sound = await scene(null, organisation())
    expect(sound.visitor.verification).toMatchObject({ state: 'verified', by: 'organisation' })
    const man = new ManInTheMiddle('contact-1')
    const { visitor, heard, world } = await scene(man, organisation())
    await expectBroken(visitor)
    expect(events(heard.visitor)).toEqual(['error tampered'])
    expect(world.entries).not.toContain('keyReveal')
  })

  it('ENC-546 also where the signature is taken away', async () => {
    const unsigned = changing(isFrom('agent', 'keyShare'), 'visitor', ({ body, ...entry }) => ({
      ...entry,
      body: { ref: body['ref'], key: body['key'] },
    }))
    const { visitor, world } = await scene(unsigned, organisation())
    await expectBroken(visitor)
    expect(world.entries).not.toContain('keyReveal')
  })
})
