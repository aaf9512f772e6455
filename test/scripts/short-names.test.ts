import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { namesThatMayBeShort } from '../../scripts/find-short-names.mjs'
import { shortNames, withShortNames } from '../../scripts/short-names.mjs'

it('PKG-2 a short name stands for a member that only the code of the SDK names, and nothing else has it', async () => {
  const { safe, taken } = await namesThatMayBeShort()
  const names = shortNames()
  expect(Object.keys(names).filter((name) => !safe.includes(name))).toEqual([])
  expect(Object.values(names).filter((name) => taken.has(name))).toEqual([])
  expect(new Set(Object.values(names)).size).toBe(Object.keys(names).length)
}, 120_000)

it('PKG-2 files that are loaded apart have the same short names', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'duolog-names-'))
  await writeFile(
    join(folder, 'one.ts'),
    'export const one = async () => (await import("./two.ts")).two({ whenOver: () => ["over"], kept: 1 })',
  )
  await writeFile(
    join(folder, 'two.ts'),
    'export const two = ({ whenOver, kept }: { whenOver(): string[]; kept: number }) => [...whenOver(), kept]',
  )
  const { outputFiles } = await build({
    ...{ entryPoints: [join(folder, 'one.ts')], outdir: join(folder, 'out'), tsconfigRaw: {} },
    ...{ bundle: true, splitting: true, format: 'esm', ...withShortNames({ whenOver: 'q' }) },
  } as const)
  expect(outputFiles).toBeUndefined()
  const { one } = (await import(join(folder, 'out', 'one.js'))) as { one: () => Promise<unknown[]> }
  expect([await one(), one.toString().includes('whenOver'), one.toString().includes('kept')]).toEqual([
    ['over', 1],
    false,
    true,
  ])
  await rm(folder, { recursive: true })
})
