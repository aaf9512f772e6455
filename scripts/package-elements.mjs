/** The entries of the package that come of the apps: `duolog/widget` and `duolog/react`, with their types. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { common } from './browser-bundles.mjs'
import { inRoot } from './run.mjs'

/** What the package publishes of the apps, by the name of its entry. Its types have modules of their own. */
const ELEMENTS = {
  widget: 'apps/visitor/src/package.ts',
  react: 'apps/react/src/index.ts',
  // A file of its own: who takes the hooks alone does not get the element with them.
  'react-widget': 'apps/react/src/widget.ts',
}
/** Modules of their types, below `apps`. */
const ELEMENT_TYPES = [
  'visitor/src/package.ts',
  'visitor/src/widget-api.ts',
  ...['index', 'hooks', 'widget', 'store', 'contact-store', 'messages-store', 'media-store'].map(
    (name) => `react/src/${name}.ts`,
  ),
]
/**
 * `duolog/widget` and `duolog/react`: what they take of other packages stays with these, so that a page has one
 * SDK and a server gets what lit has for servers.
 */
export async function buildElements() {
  const outdir = inRoot('dist', 'elements')
  await rm(outdir, { recursive: true, force: true })
  const { metafile } = await build({
    ...common,
    entryPoints: ELEMENTS,
    outdir,
    minify: true,
    charset: 'utf8',
    splitting: true,
    sourcemap: false,
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['browser', 'import'],
    external: ['duolog', 'duolog/*', 'lit', 'lit/*', 'react'],
  })
  const { exports = [] } = metafile.outputs['dist/elements/react.js'] ?? {}
  // What server components import: bundlers of other applications complain about the directive.
  await writeFile(
    join(outdir, 'react-server.js'),
    `'use client'\nexport { ${exports.join(', ')} } from './react.js'\n`,
  )
  const { default: ts } = await import('typescript')
  for (const path of ELEMENT_TYPES) {
    const { outputText, diagnostics = [] } = ts.transpileDeclaration(
      await readFile(inRoot('apps', path), 'utf8'),
      { fileName: path, reportDiagnostics: true, compilerOptions: { isolatedDeclarations: true } },
    )
    const [fault] = diagnostics
    if (fault)
      throw new Error(`no types of ${path}: ${ts.flattenDiagnosticMessageText(fault.messageText, ' ')}`)
    const file = join(outdir, path.replace('/src/', '/').replace(/\.ts$/, '.d.ts'))
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, outputText)
  }
}
