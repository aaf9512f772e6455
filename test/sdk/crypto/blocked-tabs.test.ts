import { afterEach, expect, it, vi } from 'vitest'
import { pageTabs } from '../../../sdk/client/page-tabs.ts'
import { joined } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

afterEach(() => void vi.unstubAllGlobals())

it('ENC-580 where the browser blocks storage, and channels between its pages with it, a secure contact has one tab', async () => {
  vi.stubGlobal('BroadcastChannel', function refuse() {
    throw new DOMException('The operation is insecure.', 'SecurityError')
  })
  const { visitor, agent } = await joined({ secure: true }, undefined, new World({ openTabs: pageTabs }))
  expect(agent.decrypt(visitor.encrypt('4111 1111'))).toBe('4111 1111')
})
