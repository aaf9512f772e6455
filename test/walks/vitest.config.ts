/** The walks of a new user: `npm run walks`, not a part of `npm test`. */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: fileURLToPath(new URL('../../', import.meta.url)),
  test: {
    include: ['test/walks/**/*.test.ts'],
    fileParallelism: false,
    // npm installs, and bundlers build.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 10_000, interval: 50 } },
  },
})
