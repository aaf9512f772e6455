import { describe, expect, it } from 'vitest'
import { ContactSession } from '../../apps/ui/src/contact-session.ts'
import { fold } from '../../apps/ui/src/conversation-fold.ts'
import type { Verification } from '../../apps/ui/src/sdk.ts'
import { symbolsIt } from '../../apps/ui/src/messages/symbols-it.ts'
import { loadWords, wordsFor } from '../../apps/ui/src/words.ts'
import { ContactError } from '../../protocol/index.ts'
import { VERIFICATION_SYMBOLS } from '../../sdk/symbols/index.ts'
import { FakeContact } from './fake-contact.ts'

const CODE = { symbols: [31, 47, 19, 28, 39, 37, 9], digits: '2181095913801' }
const verification = (state: Verification['state'], by: Verification['by'] = null): Verification => ({
  state,
  by,
  code: state === 'agreeing' ? null : CODE,
})

function secure(state: Verification['state']): { fake: FakeContact; session: ContactSession } {
  const fake = new FakeContact('visitor', { state: 'joined', agent: { user: 'a1', nick: 'Ada' } })
  fake.verification = verification(state)
  return { fake, session: new ContactSession(fake.contact) }
}

describe('how far a secure contact is verified', () => {
  it('ENC-400 is shown from the start, and at each change', () => {
    const { fake, session } = secure('agreeing')
    expect(session.state.verification).toEqual(verification('agreeing'))
    const seen: unknown[] = []
    session.subscribe(() => seen.push(session.state.verification?.state))
    for (const state of ['unverified', 'verified', 'changed', 'broken'] as const)
      fake.emit('verification', verification(state))
    expect(seen).toEqual(['unverified', 'verified', 'changed', 'broken'])
  })

  it('ENC-400 is nothing in a contact that is not secure', () => {
    expect(new ContactSession(new FakeContact().contact).state.verification).toBeNull()
  })

  it('ENC-401 what the user decides is told to the contact, and what it refuses is a problem', () => {
    const { fake, session } = secure('unverified')
    session.security.compared(CODE.digits, true)
    session.security.compared(CODE.digits, false)
    session.security.acceptKey(CODE.digits)
    expect(fake.calls.slice(-3)).toEqual([
      ['verify', true, CODE.digits],
      ['verify', false, CODE.digits],
      ['acceptKey', CODE.digits],
    ])
    fake.acceptKey = () => {
      throw new ContactError('tampered', 'unable to go on')
    }
    session.security.acceptKey(CODE.digits)
    expect(session.state.problem?.code).toBe('tampered')
  })

  it('ENC-581 what the user says of a code is told of that code only', () => {
    const { fake, session } = secure('unverified')
    for (const code of [null, { ...CODE, digits: '9999999999999' }]) {
      fake.verification = { state: 'unverified', code, by: null }
      session.security.compared(CODE.digits, true)
      session.security.compared(CODE.digits, false)
      session.security.acceptKey(CODE.digits)
    }
    expect(fake.calls.filter(([name]) => name === 'verify' || name === 'acceptKey')).toEqual([])
  })

  it('ENC-584 an offer, a request and an ending go from the page of a contact that is broken', () => {
    const { fake, session } = secure('unverified')
    fake.mediaState = 'init'
    const pending = { offer: { offer: {}, status: 'asking' }, request: 'voice' } as const
    let state = fold(session.state, { type: 'offer', offer: pending.offer }, 0)
    state = fold(state, { type: 'request', kind: pending.request }, 0)
    state = fold(state, { type: 'stopping', stopping: { isCall: true, media: {} } }, 0)
    expect(state).toMatchObject(pending)
    state = fold(state, { type: 'verification', verification: verification('broken') }, 0)
    expect([state.offer, state.request, state.stopping]).toEqual([null, null, null])
  })

  it('ENC-402 a message that is not shown leaves a notice where it would stand', () => {
    const { fake, session } = secure('verified')
    fake.emit('insecure', { type: 'text', reason: 'clear' })
    expect(session.state.transcript.items).toMatchObject([{ kind: 'notice', notice: 'noticeInsecure' }])
  })

  it('ENC-404 a file of a secure contact is decrypted for its address, which is given back after use', async () => {
    const { fake, session } = secure('verified')
    fake.secure = true
    const { url, release } = await session.files.address('f1')
    expect(await (await fetch(url)).text()).toBe('the bytes')
    release()
    await expect(fetch(url)).rejects.toThrow('fetch failed')
    fake.secure = false
    expect((await session.files.address('f1')).url).toBe('https://files.example.org/f1')
  })

  it('ENC-403 every symbol has a name of its own in English and Italian', async () => {
    expect(new Set(symbolsIt).size).toBe(64)
    await loadWords(['it'])
    const [english, italian] = [wordsFor(['en']), wordsFor(['it'])]
    const names = VERIFICATION_SYMBOLS.map(({ name }, place) => [
      english.symbol(place, name),
      italian.symbol(place, name),
    ])
    expect(names.at(0)).toEqual(['dog', 'cane'])
    expect(names.at(-1)).toEqual(['crown', 'corona'])
    expect(names.flat().every((name) => name.length > 1)).toBe(true)
  })
})
