/**
 * What may import what: one table, from which the rules of dependency-cruiser are made.
 *
 *   protocol ← machines, engines ← sdk ← testing      protocol ← service      public entries ← apps
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { inRoot } from './run.mjs'

/**
 * @typedef {object} Layer
 * @property {string[]} layers other folders whose `index.ts` may be imported
 * @property {string[]} packages npm packages that every file may import
 * @property {Record<string, string[]>} [only] packages and files of the root that only files below this path
 *   may import
 * @property {boolean} [node] Node's own modules may be imported
 * @property {string[]} [entries] files besides `index.ts` by which the folder may be imported
 * @property {string[]} [inside] folders of which any file may be imported

 * @typedef {import('dependency-cruiser').IRegularForbiddenRuleType} Rule
 */

export const ENTRIES = [
  'duolog',
  'duolog/agent',
  'duolog/compat',
  'duolog/symbols',
  'duolog/widget',
  'duolog/react',
  'duolog/machines',
  'duolog/engines',
  'duolog/testing',
]

/** @type {{ dependencies: Record<string, string> }} */
const service = JSON.parse(readFileSync(inRoot('service', 'package.json'), 'utf8'))

/** @type {Record<string, Layer>} */
export const LAYERS = {
  protocol: { layers: [], packages: ['valibot'], entries: ['checks.ts'] },
  machines: { layers: ['protocol'], packages: ['xstate'], entries: ['eager.ts'] },
  engines: {
    layers: ['protocol'],
    packages: ['mitt'],
    entries: ['eager.ts'],
    only: { 'engines/webrtc/peer-session.': ['xstate'] },
  },
  sdk: {
    layers: ['protocol', 'machines', 'engines'],
    packages: ['xstate', 'mitt'],
    only: {
      'sdk/link/': ['ws'],
      'sdk/crypto/': ['crypto-js', 'tweetnacl', 'tweetnacl-util'],
    },
  },
  testing: { layers: ['protocol', 'machines', 'engines', 'sdk'], packages: [], inside: ['sdk'] },
  service: { layers: ['protocol'], packages: Object.keys(service.dependencies), node: true },
  apps: {
    layers: [],
    // What `widget.js` takes of the pages: without lit, which it does not load.
    entries: ['messages/launcher.ts', 'palette.ts', 'fonts.ts'],
    packages: [...ENTRIES, 'lit'],
    only: {
      'apps/inspector/src/charts.ts': ['stately.config.json'],
      'apps/agent/src/oidc.ts': ['oauth4webapi'],
      'apps/react/': ['react', '@lit/react', '@types/react'],
    },
  },
}

/** @param {string} text */
const quoted = (text) => text.replaceAll(/[.+*?^$()[\]{}|\\]/g, String.raw`\$&`)

/**
 * A package in `node_modules`, or by its name where it is not found there, as the SDK is for the apps.
 * @param {string} name
 */
const packagePath = (name) => `(^|/)node_modules/${quoted(name)}/|^${quoted(name)}$`

/** @param {string} folder @param {Layer} layer @returns {Rule[]} */
function layerRules(folder, { layers, packages, only = {}, node = false }) {
  const everywhere = [`^${folder}/`, ...layers.map((other) => `^${other}/`), ...packages.map(packagePath)]
  /** @type {Rule['to']} */
  const core = node ? { dependencyTypesNot: ['core'] } : {}
  const special = Object.entries(only)
  return [
    {
      name: `${folder}-imports`,
      comment: `${folder} may import ${[...layers, ...packages, ...(node ? ['node:*'] : [])].join(', ') || 'nothing else'}`,
      from: {
        path: `^${folder}/`,
        ...(special.length > 0 && { pathNot: special.map(([path]) => `^${quoted(path)}`) }),
      },
      to: { pathNot: everywhere, ...core },
    },
    ...special.map(([path, extra]) => ({
      name: `${path.replaceAll('/', '-')}-imports`,
      comment: `${path} may import ${extra.join(', ')} besides what ${folder} may`,
      from: { path: `^${quoted(path)}` },
      to: { pathNot: [...everywhere, ...extra.map(packagePath)], ...core },
    })),
  ]
}

/**
 * Folders below `root` that have an index, in POSIX form.
 * @param {string} root
 * @param {string} folder
 * @returns {string[]}
 */
function foldersWithIndex(root, folder) {
  if (!existsSync(join(root, folder))) return []
  const entries = readdirSync(join(root, folder), { withFileTypes: true })
  const below = entries
    .filter((entry) => entry.isDirectory() && !['node_modules', 'dist', 'public'].includes(entry.name))
    .flatMap((entry) => foldersWithIndex(root, `${folder}/${entry.name}`))
  return entries.some((entry) => entry.name === 'index.ts') ? [folder, ...below] : below
}

/** @param {string} folder */
function indexRule(folder) {
  const [layer = folder] = folder.split('/')
  const entries = ['index.ts', ...(LAYERS[layer]?.entries ?? [])].map((entry) => `/${quoted(entry)}$`)
  const insiders = Object.entries(LAYERS).flatMap(([name, { inside = [] }]) =>
    inside.includes(layer) ? [`^${name}/`] : [],
  )
  return {
    name: `${folder.replaceAll('/', '-')}-by-its-index`,
    comment: `from outside, ${folder} is imported by an index.ts`,
    from: { path: '^', pathNot: [`^${folder}/`, '^(test|bench)/', ...insiders] },
    to: { path: `^${folder}/`, pathNot: entries },
  }
}

/** Rules that are no layers. @type {Rule[]} */
const GENERAL = [
  {
    name: 'no-value-cycles',
    comment: 'modules that need each other while they load; types may',
    from: {},
    to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
  },
  {
    name: 'no-type-cycles',
    comment: 'modules whose types need each other',
    from: { path: '^(protocol|machines|engines|sdk|testing|service|apps)/' },
    to: { circular: true },
  },
  {
    name: 'whole-contact-by-its-maker',
    comment: 'each part of a contact names what it needs; only open-contact.ts knows all of them',
    from: { path: '^', pathNot: [String.raw`^sdk/contact/(contact-parts|open-contact)\.ts$`] },
    to: { path: String.raw`^sdk/contact/contact-parts\.ts$` },
  },
  {
    name: 'nothing-imports-test',
    comment: 'what others need of test belongs into testing',
    from: { path: '^', pathNot: ['^(test|bench)/'] },
    to: { path: '^test/' },
  },
  {
    name: 'machines-by-their-files',
    comment: "a machine's folder is imported by <name>.machine.ts and <name>.types.ts",
    from: { path: '^machines/([^/]+)/' },
    to: { path: '^machines/[^/]+/', pathNot: ['^machines/$1/', String.raw`\.(machine|types)\.ts$`] },
  },
  {
    name: 'scripts-import-no-sources',
    comment: 'scripts run before anything is built',
    from: { path: '^scripts/' },
    to: { path: '^(protocol|machines|engines|sdk|testing|service|apps)/' },
  },
]

/** All rules for the tree at `root`. @param {string} root @returns {Rule[]} */
export function rulesFor(root) {
  const layers = Object.entries(LAYERS).flatMap(([folder, layer]) => layerRules(folder, layer))
  const indexes = Object.keys(LAYERS)
    .flatMap((folder) => foldersWithIndex(root, folder))
    .map(indexRule)
  return [...layers, ...indexes, ...GENERAL].map((rule) => ({ ...rule, severity: 'error' }))
}

/** Options of dependency-cruiser that the rules count on. */
export const cruiseOptions = {
  doNotFollow: { path: 'node_modules' },
  exclude: { path: '^(service|apps/[^/]+)/(dist|public)/' },
  tsPreCompilationDeps: true,
}
