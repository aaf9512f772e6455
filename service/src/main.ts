#!/usr/bin/env node
import { systemClock } from './clock/clock.ts'
import { boundHeapGrowth } from './heap-growth.ts'
import { missingPages } from './http/missing-pages.ts'
import { readOptions, toldInstead } from './options.ts'
import type { Options } from './options.ts'
import { StartError } from './start-error.ts'
import { startService } from './start-service.ts'
import { stopper } from './stopper.ts'

function welcome(url: string, { mode, host, port, folders }: Options): string {
  const shown =
    host === '127.0.0.1' || host === '0.0.0.0' || host === '::'
      ? url.replace(/^http:\/\/[^/]*(?=:)/, 'http://localhost')
      : url
  const pages = [
    `Visitor's demo page   ${shown}/visitor/`,
    `Agent's console       ${shown}/agent/`,
    `SDK                   ${shown}/sdk/duolog.js`,
  ]
  if (mode === 'production') return [`Duolog listens on ${url}`, ...pages].join('\n')
  const signIn = [
    `Sign in as an agent   ${shown}/agent/?nick=Ada`,
    `Inspector             ${shown}/inspector/`,
    'Local use: every page of this machine (localhost, 127.0.0.1, [::1], any port) may use the service, and anyone who reaches it may sign in as an agent.',
  ]
  const warning = ['127.0.0.1', 'localhost', '::1'].includes(host)
    ? []
    : [
        `Warning: anyone who reaches ${host}:${port} may sign in as an agent (--open-sign-in); use --mode production there.`,
      ]
  const missing = missingPages(folders)
  const noPages = missing === null ? [] : [`Warning: ${missing}.`]
  return [...pages, ...signIn, ...warning, ...noPages].join('\n')
}

/** A page that is missing would be found by visitors. @throws {@link StartError} */
function checkPages({ mode, folders }: Options): void {
  const missing = mode === 'production' ? missingPages(folders) : null
  if (missing !== null) throw new StartError(`unable to start in production; ${missing}`)
}

async function main(): Promise<void> {
  const args = process.argv.slice(2)
  const told = toldInstead(args)
  if (told !== null) {
    process.stdout.write(told)
    return
  }
  const options = readOptions(args, process.env)
  checkPages(options)
  boundHeapGrowth()
  const service = await startService(options)
  process.stdout.write(`${welcome(service.url, options)}\n`)
  const { onSignal, onLost } = stopper({
    service,
    drainWaitMs: options.drainWaitMs,
    drainTimeMs: options.bus ? options.drainTimeMs : 0,
    clock: systemClock(),
    exit: (code) => process.exit(code),
  })
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  void service.lost.then(() => {
    process.stderr.write('duolog-service: another service has taken the database; this one stops\n')
    onLost()
  })
}

try {
  await main()
} catch (thrown) {
  if (!(thrown instanceof StartError)) throw thrown
  process.stderr.write(`duolog-service: ${thrown.message}\n`)
  process.exit(thrown.exitCode)
}
