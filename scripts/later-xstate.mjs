/** The parts of XState that are loaded with the machines that use them, not with the base. */

/**
 * What only machines use that are loaded when they are needed, to the file that has it: it is loaded with them, as a
 * module of its own.
 * @type {Readonly<Record<string, string>>}
 */
export const LATER = { enqueueActions: 'log' }
export const LATER_MODULE = /^xstate\/(\w+)\?later$/

/**
 * Code of the SDK that imports each of these from its own module. esbuild counts all that an entry imports to each
 * chunk that imports anything of it.
 * @param {string} code
 */
export const withLaterImports = (code) =>
  code.replaceAll(/^import \{ ([^}]+) \} from 'xstate'$/gm, (_, list) => {
    const names = list.split(', ')
    const rest = names.filter((/** @type {string} */ name) => !(name in LATER))
    return [
      ...(rest.length > 0 ? [`import { ${rest.join(', ')} } from 'xstate'`] : []),
      ...names.flatMap((/** @type {string} */ name) =>
        name in LATER ? [`import { ${name} } from 'xstate/${LATER[name]}?later'`] : [],
      ),
    ].join(';')
  })

/**
 * The package's entry without them.
 * @param {string} code
 */
export const withoutLater = (code) =>
  code.replaceAll(/^(import|export) \{ ([^}]+) \} from/gm, (_, verb, list) => {
    const rest = list
      .split(', ')
      .filter((/** @type {string} */ name) => !((name.split(' as ')[1] ?? name) in LATER))
    return `${verb} { ${rest.join(', ')} } from`
  })
