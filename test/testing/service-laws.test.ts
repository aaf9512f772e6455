import { describe, expect, it } from 'vitest'
import { describeService } from '../../testing/index.ts'
import { SERVICE_LAWS, tryServiceLaw } from '../../testing/service-suite.ts'
import { BROKEN_SERVICES, memoryService } from './broken-services.ts'

describeService('PKG-13 MemoryService', () => memoryService(), { describe, it, hasTime: true })

describe('a service that breaks a law', () => {
  it('PKG-13 there is one for each law', () => {
    expect(Object.keys(BROKEN_SERVICES).toSorted()).toEqual(SERVICE_LAWS.map(({ id }) => id).toSorted())
    expect(SERVICE_LAWS.length).toBeGreaterThanOrEqual(40)
  })

  it.each(SERVICE_LAWS.map((law) => [law.id, law] as const))('PKG-13 fails the law %s', async (id, law) => {
    const tried = await tryServiceLaw(law, () => memoryService(BROKEN_SERVICES[id], 300)).then(
      () => 'kept',
      () => 'broken',
    )
    expect(tried).toBe('broken')
  })
})
