import { describe, expect, it } from 'vitest'
import { avatarUrl, initials } from '../../apps/ui/src/avatar.ts'
import { byteLength, linkify, showHidden, shownUrl, webUrl } from '../../apps/ui/src/safe-text.ts'

const links = (text: string): string[] =>
  linkify(text).flatMap((part) => (part.kind === 'link' ? [part.href] : []))
const shown = (text: string): string =>
  linkify(text)
    .map((part) => part.text)
    .join('')

describe('addresses that others wrote', () => {
  it.each(['https://example.org/', 'http://example.org:8080/a?b=c#d', 'HTTPS://EXAMPLE.ORG'])(
    'UI-8 %s may be opened',
    (text) => {
      expect(webUrl(text)).not.toBeNull()
    },
  )

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\nscript:alert(1)',
    ' javascript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:msgbox(1)',
    'blob:https://example.org/x',
    'file:///etc/passwd',
    '//example.org',
    'https:example.org',
    'https://user@example.org/',
    'https://user:secret@example.org/',
    'https://exa\tmple.org/',
    'https://',
    `https://example.org/${'a'.repeat(2048)}`,
  ])('UI-8 %j may not be opened', (text) => {
    expect(webUrl(text)).toBeNull()
    expect(links(text)).not.toContain(text)
    for (const href of links(text)) expect(href).toMatch(/^https?:\/\/(?!.*@)/)
  })

  it('UI-8 finds addresses in a message and leaves the rest as text', () => {
    expect(linkify('See https://example.org/a, or (https://example.org/b).')).toEqual([
      { kind: 'text', text: 'See ' },
      { kind: 'link', href: 'https://example.org/a', text: 'https://example.org/a' },
      { kind: 'text', text: ', or (' },
      { kind: 'link', href: 'https://example.org/b', text: 'https://example.org/b' },
      { kind: 'text', text: ').' },
    ])
  })

  it('UI-8 keeps a bracket that the address itself opens', () => {
    expect(links('https://example.org/lamp_(willow)')).toEqual(['https://example.org/lamp_(willow)'])
  })

  it.each([
    '<img src=x onerror=alert(1)>',
    '"><script>alert(1)</script>',
    '[x](javascript:alert(1))',
    'no address at all',
    '',
  ])('UI-8 %j stays the text that it is', (text) => {
    expect(shown(text)).toBe(text)
    expect(links(text)).toEqual([])
  })

  it('UI-8 an address ends where a quote or a bracket of markup begins', () => {
    expect(links('https://ok.example/"onmouseover=alert(1)')).toEqual(['https://ok.example/'])
    expect(links('<a href=https://ok.example/>x</a>')).toEqual(['https://ok.example/'])
  })

  it('UI-8 a host that looks like another one is shown as the browser reads it', () => {
    const typed = 'https://аррӏе.com/'
    expect(shownUrl(typed, new URL(typed))).toBe('https://xn--80ak6aa92e.com/')
    expect(shown('https://аррӏе.com/xn--80ak6aa92e.com')).toContain('https://xn--80ak6aa92e.com/')
  })

  it('UI-8 a message of the largest size is split in a moment', () => {
    for (const text of [
      'https://'.repeat(1024),
      `https://a${'.'.repeat(8180)}`,
      `https://a${')'.repeat(8180)}`,
      '('.repeat(8192),
    ]) {
      const start = performance.now()
      linkify(text)
      expect(performance.now() - start).toBeLessThan(200)
    }
  })
})

describe('characters that hide or reorder', () => {
  it('UI-8 are shown by their number', () => {
    expect(showHidden('\u202Egpj.exe')).toBe('‹U+202E›gpj.exe')
    expect(showHidden('a\u0000b\u2066c')).toBe('a‹U+0000›b‹U+2066›c')
  })

  it('UI-8 UI-3 line ends, tabs and the marks of right-to-left writing stay', () => {
    expect(showHidden('a\n\tb שלום\u200f')).toBe('a\n\tb שלום\u200f')
  })
})

describe('an agent’s picture', () => {
  const images = [
    { size: '48x48', file: '48.png' },
    { size: '256x256', file: '256.png' },
    { size: '96', file: '96.png' },
  ]

  it('UI-8 is the smallest that is large enough, else the largest', () => {
    expect(avatarUrl({ base_url: 'https://cdn.example.org/ada/', images }, 80)).toBe(
      'https://cdn.example.org/ada/96.png',
    )
    expect(avatarUrl({ base_url: 'https://cdn.example.org/ada/', images }, 1000)).toBe(
      'https://cdn.example.org/ada/256.png',
    )
  })

  it.each([
    ['javascript:alert(1)//', 'x.png'],
    ['data:image/svg+xml,', '<svg onload=alert(1)>'],
    ['https://cdn.example.org', '.evil.example/x.png'],
    ['https://cdn.example.org', '@evil.example/x.png'],
    ['', 'x.png'],
  ])('UI-8 %j + %j is not loaded', (base_url, file) => {
    expect(avatarUrl({ base_url, images: [{ size: '48', file }] }, 48)).toBeNull()
  })

  it('UI-8 is replaced by letters where there is none', () => {
    expect(avatarUrl(undefined, 48)).toBeNull()
    expect(avatarUrl({ base_url: 'https://cdn.example.org/', images: [] }, 48)).toBeNull()
    expect(initials('(Robin) van der (2)')).toBe('R2')
    expect([initials('Ada Lovelace'), initials('  ada  '), initials('😀 x'), initials('')]).toEqual([
      'AL',
      'A',
      '😀X',
      '?',
    ])
  })
})

describe('size of a message', () => {
  it('UI-5 is counted in bytes, as the service does', () => {
    expect([byteLength('a'), byteLength('é'), byteLength('😀')]).toEqual([1, 2, 4])
  })
})
