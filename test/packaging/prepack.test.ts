/** What `npm pack` says in the folder of the service, which has its sources only. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { NEEDED } from '../../scripts/service-package.mjs'
import { repository } from './embedding-app.ts'

it('PKG-21 npm pack of the sources of the service fails, and names what a package must have', () => {
  const { status, stderr } = spawnSync('npm', ['pack', '--dry-run', '--foreground-scripts'], {
    cwd: join(repository, 'service'),
    encoding: 'utf8',
  })
  expect(status).not.toBe(0)
  expect(stderr).toContain('unable to pack the service; it lacks')
  for (const path of ['dist/pages/sdk', 'dist/pages/agent', 'deploy/systemd']) expect(stderr).toContain(path)
})

it('PKG-21 a folder that has all of it passes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'duolog-prepack-'))
  for (const path of NEEDED) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), '')
  }
  const script = join(repository, 'scripts', 'prepack-service.mjs')
  expect(spawnSync(process.execPath, [script], { cwd: folder }).status).toBe(0)
  rmSync(folder, { recursive: true })
})
