/** Signing keys of several nodes that share a store. */
import { beforeEach, describe, expect, it } from 'vitest'
import { SIGNS_AFTER_MS, loadSigningKeys } from '../../../service/src/auth/keys.ts'
import { Tokens } from '../../../service/src/auth/tokens.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { testStore } from '../../support/test-store.ts'

const store = testStore()
const clock = new ManualClock()

beforeEach(() => store().pool.query('delete from signing_keys'))

const node = async () => {
  const keys = await loadSigningKeys(store().db, () => clock.now(), SIGNS_AFTER_MS)
  const tokens = new Tokens(keys, clock)
  const issue = () => tokens.issueVisitor({ visitor: 'v', origin: 'https://a.example' }, clock.now())
  return { keys, issue, check: (token: string) => tokens.check(token) }
}

describe('keys among several nodes', () => {
  it('CLU-97 nodes that start at once make one key, and each takes what the others sign', async () => {
    const nodes = await Promise.all([node(), node(), node(), node()])
    expect((await store().pool.query('select from signing_keys')).rowCount).toBe(1)
    for (const { issue } of nodes)
      for (const { check } of nodes) await expect(check(await issue())).resolves.toMatchObject({ id: 'v' })
  })

  it('CLU-97 a new key signs 60 s after it was stored; a key that is unknown is looked for again', async () => {
    const [one, other] = [await node(), await node()]
    const before = one.keys.current.kid
    clock.advance(1_000)
    await one.keys.rotate(clock.now(), false)
    clock.advance(SIGNS_AFTER_MS - 1)
    expect(one.keys.current.kid).toBe(before)
    clock.advance(1)
    expect(one.keys.current.kid).not.toBe(before)
    await expect(other.check(await one.issue())).resolves.toMatchObject({ id: 'v' })
    expect(other.keys.current.kid).toBe(one.keys.current.kid)
  })

  it('CLU-97 where the keys before are void the new one signs at once, and the others read what is void', async () => {
    const [one, other] = [await node(), await node()]
    const stolen = await one.issue()
    await one.keys.rotate(clock.now(), true)
    const fresh = await one.issue()
    await expect(other.check(fresh)).resolves.toMatchObject({ id: 'v' })
    await expect(other.check(stolen)).rejects.toMatchObject({ code: 'unauthorized' })
  })

  it('CLU-97 whoever sends tokens of keys that nobody has made makes the service read once in 10 s', async () => {
    const { keys } = await node()
    await keys.findAgain('nobody')
    await store().pool.query("update signing_keys set kid = 'late'")
    expect(await keys.findAgain('late')).toBeUndefined()
    clock.advance(10_000)
    expect(await keys.findAgain('late')).toBeDefined()
  })
})
