/** Calls of the protocol, without the one that would end the attack at once. */
export const CALL_NAMES = [
  'contact.create',
  'contact.open',
  'contact.read',
  'log.append',
  'log.read',
  'relay.send',
  'attachment.open',
  'attachment.url',
  'link.renew',
  'ice.servers',
  'agent.presence',
  'agent.accept',
  'agent.decline',
  'agent.transfer',
  'agent.edit',
  'agent.contacts',
] as const

/** The same numbers for the same seed, from 0 to 1. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  -0,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  2 ** 53,
  '',
  'x',
  '\u0000',
  '\ud800',
  '\u202egpj.exe',
  '__proto__',
  '../../etc/passwd',
  "'; drop table entries; --",
  '[]',
  '😀'.repeat(50),
  'x'.repeat(9_000),
  [],
  {},
  [[[[]]]],
  { a: { b: { c: {} } } },
  JSON.parse('{"__proto__":{"polluted":true}}'),
  { constructor: 1 },
  Array.from({ length: 1_100 }, () => 0),
  4_294_967_296,
  'true',
  '1e999',
]

/** A value with one or two places replaced, removed, doubled or added. */
export function mutate(value: unknown, random: () => number): unknown {
  const times = random() < 0.3 ? 2 : 1
  let result = value
  for (let count = 0; count < times; count += 1) result = once(result, random)
  return result
}

function once(value: unknown, random: () => number): unknown {
  const other = (): unknown => VALUES[Math.floor(random() * VALUES.length)]
  if (typeof value !== 'object' || value === null || random() < 0.05) return other()
  if (Array.isArray(value)) {
    const at = Math.floor(random() * value.length)
    if (random() < 0.2) return [...value, value[at]]
    return value.map((each: unknown, index) => (index === at ? once(each, random) : each))
  }
  const entries = Object.entries(value)
  const at = Math.floor(random() * entries.length)
  const kind = random()
  if (kind < 0.15) return Object.fromEntries(entries.filter((_, index) => index !== at))
  if (kind < 0.25) return { ...value, [String(other()).slice(0, 20)]: other() }
  return Object.fromEntries(
    entries.map(([key, each], index) => [
      key,
      index === at ? (kind < 0.5 ? other() : once(each, random)) : each,
    ]),
  )
}
