import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { withFixedLimits } from '../../scripts/fixed-limits.mjs'
import { minifiedTree } from '../../scripts/minify.mjs'
import { orderOfDefinitions, parts, sorted, withOrder } from '../../scripts/order.mjs'
import { inRoot } from '../../scripts/run.mjs'

/** Files that are evaluated one after the other, and need one another in many ways. */
const FILES = {
  'names.ts':
    'export const NAMES = ["a", "b"]\nexport const count = () => NAMES.length + extra()\nfunction extra() { return EXTRA }\nconst given = [Number("1")]\nconst [EXTRA] = given',
  'base.ts':
    'import { count } from "./names.ts"\nexport class Base { size = count(); static total = count() }',
  'sub.ts':
    'import { Base } from "./base.ts"\nexport class Sub extends Base { text = () => helped(this.size) }\nconst helped = (n: number) => `${n}!`',
  'made.ts':
    'import { Sub } from "./sub.ts"\nimport { count } from "./names.ts"\nexport const made = [new Sub().text(), Sub.total, count()]',
  'main.ts':
    'import { made } from "./made.ts"\nimport { NAMES } from "./names.ts"\nexport const answer = () => [...made, ...NAMES]',
}
const EXPECTED = ['3!', 3, 3, 'a', 'b']

let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'duolog-order-'))
  await mkdir(join(folder, 'out'))
  await Promise.all(Object.entries(FILES).map(([name, code]) => writeFile(join(folder, name), code)))
})
afterAll(() => rm(folder, { recursive: true }))

async function bundled(entry: string) {
  const path = join(folder, 'out', 'main.js')
  const { outputFiles } = await build({
    entryPoints: [join(folder, entry)],
    outfile: path,
    ...{ bundle: true, minify: true, format: 'esm', sourcemap: true, write: false, tsconfigRaw: {} },
  })
  const [map = '', code = ''] = outputFiles.map(({ text }) => text)
  return { path, code, map }
}

const orders = (names: readonly string[]): string[][] =>
  names.length < 2
    ? [[...names]]
    : names.flatMap((name) => orders(names.filter((each) => each !== name)).map((rest) => [name, ...rest]))

/** One of a list at each of its places. */
const moves = (one: string, all: readonly string[]): string[][] =>
  all.map((_, at) => all.filter((each) => each !== one).toSpliced(at, 0, one))

it('PKG-2 a bundle whose definitions are in another order evaluates to the same', async () => {
  const bundle = await bundled('main.ts')
  const tree = await minifiedTree(bundle)
  const found = parts(tree, bundle)
  if (!found) throw new Error('the bundle has other statements')
  const keys = found.definitions.map(({ key }) => key)
  const files = [...new Set(keys.map((key) => key.replace(/ .*/, '')))]
  expect(files).toHaveLength(5)
  expect(new Set(keys).size).toBe(8)
  const byFile = orders(files).map((order) =>
    order.flatMap((file) => keys.filter((key) => key.startsWith(`${file} `))),
  )
  const codes = new Set<string>()
  for (const order of [...byFile, ...keys.flatMap((key) => moves(key, keys))]) {
    tree.body = withOrder(found, order)
    codes.add(tree.body.map((node) => node.print_to_string()).join(';'))
  }
  expect(codes.size).toBeGreaterThan(5)
  for (const code of codes) {
    const { answer } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
      answer: () => unknown[]
    }
    expect(answer()).toEqual(EXPECTED)
  }
})

it('PKG-2 a bundle with statements that do something keeps its order', async () => {
  await writeFile(join(folder, 'does.ts'), 'import { made } from "./made.ts"\nconsole.log(made)')
  const bundle = await bundled('does.ts')
  expect(parts(await minifiedTree(bundle), bundle)).toBeNull()
})

it('PKG-2 a definition that the order does not name stays behind the one that it was behind', async () => {
  const bundle = await bundled('main.ts')
  const found = parts(await minifiedTree(bundle), bundle)
  const definitions = (found?.definitions ?? []).map((each) => ({ ...each, needs: [] }))
  const [one, two, three, ...rest] = definitions.map(({ key }) => key)
  expect(sorted(definitions, [two ?? '', one ?? '']).map(({ key }) => key)).toEqual([
    two,
    three,
    ...rest,
    one,
  ])
})

it('PKG-2 the order names each definition once, and files that are there', () => {
  const keys = orderOfDefinitions()
  expect(new Set(keys).size).toBe(keys.length)
  expect(keys.filter((key) => !existsSync(inRoot(key.replace(/ .*/, ''))))).toEqual([])
})

it('PKG-2 no file of the SDK has effects when it is evaluated', () => {
  const { sideEffects } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8')) as {
    sideEffects: string[]
  }
  // The widget and the parts of it that are loaded later define elements; nothing of the SDK is among them.
  expect(sideEffects).toEqual(['./dist/elements/widget.js', './dist/elements/*-element-*.js'])
})

it('PKG-2 limits are numbers in bundles', async () => {
  expect(await withFixedLimits('cut(text, LIMITS.desc) < LIMITS.offerLifetime.usual')).toBe(
    'cut(text, 512) < 60000',
  )
  expect(await withFixedLimits('const { least } = LIMITS.offerLifetime')).toBe(
    'const { least } = LIMITS.offerLifetime',
  )
})
