import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const shared = {
  resolve: {
    alias: [
      { find: /^duolog$/, replacement: source('sdk/index.ts') },
      { find: /^duolog\/agent$/, replacement: source('sdk/agent/index.ts') },
      { find: /^duolog\/symbols$/, replacement: source('sdk/symbols/index.ts') },
      { find: /^duolog\/widget$/, replacement: source('apps/visitor/src/package.ts') },
      { find: /^duolog\/react$/, replacement: source('apps/react/src/index.ts') },
      { find: /^duolog\/(machines|engines|testing)$/, replacement: source('$1/index.ts') },
    ],
  },
}

/** XState as browsers are served it, in place of the package itself. */
const servedXState = {
  name: 'served XState',
  enforce: 'pre',
  async transform(code: string, path: string) {
    if (!/[\\/]xstate[\\/]dist[\\/]/.test(path)) return undefined
    const [{ usedPart }, { withShortNames }, { transform }] = await Promise.all([
      import('./scripts/unused-xstate.mjs'),
      import('./scripts/short-names.mjs'),
      import('esbuild'),
    ])
    return (await transform(usedPart(path, code), withShortNames())).code
  },
} as const

/** For tests with a database. */
const globalSetup = ['test/support/prepared-store.ts']
/** For tests of pages, and of what is published. Two files at once would build into the same folder. */
const withBuild = [...globalSetup, 'test/support/build-once.ts']

/** They measure how much memory a browser takes, which another browser beside it changes. */
const MEMORY = ['large-upload', 'encrypted-file', 'leaks'].map((name) => `test/e2e/${name}.test.ts`)

/** For a test that hangs: no loaded machine comes near it. */
const limits = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 10_000, interval: 50 } },
}

/** Folders of `test/` whose tests need neither a database nor a browser. */
const UNIT = [
  'protocol',
  'machines',
  'engines',
  'sdk',
  'testing',
  'apps',
  'model',
  'chaos',
  'scripts',
  'support',
  'examples',
]

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      {
        ...shared,
        test: {
          name: 'unit',
          include: [...UNIT.map((folder) => `test/${folder}/**/*.test.ts`), 'examples/**/*.test.ts'],
          ...limits,
        },
      },
      {
        resolve: {
          alias: [
            ...shared.resolve.alias,
            { find: /^xstate$/, replacement: source('node_modules/xstate/dist/xstate.esm.js') },
            // Its own actors have the same members.
            { find: /^xstate\/graph$/, replacement: source('node_modules/xstate/dist/xstate-graph.esm.js') },
          ],
        },
        plugins: [servedXState],
        test: {
          name: 'served',
          include: [
            'test/machines/{channel,encryption,link,media-*,membership,outbox,request}.test.ts',
            'test/engines/webrtc-{flow,life,restarts}.test.ts',
            'test/sdk/{link/drain,log/outbox,log/drained}.test.ts',
          ],
          server: { deps: { inline: [/xstate/] } },
          ...limits,
        },
      },
      {
        ...shared,
        test: {
          name: 'service',
          globalSetup,
          include: ['test/service/**/*.test.ts'],
          ...limits,
        },
      },
      {
        ...shared,
        test: {
          name: 'packaging',
          globalSetup: withBuild,
          include: ['test/packaging/**/*.test.ts'],
          ...limits,
          sequence: { groupOrder: 1 },
        },
      },
      {
        ...shared,
        test: {
          name: 'e2e',
          globalSetup: withBuild,
          include: ['test/e2e/**/*.test.ts'],
          exclude: MEMORY,
          ...limits,
          sequence: { groupOrder: 1 },
        },
      },
      {
        ...shared,
        test: {
          name: 'memory',
          globalSetup: withBuild,
          include: MEMORY,
          ...limits,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
