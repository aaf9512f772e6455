import { expect, it } from 'vitest'
import { parseCiphertext } from '../../../sdk/crypto/cipher.ts'
import { settled } from '../../../testing/index.ts'
import { joined } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'
import { hostileTo } from '../../support/lying-service.ts'

const ivOf = (ciphertext: string): string => Buffer.from(parseCiphertext(ciphertext).iv).toString('hex')

it('ENC-253 each field and each frame has an initialisation vector of its own', async () => {
  const world = new World()
  const ivs: string[] = []
  hostileTo(world, 'agent', {
    entries: (entries) => {
      for (const { type, body } of entries)
        if (type === 'link') ivs.push(ivOf(body['url'] as string), ivOf(body['desc'] as string))
      return entries
    },
    frame: (frame) => {
      if (typeof frame.body === 'string') ivs.push(ivOf(frame.body))
      return frame
    },
  })
  const { visitor, agent } = await joined({ secure: true }, undefined, world)
  agent.on('Question', (_data, callback) => callback(null, 'answer'))
  for (let at = 0; at < 3; at++) {
    await visitor.sendLink('https://example.org/', 'the same')
    await visitor.request('Question', 'the same')
  }
  await settled()
  expect(ivs.length).toBeGreaterThanOrEqual(9)
  expect(new Set(ivs).size).toBe(ivs.length)
})
