import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'

const repository = fileURLToPath(new URL('../..', import.meta.url))

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly default?: string; readonly 'react-server'?: string }>>
}

const manifest = JSON.parse(readFileSync(`${repository}/package.json`, 'utf8')) as Manifest
const entries = Object.entries(manifest.exports).flatMap(([subpath, { default: file }]): [string, string][] =>
  file === undefined ? [] : [[subpath, file]],
)

/** Elements and hooks: lit asks whether there is a document, and keeps its versions in globals of its own. */
const ELEMENTS = ['./widget', './react']

/** Runs in a Node of its own, where looking at a global of browsers throws, even by `typeof`. */
const PROBE = `
const globals = ['window', 'document', 'self', 'navigator', 'location', 'RTCPeerConnection', 'MediaStream', 'WebSocket', 'XMLHttpRequest', 'localStorage', 'sessionStorage', 'indexedDB', 'BroadcastChannel']
const touched = []
for (const name of globals) Object.defineProperty(globalThis, name, { configurable: true, get() { touched.push(name); throw new Error(name + ' was touched') } })
const before = Reflect.ownKeys(globalThis)
const exported = Object.keys(await import(process.argv[1]))
const added = Reflect.ownKeys(globalThis).filter((key) => !before.includes(key)).map(String)
console.log(JSON.stringify({ touched, added, exports: exported.length > 0 }))
`

describe('the published modules in plain Node', () => {
  it('are the nine entries', () => {
    expect(entries.map(([subpath]) => subpath)).toEqual([
      '.',
      './agent',
      './compat',
      './symbols',
      ...ELEMENTS,
      './machines',
      './engines',
      './testing',
    ])
  })

  it.each(entries.filter(([subpath]) => !ELEMENTS.includes(subpath)))(
    'PKG-1 %s touches no global of browsers when it is imported, adds none, and leaves nothing running',
    (_subpath, file) => {
      const url = pathToFileURL(`${repository}/${file}`).href
      const printed = execFileSync(process.execPath, ['--input-type=module', '-e', PROBE, url], {
        encoding: 'utf8',
        timeout: 10_000,
      })
      expect(JSON.parse(printed)).toEqual({ touched: [], added: [], exports: true })
    },
  )

  it('PRD-245 a server component gets the component and the hooks as what runs in the browser', () => {
    const { 'react-server': file = '', default: whole = '' } = manifest.exports['./react'] ?? {}
    const text = readFileSync(`${repository}/${file}`, 'utf8')
    expect(text).toMatch(/^'use client'\n/)
    for (const name of ['DuologWidget', 'useContact', 'useMedia', 'useMessages']) expect(text).toContain(name)
    expect(readFileSync(`${repository}/${whole}`, 'utf8')).not.toContain('use client')
  })

  it('PRD-6 the element and the hooks are imported and rendered on a server', () => {
    const render = `
      import { createElement } from 'react'
      import { renderToString } from 'react-dom/server'
      const before = Reflect.ownKeys(globalThis)
      const { Page } = await import(${JSON.stringify(`${repository}/examples/ssr/page.mjs`)})
      const { useContact } = await import('duolog/react')
      const Phase = ({ service }) => createElement('p', { id: 'phase' }, useContact({ service }).phase)
      const html = [Page, Phase].map((part) => renderToString(createElement(part, { service: 'https://contact.example.org' }))).join('')
      const added = Reflect.ownKeys(globalThis).filter((key) => !before.includes(key)).map(String)
      console.log(JSON.stringify({ html, added: added.filter((name) => !/^(?:lit|reactiveElement|customElements)/.test(name)) }))
    `
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', render], {
      cwd: repository,
      encoding: 'utf8',
      timeout: 10_000,
    })
    expect(JSON.parse(printed)).toEqual({
      html: '<main><h1>Rendered on the server</h1><p id="messages">0</p><duolog-widget></duolog-widget></main><p id="phase">resuming</p>',
      added: [],
    })
  })
})
