/** Bodies of a secure contact that have the form of real ones: nobody can open them. */
import type { PartyBodies, Seal } from '../../protocol/index.ts'

/** `length` bytes in base64, all of them `fill`. */
export const base64 = (length: number, fill = 0): string => Buffer.alloc(length, fill).toString('base64')

/** Id of a key. */
export const keyId = (fill: number): string => base64(8, fill)

export const sealOf = (key: string, read = 1): Seal => ({ key, read, mac: base64(32, 7) })

/** A ciphertext of at least `bytes`. */
export const cipher = (bytes = 73): string => base64(bytes, 17)

/** A sealed body of every type that has one, under the key `key`. */
export const sealedBodies = (key: string, ref = 1) => {
  const seal = sealOf(key)
  const media = { Voice: { tx: 'required', rx: 'optional', via: 'net', engine: 'WebRTC' } } as const
  const on = { tx: true, rx: true, via: 'net', engine: 'WebRTC' }
  return {
    text: { text: cipher(), lang: 'en', encrypted: ['text'], seal },
    link: { url: cipher(), desc: cipher(), encrypted: ['url', 'desc'], seal },
    action: { code: cipher(), args: cipher(), encrypted: ['code', 'args'], seal },
    file: { file: 'f-1', meta: cipher(), encrypted: ['meta'], seal },
    reject: { ref, reason: cipher(), encrypted: ['reason'], seal },
    offer: { offer: media, restore: false, seal },
    direct: { target: { Voice: on }, restore: false, seal },
    answer: { ref, answer: { Voice: on }, seal },
    withdraw: { ref, reason: 'withdrawn', seal },
    ready: { ref, seal },
    failed: { ref, code: 'timeout', seal },
    capabilities: { capabilities: { Media: {}, Mobile: false }, seal },
    ack: { ref: 'm1', seal },
    read: { ref: 'm1', seal },
  } as const
}

/** The entries by which two sessions agree on a key. */
export const agreement = (key: string) => ({
  keyCommit: { commit: base64(32, 1) } satisfies PartyBodies['keyCommit'],
  keyShare: (ref: number) => ({ ref, key: base64(32, 2) }) satisfies PartyBodies['keyShare'],
  keyReveal: (ref: number) =>
    ({ ref, key: base64(32, 3), seal: sealOf(key) }) satisfies PartyBodies['keyReveal'],
})

/** Every body that only a secure contact has, with its type. */
export const secureBodies: readonly (readonly [string, unknown])[] = [
  ...Object.entries(sealedBodies(keyId(1))),
  ['keyCommit', { ...agreement(keyId(1)).keyCommit, resume: [keyId(2)] }],
  ['keyShare', agreement(keyId(1)).keyShare(3)],
  ['keyReveal', agreement(keyId(1)).keyReveal(4)],
]
