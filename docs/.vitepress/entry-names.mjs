/** The reference names each entry as applications import it. A plugin of TypeDoc. */
import { Converter, ReflectionKind } from 'typedoc'

/** TypeDoc's name of a module to that of the package's entry. @type {Readonly<Record<string, string>>} */
const ENTRIES = {
  sdk: 'duolog',
  'sdk/agent': 'duolog/agent',
  'sdk/compat': 'duolog/compat',
  'sdk/symbols': 'duolog/symbols',
  'apps/visitor/src/package': 'duolog/widget',
  'apps/react/src': 'duolog/react',
  machines: 'duolog/machines',
  engines: 'duolog/engines',
  testing: 'duolog/testing',
}

/** @param {import('typedoc').Application} app */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getReflectionsByKind(ReflectionKind.Module))
      module.name = ENTRIES[module.name] ?? module.name
  })
}
