/** The pages that the service serves, as `npm run build:package` makes them. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const builtFile = (app: string, name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../apps/${app}/dist/${name}`, import.meta.url)), 'utf8')

it.each([
  ['visitor', '/sdk/duolog.js'],
  ['agent', '/sdk/agent.js'],
])('PRD-246 the page of the %s names what its modules import at once', (app, sdk) => {
  const chunks = [...builtFile(app, 'main.js').matchAll(/(?:from|import)"(\.\/chunks\/[^"]+)"/g)]
  const named = [...builtFile(app, 'index.html').matchAll(/rel="modulepreload" href="([^"]+)"/g)]
  expect(chunks.length).toBeGreaterThan(0)
  expect(named.map(([, path]) => path)).toEqual(
    expect.arrayContaining(['./main.js', ...chunks.map(([, path]) => path), sdk]),
  )
})
