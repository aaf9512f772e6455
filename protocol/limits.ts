/**
 * Sizes in UTF-8 bytes, but for `nick`, `lang` and names, which count characters, and where it says
 * otherwise.
 */
export const LIMITS = {
  textBytes: 8192,
  url: 2048,
  desc: 512,
  /** Characters of a note of an agent. */
  note: 2048,
  /** Characters of what an agent is shown of the first message before they accept. */
  question: 300,
  actionArgsBytes: 4096,
  nick: 64,
  lang: 16,
  name: 128,
  id: 128,
  fileName: 1024,
  token: 4096,
  tags: 32,
  forms: 50,
  fields: 100,
  draftsInOneCall: 64,
  /** Members of a form field that the protocol does not know: how many, and bytes of their JSON together. */
  fieldMembers: 16,
  fieldMembersBytes: 2048,
  /** Of JSON. */
  capabilitiesBytes: 16_384,
  /** Of JSON: the media of an offer, or of an agent's presence. */
  mediaBytes: 4096,
  /** Of JSON: what a request carries, and what its answer does. */
  rpcBytes: 32_768,
  /** Parts of the dotted path to a capability. */
  pathParts: 16,
  frameBytes: 131_072,
  /** Of each party, that the pages of a contact are told of. */
  connectedSessions: 16,
  /** Milliseconds that an offer stands: what may be asked for, and what it is without a word. */
  offerLifetime: { least: 10_000, most: 300_000, usual: 60_000 },
} as const

/** What is a name: in the protocol's schemas and {@link isName}. */
export const NAME = /^[A-Za-z0-9._:-]{1,128}$/

/** Whether a value can be a name in the protocol: of a message, an action, a topic, a channel. */
export const isName = (value: unknown): value is string => typeof value === 'string' && NAME.test(value)

// oxlint-disable-next-line no-control-regex -- the very characters that the URL parser would silently drop
const SILENTLY_DROPPED = /[\u0000-\u0020\u007f]/

/** Begins as a URL does, and has no credentials: `@` ends them, but where they are empty. */
const WEB_URL = /^https?:\/\/[/\\]*(?![/\\])(?::?@)?[^@/?#\\]*(?:[/?#\\]|$)/i

/**
 * Whether a text is one for which any parser of URLs may have found {@link isWebUrl}: parsers differ in the
 * hosts that they know.
 */
export const isWebUrlText = (text: string): boolean => !SILENTLY_DROPPED.test(text) && WEB_URL.test(text)

/** Whether a text is an absolute `http:` or `https:` URL without credentials; see WHATWG URL 4.1. */
export function isWebUrl(text: string): boolean {
  if (!isWebUrlText(text)) return false
  try {
    const url = new URL(text)
    return (
      (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === ''
    )
  } catch {
    return false
  }
}
