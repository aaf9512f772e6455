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

/** simple-peer with the shims of the browser's build, in place of the package itself. */
const shimmedPeer = {
  name: 'shimmed simple-peer',
  enforce: 'pre',
  resolveId: (id: string) => (id === 'simple-peer' ? '\0simple-peer' : undefined),
  load: async (id: string) =>
    id === '\0simple-peer' ? (await import('./scripts/shims.mjs')).bundleWithShims('simple-peer') : undefined,
} as const

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
          testTimeout: 10_000,
        },
      },
      {
        ...shared,
        plugins: [shimmedPeer],
        test: {
          name: 'shimmed',
          include: ['test/shimmed/*.test.ts', 'test/engines/{webrtc-flow,webrtc-early,data-pipe}.test.ts'],
          testTimeout: 10_000,
        },
      },
      {
        ...shared,
        test: {
          name: 'service',
          include: ['test/service/**/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        ...shared,
        test: {
          name: 'packaging',
          include: ['test/packaging/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        ...shared,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
          expect: { poll: { timeout: 10_000, interval: 50 } },
        },
      },
    ],
  },
})
