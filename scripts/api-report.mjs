/**
 * Keeps `docs/api/`: what each entry of the package exports, written by API Extractor from the built types, so
 * that a review sees every change of the public interface.
 *
 *   node scripts/api-report.mjs           fails where a report differs from the types
 *   node scripts/api-report.mjs --apply   writes the reports
 */
import { readFileSync } from 'node:fs'
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor'
import { inRoot, root } from './run.mjs'

const { exports } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'))
/** The entries name each other as an application does: by the package, whose types are the built ones. */
const TSCONFIG = {
  extends: inRoot('tsconfig.json'),
  compilerOptions: { paths: {} },
  files: [],
}
const SILENT = { default: { logLevel: ExtractorLogLevel.None } }

/** Name of each entry's report and its types. @returns {[name: string, types: string][]} */
const entries = () =>
  Object.entries(exports).flatMap(([path, { types }]) =>
    types ? [[path === '.' ? 'duolog' : path.slice('./'.length), types]] : [],
  )

/** @param {string} name @param {string} types */
const configOf = (name, types) =>
  ExtractorConfig.prepare({
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: inRoot(types),
      compiler: { overrideTsconfig: TSCONFIG },
      apiReport: {
        enabled: true,
        reportFileName: name,
        reportFolder: inRoot('docs', 'api'),
        reportTempFolder: inRoot('.cache', 'api'),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: SILENT,
        extractorMessageReporting: SILENT,
        tsdocMessageReporting: SILENT,
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: inRoot('package.json'),
  })

const apply = process.argv.includes('--apply')
for (const [name, types] of entries()) {
  const { apiReportChanged } = Extractor.invoke(configOf(name, types), {
    localBuild: apply,
    messageCallback: (message) => {
      message.handled = message.logLevel !== ExtractorLogLevel.Error
    },
  })
  if (apiReportChanged && !apply) {
    console.error(`docs/api/${name}.api.md is not what the types say: node scripts/api-report.mjs --apply`)
    process.exitCode = 1
  }
}
