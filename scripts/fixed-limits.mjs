/** The numbers of `protocol/limits.ts` where a source names them: a name that is read of an object stays in a bundle. */
import { loadSource } from './load-source.mjs'

/** @type {Promise<object> | undefined} */
let loading
const limits = () => (loading ??= loadSource('protocol/limits.ts').then(({ LIMITS }) => Object(LIMITS)))

/** @param {object} from @param {string} path `.name.name` @returns {unknown} */
const at = (from, path) =>
  path
    .slice(1)
    .split('.')
    .reduce(
      (/** @type {unknown} */ value, name) => /** @type {Record<string, unknown>} */ (Object(value))[name],
      from,
    )

/**
 * The code of a file with numbers in place of `LIMITS.name`.
 * @param {string} code
 */
export async function withFixedLimits(code) {
  if (!code.includes('LIMITS.')) return code
  const known = await limits()
  return code.replaceAll(/\bLIMITS((?:\.\w+)+)/g, (all, path) => {
    const value = at(known, path)
    return typeof value === 'number' ? String(value) : all
  })
}
