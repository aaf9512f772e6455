import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { publicInterface } from '../../../scripts/contact-interface.mjs'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const INTERFACES: readonly (readonly [name: string, path: readonly string[]])[] = [
  ['Contact', ['sdk', 'api', 'contact.ts']],
  ['Client', ['sdk', 'api', 'client.ts']],
  ['Agent', ['sdk', 'agent', 'agent.ts']],
  ['DataChannel', ['protocol', 'data-channel.ts']],
]
/** What an example may take as given, besides what it declares itself. */
const GIVEN: Readonly<Record<string, string>> = {
  contact: `import('duolog').Contact`,
  client: `import('duolog').Client`,
  agent: `import('duolog/agent').Agent`,
  channel: `import('duolog').DataChannel`,
  engine: `import('duolog').MediaEngine`,
  id: 'string',
  input: 'HTMLInputElement & { readonly files: [File] }',
  image: 'HTMLImageElement',
  bar: 'HTMLProgressElement',
  button: 'HTMLButtonElement',
  videoButton: 'HTMLButtonElement',
  cancel: 'HTMLButtonElement',
}
const all = INTERFACES.flatMap(([name, path]) =>
  publicInterface([...path], name).operations.map((operation) => ({ ...operation, of: name })),
)
const examples = all.flatMap(({ of, name, examples: codes }) =>
  codes.map((code, index) => ({ file: `${root}.example-${of}-${name}-${index}.ts`, code })),
)

/**
 * An example as a module: what it takes as given is declared outside, so that it may declare the same names
 * itself.
 */
function moduleOf(code: string): string {
  const given = Object.entries(GIVEN).map(([name, type]) => `declare const ${name}: ${type}`)
  return `import { createClient } from 'duolog'\n${given.join('\n')}\nexport const run = async () => {\n${code}\n}\nvoid createClient\n`
}

function compile(files: ReadonlyMap<string, string>): string[] {
  const { config } = ts.readConfigFile(`${root}/tsconfig.json`, (path) => ts.sys.readFile(path)) as {
    readonly config: object
  }
  const {
    options: { tsBuildInfoFile: _unused, ...options },
  } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const host = ts.createCompilerHost(options)
  const program = ts.createProgram(
    [...files.keys()],
    { ...options, incremental: false, skipLibCheck: true },
    {
      ...host,
      fileExists: (file) => files.has(file) || host.fileExists(file),
      readFile: (file) => files.get(file) ?? host.readFile(file),
      getSourceFile: (file, ...rest) =>
        files.has(file)
          ? ts.createSourceFile(file, files.get(file) ?? '', ts.ScriptTarget.ES2022)
          : host.getSourceFile(file, ...rest),
    },
  )
  return [...files.keys()].flatMap((file) => {
    const source = program.getSourceFile(file)
    if (!source) throw new Error(`${file} was not compiled`)
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
    return found.map(
      ({ messageText }) => `${file.slice(root.length)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    )
  })
}

describe('the examples of the reference', () => {
  it('PKG-14 every operation has one', () => {
    expect(all.length).toBeGreaterThan(55)
    expect(
      all.filter(({ examples: codes }) => codes.length === 0).map(({ of, name }) => `${of}.${name}`),
    ).toEqual([])
  })

  it('PKG-14 each is right TypeScript against the public entries', () => {
    const wrong = { file: `${root}.example-wrong.ts`, code: 'await contact.sendTxt(1)' }
    const faults = compile(new Map([...examples, wrong].map(({ file, code }) => [file, moduleOf(code)])))
    expect(faults).toEqual([expect.stringMatching(/^\.example-wrong\.ts: .*sendTxt/)])
  })
})
