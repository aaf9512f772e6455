import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { MUTATIONS } from './mutations.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const mutation = MUTATIONS.find(({ id }) => id === process.env['DUOLOG_MUTATION'])

/** The sources with a rule taken out. */
const mutated = {
  name: 'mutated',
  enforce: 'pre',
  transform(source: string, path: string): string | undefined {
    const patches = mutation?.patches.filter(({ file }) => path.endsWith(`/${file}`)) ?? []
    if (patches.length === 0) return undefined
    return patches.reduce((text, { rule, by }) => text.replace(rule, () => by), source)
  },
} as const

export default defineConfig({
  root,
  plugins: [mutated],
  test: { include: ['test/**/*.test.ts'], bail: 1, reporters: ['verbose'], testTimeout: 20_000 },
})
