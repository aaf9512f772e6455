import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cruise } from 'dependency-cruiser'
import type { ICruiseResult } from 'dependency-cruiser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cruiseOptions, rulesFor } from '../../scripts/layers.mjs'

/** A small tree that keeps every rule. */
const ALLOWED: Record<string, string> = {
  'protocol/index.ts': `export { fold } from './fold.ts'`,
  'protocol/fold.ts': `import * as v from 'valibot'\nexport const fold = (later: string) => v.string() && later`,
  'protocol/later.ts': `import { fold } from './fold.ts'\nexport type Later = string\nexport const later = fold('x')`,
  'machines/index.ts': `export { mediaMachine } from './media/media.machine.ts'`,
  'machines/media/media.machine.ts': `import { setup } from 'xstate'\nimport type { LinkEvent } from '../link/link.types.ts'\nimport { rule } from './media.rules.ts'\nexport const mediaMachine = [setup, rule] as unknown as LinkEvent`,
  'machines/media/media.rules.ts': `import { fold } from '../../protocol/index.ts'\nexport const rule = fold`,
  'machines/link/link.types.ts': `export type LinkEvent = string`,
  'engines/index.ts': `export { engine } from './webrtc/webrtc-engine.ts'`,
  'engines/webrtc/webrtc-engine.ts': `import mitt from 'mitt'\nexport const engine = () => [mitt, import('./peer.ts')]`,
  'engines/webrtc/peer.ts': `export const peer = 1`,
  'sdk/index.ts': `import { engine } from '../engines/index.ts'\nimport { mediaMachine } from '../machines/index.ts'\nimport { fold } from '../protocol/index.ts'\nimport { connect } from './link/socket.ts'\nexport const all = [engine, mediaMachine, fold, connect]`,
  'sdk/link/socket.ts': `import Socket from 'ws'\nexport const connect = Socket`,
  'sdk/agent/index.ts': `import { connect } from '../link/socket.ts'\nexport const agent = connect`,
  'testing/index.ts': `import { all } from '../sdk/index.ts'\nimport { agent } from '../sdk/agent/index.ts'\nexport const kit = [all, agent]`,
  'service/src/main.ts': `import { readFileSync } from 'node:fs'\nimport fastify from 'fastify'\nimport { fold } from '../../protocol/index.ts'\nexport const main = [readFileSync, fastify, fold]`,
  'apps/visitor/src/main.ts': `import { html } from 'lit'\nimport { all } from 'duolog'\nimport { agent } from 'duolog/agent'\nexport const page = [html, all, agent]`,
  'test/sdk/link.test.ts': `import { connect } from '../../sdk/link/socket.ts'\nimport { equal } from 'node:assert'\nexport const test = [connect, equal]`,
  'test/support/builders.ts': `export const build = 1`,
  'scripts/tool.mjs': `export const tool = 1`,
}

/** A file that breaks a rule: the rule, the file, what it imports. */
const FORBIDDEN: readonly [rule: string, file: string, imported: string][] = [
  ['protocol-imports', 'protocol/a.ts', 'xstate'],
  ['protocol-imports', 'protocol/b.ts', 'node:fs'],
  ['protocol-imports', 'protocol/c.ts', '../machines/index.ts'],
  ['protocol-imports', 'protocol/d.ts', 'not-installed'],
  ['machines-imports', 'machines/a.ts', '../engines/index.ts'],
  ['machines-imports', 'machines/b.ts', 'mitt'],
  ['machines-imports', 'machines/c.ts', 'node:timers'],
  ['engines-imports', 'engines/a.ts', '../machines/index.ts'],
  ['engines-imports', 'engines/b.ts', 'lit'],
  ['engines-imports', 'engines/webrtc/c.ts', 'xstate'],
  ['engines-webrtc-peer-session.-imports', 'engines/webrtc/peer-session.machine.ts', 'lit'],
  ['sdk-imports', 'sdk/a.ts', 'ws'],
  ['sdk-imports', 'sdk/b.ts', '../testing/index.ts'],
  ['sdk-imports', 'sdk/c.ts', 'lit'],
  ['sdk-imports', 'sdk/d.ts', 'events'],
  ['whole-contact-by-its-maker', 'sdk/media/a.ts', '../contact/contact-parts.ts'],
  ['sdk-link--imports', 'sdk/link/a.ts', 'lit'],
  ['sdk-crypto--imports', 'sdk/crypto/a.ts', 'ws'],
  ['testing-imports', 'testing/a.ts', 'vitest'],
  ['testing-imports', 'testing/b.ts', 'node:assert'],
  ['service-imports', 'service/src/a.ts', '../../sdk/index.ts'],
  ['service-imports', 'service/src/b.ts', '../../machines/index.ts'],
  ['service-imports', 'service/src/c.ts', 'mitt'],
  ['apps-imports', 'apps/visitor/src/a.ts', '../../../sdk/index.ts'],
  ['apps-imports', 'apps/visitor/src/b.ts', 'duolog/sdk/link'],
  ['apps-imports', 'apps/visitor/src/c.ts', 'xstate'],
  ['apps-imports', 'apps/visitor/src/d.ts', 'node:fs'],
  ['apps-inspector-src-charts.ts-imports', 'apps/inspector/src/charts.ts', 'xstate'],
  ['apps-agent-src-oidc.ts-imports', 'apps/agent/src/oidc.ts', 'xstate'],
  ['apps-imports', 'apps/agent/src/e.ts', 'oauth4webapi'],
  ['apps-react--imports', 'apps/react/src/a.ts', 'xstate'],
  ['apps-imports', 'apps/visitor/src/f.ts', 'react'],
  ['protocol-by-its-index', 'sdk/e.ts', '../protocol/fold.ts'],
  ['engines-by-its-index', 'sdk/f.ts', '../engines/webrtc/webrtc-engine.ts'],
  ['sdk-by-its-index', 'scripts/c.mjs', '../sdk/link/socket.ts'],
  ['nothing-imports-test', 'sdk/g.ts', '../test/support/builders.ts'],
  ['nothing-imports-test', 'scripts/a.mjs', '../test/support/builders.ts'],
  ['machines-by-their-files', 'machines/link/a.ts', '../media/media.rules.ts'],
  ['scripts-import-no-sources', 'scripts/b.mjs', '../protocol/index.ts'],
]

const FOLDERS = ['protocol', 'machines', 'engines', 'sdk', 'testing', 'service', 'apps', 'test', 'scripts']
const nodeModules = fileURLToPath(new URL('../../node_modules', import.meta.url))
const made: string[] = []

function tree(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'duolog-layers-'))
  made.push(root)
  symlinkSync(nodeModules, join(root, 'node_modules'))
  for (const [path, code] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), code)
  }
  return root
}

async function violations(files: Record<string, string>): Promise<string[]> {
  const root = tree(files)
  const { output } = await cruise(FOLDERS, {
    ...cruiseOptions,
    baseDir: root,
    validate: true,
    ruleSet: { forbidden: rulesFor(root) },
  })
  return (output as ICruiseResult).summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`)
}

afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true })
})

describe('layers', () => {
  let found: string[]

  beforeAll(async () => {
    const broken = FORBIDDEN.map(([, file, imported]) => [
      file,
      `${ALLOWED[file] ?? ''}\nimport * as forbidden from '${imported}'\nexport const use = forbidden`,
    ])
    const cycle = {
      'sdk/one.ts': `import { two } from './two.ts'\nexport const one = () => two`,
      'sdk/two.ts': `import { one } from './one.ts'\nexport const two = () => one`,
      'sdk/three.ts': `import type { Four } from './four.ts'\nexport interface Three { four: Four }`,
      'sdk/four.ts': `import type { Three } from './three.ts'\nexport interface Four { three: Three }`,
      'sdk/contact/contact-parts.ts': `export interface ContactParts { id: string }`,
    }
    found = await violations({ ...ALLOWED, ...Object.fromEntries(broken), ...cycle })
  })

  it('PKG-8 let pass what the architecture allows', async () => {
    expect(await violations(ALLOWED)).toEqual([])
  })

  it.each(FORBIDDEN)('PKG-8 %s refuses %s with %s', (rule, file) => {
    expect(found).toContain(`${rule}: ${file}`)
  })

  it('PKG-8 refuse modules that need each other while they load', () => {
    expect(found).toContain('no-value-cycles: sdk/one.ts')
  })

  it('PKG-8 refuse modules whose types need each other', () => {
    // A cycle is told once, at one of its modules.
    expect(found.join('\n')).toMatch(/no-type-cycles: sdk\/(three|four)\.ts/)
  })

  it('have a case for every rule of the table', () => {
    const tried = new Set(['no-value-cycles', 'no-type-cycles', ...FORBIDDEN.map(([rule]) => rule)])
    const rules = rulesFor(tree({})).map(({ name }) => name ?? '')
    expect(rules.filter((name) => !tried.has(name))).toEqual([])
  })
})
