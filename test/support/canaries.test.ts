import { Buffer } from 'node:buffer'
import { expect, it } from 'vitest'
import { CanarySearch, canary } from './canaries.ts'

it('ENC-430 a canary is found in UTF-8, escaped JSON, UTF-16, hex and base64 at any place', () => {
  const text = canary('here')
  const around = (middle: string, shift: number): string => `${'x'.repeat(shift)}${middle}yz`
  const hidden: Buffer[] = [
    Buffer.from(`some ${text} text`),
    Buffer.from(JSON.stringify({ text })),
    Buffer.from(JSON.stringify({ text }).replace('ä', '\\u00e4').replace('ö', '\\u00f6')),
    Buffer.from(text, 'utf16le'),
    Buffer.from(text, 'utf16le').swap16(),
    Buffer.from(Buffer.from(text).toString('hex')),
    ...[0, 1, 2].map((shift) => Buffer.from(Buffer.from(around(text, shift)).toString('base64'))),
  ]
  for (const bytes of hidden) {
    const search = new CanarySearch()
    search.add(text)
    search.look('there', bytes)
    expect(search.found).toHaveLength(1)
  }
  const clean = new CanarySearch()
  clean.add(text)
  clean.look('there', Buffer.from(canary('here')))
  expect(clean.found).toEqual([])
})
