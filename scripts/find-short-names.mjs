/**
 * Looks for members that only the SDK's own code names, and writes a short name of each to `short-names.json`.
 *
 *   node scripts/find-short-names.mjs
 */
import { writeFile } from 'node:fs/promises'
import { stop } from 'esbuild'
import { bundledPackages } from './browser-bundles.mjs'
import { memberNames } from './member-names.mjs'
import { inRoot, isMain } from './run.mjs'

/** In the order of how often English has them, as minifiers take them. */
const LETTERS = 'etnrsioaclpdumfhgbvykwxqzjETNRSIOACLPDUMFHGBVYKWXQZJ'.split('')

/**
 * Members that XState keeps to itself: neither its documentation nor what observers are given names them. Those that
 * tools for observers read, such as `_parent`, are not among them.
 */
const OF_XSTATE = [
  ...['_snapshot', '_processingStatus', 'observers', '_current', '_relay', 'eventListeners'],
  ...['_sendInspectionEvent', 'actionExecutor', 'mailbox', '_scheduledEvents'],
  ...['_error', '_actorScope', '_deferred', 'idMap', 'sendId', '_stopProcedure'],
  ...['getTransitionData', '_initialize', '_machine', 'stopChild', '_complete', '_stop', '_active'],
  ...[
    '_getPreInitialState',
    'assignment',
    'internalQueue',
    '_send',
    'cancelAll',
    '_reportError',
    '_doneEvent',
  ],
  ...['actorId', '_initState', '_bookId', 'deferredActorIds'],
]

/** One letter, then two. */
const SHORT = [...LETTERS, ...LETTERS.flatMap((last) => LETTERS.map((first) => first + last))]

/** Members that only the code of the SDK names, those that are used most first, and what a name must not be. */
export async function namesThatMayBeShort() {
  const { safe, ofXState, taken } = memberNames(await bundledPackages(), OF_XSTATE)
  return { safe: [...ofXState, ...safe], taken }
}

if (isMain(import.meta.url)) {
  const { safe, taken } = await namesThatMayBeShort()
  await stop()
  const free = SHORT.filter((name) => !taken.has(name))
  const names = Object.fromEntries(safe.map((name, at) => [name, free[at] ?? name]))
  await writeFile(inRoot('scripts', 'short-names.json'), `${JSON.stringify(names, null, 2)}\n`)
  console.log(`${safe.length} names`)
}
