/** Parts of the production code by their names: what a mutation puts in the place of an export. */
import * as absorb from '../../machines/media/media.absorb.ts'
import * as actions from '../../machines/media/media.actions.ts'
import * as facts from '../../machines/media/media.facts.ts'
import * as interruption from '../../machines/media/media.interruption.ts'
import * as machine from '../../machines/media/media.machine.ts'
import * as pending from '../../machines/media/media.pending.ts'
import * as restoring from '../../machines/media/media.restoring.ts'
import * as rules from '../../machines/media/media.rules.ts'
import * as fold from '../../protocol/fold.ts'
import * as algebra from '../../protocol/media-algebra.ts'
import * as telephone from '../../sdk/media/phone.ts'

/** The modules whose exports can be replaced, each by its file. */
export const MODULES = {
  absorb: { file: 'machines/media/media.absorb.ts', exports: absorb },
  actions: { file: 'machines/media/media.actions.ts', exports: actions },
  facts: { file: 'machines/media/media.facts.ts', exports: facts },
  interruption: { file: 'machines/media/media.interruption.ts', exports: interruption },
  machine: { file: 'machines/media/media.machine.ts', exports: machine },
  pending: { file: 'machines/media/media.pending.ts', exports: pending },
  restoring: { file: 'machines/media/media.restoring.ts', exports: restoring },
  rules: { file: 'machines/media/media.rules.ts', exports: rules },
  fold: { file: 'protocol/fold.ts', exports: fold },
  algebra: { file: 'protocol/media-algebra.ts', exports: algebra },
  telephone: { file: 'sdk/media/phone.ts', exports: telephone },
} as const

export type ModuleName = keyof typeof MODULES
type Exports<M extends ModuleName> = (typeof MODULES)[M]['exports']

/** Every other module that imports the export gets what `by` makes of it. */
export interface Replacement {
  readonly module: ModuleName
  readonly name: string
  readonly by: (real: never) => unknown
}

/** Replaces an export; a name that does not exist is an error of the compiler, and of {@link replaced}. */
export const replace = <M extends ModuleName, N extends keyof Exports<M> & string>(
  module: M,
  name: N,
  by: (real: Exports<M>[N]) => Exports<M>[N],
): Replacement => ({
  module,
  name,
  by,
})

/** What other modules get for an export. */
export const replaced = (
  replacements: readonly Replacement[],
  module: string,
  name: string,
  real: unknown,
): unknown =>
  replacements
    .filter((one) => one.module === module && one.name === name)
    .reduce((value, { by }) => by(value as never), real)

/** Throws where something is to be replaced that does not exist. */
export function checkNames(replacements: readonly Replacement[]): void {
  if (replacements.length === 0) return
  const missing = replacements.find(({ module, name }) => !Object.hasOwn(MODULES[module].exports, name))
  if (missing) throw new Error(`${MODULES[missing.module].file} exports no ${missing.name}`)
}
