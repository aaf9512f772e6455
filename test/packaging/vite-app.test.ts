import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { build, createLogger, createServer, preview } from 'vite'
import type { InlineConfig } from 'vite'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { createEmbeddingApp, repository } from './embedding-app.ts'
import type { EmbeddingApp } from './embedding-app.ts'

let app: EmbeddingApp
let chromium: ChromiumUnderTest
let complaints: string[]

/** What Vite has without a configuration file; only where it prints is ours. */
const unconfigured = (): InlineConfig => {
  complaints = []
  const complain = (message: string): void => void complaints.push(message)
  return {
    root: app.folder,
    configFile: false,
    logLevel: 'silent',
    customLogger: { ...createLogger('silent'), warn: complain, warnOnce: complain, error: complain },
  }
}

async function titleOf(url: string | undefined): Promise<string> {
  const page = await chromium.newPage(url)
  await page.waitForFunction(() => document.title !== 'waiting')
  return page.title()
}

beforeAll(async () => {
  app = createEmbeddingApp()
  chromium = await launchChromium()
})

afterAll(async () => {
  await chromium?.close()
  app?.remove()
})

describe('an application with the packed SDK and no bundler configuration', () => {
  it('PKG-4 PKG-5 compiles against the published types', () => {
    const compilerOptions = {
      noEmit: true,
      strict: true,
      target: 'es2022',
      module: 'preserve',
      lib: ['es2022', 'dom'],
      types: [],
    }
    writeFileSync(join(app.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }))
    const { stdout } = spawnSync(
      process.execPath,
      [join(repository, 'node_modules/typescript/bin/tsc'), '-p', app.folder],
      { encoding: 'utf8' },
    )
    expect(stdout).toBe('')
  })

  it('PKG-5 is built by Vite, and its page calls and chats', async () => {
    await build(unconfigured())
    const server = await preview({ ...unconfigured(), preview: { port: 0 } })
    expect(await titleOf(server.resolvedUrls?.local[0])).toBe('ready: Good morning')
    await server.close()
    expect(complaints).toEqual([])
  })

  it("PKG-5 runs on Vite's development server, and its page calls and chats", async () => {
    const server = await createServer({ ...unconfigured(), server: { port: 0 } })
    await server.listen()
    expect(await titleOf(server.resolvedUrls?.local[0])).toBe('ready: Good morning')
    await server.close()
    expect(complaints).toEqual([])
  })

  it('PKG-5 raises no error in the page', () => {
    expect(chromium.pageErrors).toEqual([])
  })
})
