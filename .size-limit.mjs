/** Budgets of what a browser loads, gzip: what a page needs at once, all of it, and each feature by itself. */
import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { BROWSER_META } from './scripts/build.mjs'
import { inRoot } from './scripts/run.mjs'

const DUOLOG = 'dist/browser/duolog.js'
const AGENT = 'dist/browser/agent.js'

/** @type {import('esbuild').Metafile} */
const { outputs } = JSON.parse(readFileSync(inRoot(BROWSER_META), 'utf8'))

/**
 * A bundle and the chunks that it imports.
 * @param {string} path
 * @param {readonly string[]} kinds
 * @param {Set<string>} found
 * @returns {string[]}
 */
function reached(path, kinds, found = new Set()) {
  if (found.has(path)) return []
  found.add(path)
  for (const { path: next, kind, external } of outputs[path]?.imports ?? [])
    if (!external && kinds.includes(kind)) reached(next, kinds, found)
  return [...found]
}

/**
 * A page's script and what it imports at once. What it imports of the SDK is counted beside it.
 * @param {string} path
 * @param {Set<string>} found
 * @returns {string[]}
 */
function page(path, found = new Set()) {
  if (found.has(path)) return []
  found.add(path)
  for (const [, next] of readFileSync(inRoot(path), 'utf8').matchAll(/(?:from|import)\s*"(\.\.?\/[^"]+)"/g))
    if (next) page(posix.join(posix.dirname(path), next), found)
  return [...found]
}

const atOnce = ['import-statement']
const all = ['import-statement', 'dynamic-import']
const base = reached(DUOLOG, atOnce)

/**
 * What a feature loads when it is needed for the first time, beyond what every page has.
 * @param {...string} modules where its chunks begin
 */
function feature(...modules) {
  const starts = Object.keys(outputs).filter((path) => modules.includes(outputs[path]?.entryPoint ?? ''))
  if (starts.length !== modules.length) throw new Error(`there is no chunk for ${modules.join(', ')}`)
  return [...new Set(starts.flatMap((path) => reached(path, atOnce)))].filter((path) => !base.includes(path))
}

/** What the build compressed; a small file stays as it is. @param {string} path */
const served = (path) => (existsSync(inRoot(`${path}.gz`)) ? `${path}.gz` : path)

const encryption = feature('sdk/crypto/secure-contact.ts')
/** @param {readonly string[]} paths */
const without = (paths) => paths.filter((path) => !encryption.includes(path))

export default [
  // The requirement (PKG-2) is 45, 108 and 130 kB as served by gzip: docs/adr/0006-size-of-the-base.md.
  { name: 'visitor, ready to chat', path: base, limit: '46.2 kB' },
  // The files that the service sends where a browser takes gzip, and not Brotli.
  {
    name: 'visitor, ready to chat, as served by gzip',
    path: base.map(served),
    limit: '45 kB',
    gzip: false,
    brotli: false,
  },
  // The demo shop: its own script with the widget, and the SDK. Pictures and styles of the shop are not counted.
  {
    name: "visitor's page, before the chat is opened",
    path: [...page('apps/visitor/dist/main.js'), ...base],
    limit: '114 kB',
  },
  { name: 'classic script, before a client is made', path: 'dist/browser/duolog.global.js', limit: '2 kB' },
  { name: 'widget.js, the button on any page', path: 'dist/browser/widget.js', limit: '5 kB' },
  { name: 'visitor, everything loaded', path: reached(DUOLOG, all), limit: '126.3 kB' },
  { name: 'visitor, everything but encryption', path: without(reached(DUOLOG, all)), limit: '101.1 kB' },
  { name: 'agent, everything loaded', path: reached(AGENT, all), limit: '129.5 kB' },
  { name: 'agent, everything but encryption', path: without(reached(AGENT, all)), limit: '104.3 kB' },
  { name: 'encryption', path: encryption, limit: '25.3 kB' },
  // With what attaches engines to a contact, which was in the base before.
  { name: 'negotiation', path: feature('sdk/media/negotiation.ts'), limit: '18 kB' },
  { name: 'call', path: feature('engines/webrtc/index.ts'), limit: '14.9 kB' },
  {
    name: 'files',
    path: feature('sdk/attachments/attach.ts', 'sdk/attachments/tus-upload.ts'),
    limit: '5.8 kB',
  },
  { name: 'channels', path: feature('sdk/data-channels/channels.ts'), limit: '6.6 kB' },
  { name: 'requests', path: feature('sdk/rpc/rpc.ts'), limit: '2.7 kB' },
  { name: 'transcript', path: feature('sdk/transcript/transcript.ts'), limit: '2.4 kB' },
].map((budget) => ({ gzip: true, ...budget }))
