/** Walk (b): Vite and React as `npm create vite` makes them, and the chat of the guide. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { freePort } from '../support/free-port.ts'
import { NewFolder, SDK, blockOf } from './new-folder.ts'

const service = new NewFolder()
const folder = new NewFolder()
const chat = blockOf('docs/guides/frameworks.md', 'tsx examples/react/chat.tsx')
let url: string
let chromium: ChromiumUnderTest
let agent: Page

/** A configuration of the template, which has comments, with other values. */
function configure(name: string, values: Readonly<Record<string, boolean>>): void {
  const text = readFileSync(join(folder.path, name), 'utf8')
  const without = Object.keys(values).reduce(
    (rest, key) => rest.replace(new RegExp(`^\\s*"${key}":.*$`, 'm'), ''),
    text,
  )
  const lines = Object.entries(values).map(([key, value]) => `"${key}": ${value},`)
  folder.write(name, without.replace('"compilerOptions": {', `"compilerOptions": {\n${lines.join('\n')}`))
}

beforeAll(async () => {
  url = await service.startService()
  folder.run('npm create --yes vite@latest . -- --template react-ts --no-interactive')
  folder.install()
  folder.install(SDK)
  folder.write('src/chat.tsx', chat)
  folder.write(
    'src/App.tsx',
    `import { Chat } from './chat.tsx'\n\nexport default function App() {\n  return <Chat service="${url}" />\n}\n`,
  )
  configure('tsconfig.app.json', { strict: true, skipLibCheck: false })
  chromium = await launchChromium()
  agent = await chromium.newPage(`${url}/agent/?nick=Ada`)
  await agent.getByTestId('ready-switch').click()
})

afterAll(async () => {
  await chromium?.close()
  await folder.remove()
  await service.remove()
})

describe('a new application with Vite and React', () => {
  it('PRD-221 has a chat of its own in at most 40 lines without a cast, and is built strictly, libraries included', () => {
    expect(chat.trimEnd().split('\n').length).toBeLessThanOrEqual(40)
    expect(chat).not.toMatch(/\bas (?!const)|@ts-|\bany\b/)
    folder.run('npm run build')
  })

  it.each(['preview', 'dev'])(
    'PRD-221 talks with the agent in `npm run %s`, also after a page load',
    async (script) => {
      const port = await freePort()
      await folder.start(`npm run ${script} -- --port ${port} --host 127.0.0.1`, /Local:/)
      const page = await chromium.newPage(`http://127.0.0.1:${port}/`)
      await page.getByRole('button', { name: 'Start a chat' }).click()
      await page.getByLabel('Message').fill(`Hello from ${script}`)
      await page.keyboard.press('Enter')
      await agent.getByTestId('accept-contact').click()
      await agent.getByTestId('messages').getByText(`Hello from ${script}`).waitFor()
      await agent.getByTestId('composer').last().fill('Hello Robin')
      await agent.keyboard.press('Enter')
      await page.getByText('Ada: Hello Robin').waitFor()
      await page.reload()
      await page.getByText('Ada: Hello Robin').waitFor()
      await page.getByRole('button', { name: 'End', exact: true }).click()
      await page.getByRole('button', { name: 'Start a chat' }).waitFor()
      await agent.getByTestId('end-contact').click()
      expect(chromium.pageErrors).toEqual([])
    },
  )
})
