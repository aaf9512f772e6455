/**
 * A party that keeps to nothing but what the service enforces: it writes what it likes under its own slot.
 */
import { otherSlot } from '../../protocol/index.ts'
import type { MediaOffer, MediaState, PartialMediaState, PartyBodies, Slot } from '../../protocol/index.ts'
import { TALK } from './offers.ts'
import type { Place, World } from './places.ts'
import type { Model } from './world.ts'

export interface Word {
  readonly name: string
  readonly slot: Slot
  readonly session: string
  readonly type: keyof PartyBodies
  /** Media are relative to the other side, as on the wire. */
  readonly body: unknown
}

const NET = { via: 'net', engine: 'WebRTC' } as const
const CHAT = { Chat: { tx: true, rx: true, via: 'net', engine: 'Native' } } as const
/** The reader transmits. */
const YOU: PartialMediaState = { ...CHAT, Voice: { tx: true, rx: false, ...NET } }
const BOTH: PartialMediaState = { ...CHAT, Voice: { tx: true, rx: true, ...NET } }
/** The writer transmits, over a telephone. */
const CALLED: PartialMediaState = { ...CHAT, Voice: { tx: false, rx: true, via: 'pstn', engine: 'Native' } }
const BEYOND: PartialMediaState = { ...BOTH, Video: { tx: true, rx: true, ...NET } }
const OTHERWISE: PartialMediaState = { ...CHAT, Voice: { tx: true, rx: true, via: 'net', engine: 'Other' } }
const ELSEWHERE: PartialMediaState = { ...CHAT, Voice: { tx: true, rx: true, via: 'pstn', engine: 'WebRTC' } }
/** The reader hears, and may transmit. */
const MAY_YOU: MediaOffer = {
  Chat: { tx: 'required', rx: 'required', via: 'net', engine: 'Native' },
  Voice: { tx: 'optional', rx: 'required', ...NET },
}
const ASK_YOU: MediaOffer = { Voice: { tx: 'required', rx: 'off', ...NET } }

/** What the party can write now. */
export function hostileWords(model: Model, world: World, place: Place): readonly Word[] {
  const forged = model.options.forged ? forgedWords(world, place) : []
  return [...ownWords(model, world, place), ...forged]
}

/** Entries in the name of the honest party, which never wrote them. */
function forgedWords({ head }: World, { page: { local } }: Place): Word[] {
  const slot = otherSlot(local.slot)
  const { phase, session } = head[slot]
  const victim = session[slot]
  if (victim === null) return []
  const word = <T extends keyof PartyBodies>(name: string, type: T, body: PartyBodies[T]): Word => ({
    name: `forged ${name}`,
    type,
    body,
    session: victim,
    slot,
  })
  return [
    word('direct change', 'direct', { target: BOTH, restore: false }),
    word('direct change to a telephone', 'direct', { target: CALLED, restore: false }),
    word('offer', 'offer', { offer: TALK, restore: false }),
    ...(phase.name === 'idle'
      ? []
      : [
          word('yes', 'answer', { ref: phase.ref, answer: BOTH }),
          word('ready', 'ready', { ref: phase.ref }),
        ]),
  ]
}

function ownWords({ production }: Model, world: World, { page }: Place): Word[] {
  const { session, slot } = page.local
  const word = <T extends keyof PartyBodies>(
    name: string,
    type: T,
    body: PartyBodies[T],
    by = session,
  ): Word => ({ name, type, body, session: by, slot })
  const { phase, media, session: held } = world.head[slot]
  const native = production.protocol.algebra.nativeOnly(media)
  const less: MediaState = { ...native, ...(media.Voice && { Voice: { ...media.Voice, rx: false } }) }
  const refs = phase.name === 'idle' ? [9] : [phase.ref, 9]
  const capabilities = { Media: {}, Mobile: false }
  const other = held[otherSlot(slot)]
  return [
    word('an offer of everything', 'offer', { offer: TALK, restore: false }),
    word('an offer to restore', 'offer', { offer: TALK, restore: true }),
    word('an offer that the other may speak', 'offer', { offer: MAY_YOU, restore: false }),
    word('an offer that the other transmits', 'offer', { offer: ASK_YOU, restore: false }),
    word('a direct change to less', 'direct', { target: less, restore: false }),
    word('a direct change to another engine', 'direct', { target: OTHERWISE, restore: false }),
    word('a direct change to another way', 'direct', { target: ELSEWHERE, restore: false }),
    word('a direct change to more', 'direct', { target: YOU, restore: true }),
    ...refs.flatMap((ref) => [
      word(`answer ${ref} yes`, 'answer', { ref, answer: BOTH }),
      word(`answer ${ref} with what was off`, 'answer', { ref, answer: BEYOND }),
      word(`answer ${ref} that the other transmits`, 'answer', { ref, answer: YOU }),
      word(`answer ${ref} by another engine`, 'answer', { ref, answer: OTHERWISE }),
      word(`answer ${ref} by another way`, 'answer', { ref, answer: ELSEWHERE }),
      word(`reject ${ref}`, 'reject', { ref, reason: '' }),
      word(`withdraw ${ref}`, 'withdraw', { ref, reason: 'withdrawn' }),
      word(`ready ${ref}`, 'ready', { ref }),
      word(`failed ${ref}`, 'failed', { ref, code: 'engine_failed' }),
    ]),
    word('present with nothing', 'present', { capabilities, media: {}, after: held[slot] }),
    word('present with everything', 'present', {
      capabilities,
      media: { Chat: 'Native', Voice: 'WebRTC', Video: 'WebRTC' },
      after: held[slot],
    }),
    word('present with another engine', 'present', {
      capabilities,
      media: { Chat: 'Native', Voice: 'Other' },
      after: held[slot],
    }),
    word('present after the other', 'present', { capabilities, media: {}, after: other }),
    word(
      'present of another session',
      'present',
      { capabilities, media: { Chat: 'Native', Voice: 'WebRTC' }, after: held[slot] },
      `${session}x`,
    ),
  ]
}
