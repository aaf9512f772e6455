/**
 * What no machine of the SDK uses of XState, left out of the browser bundles: history states, spawned actors,
 * routes, names in the system, saved snapshots, definitions, `log`, development tools, and checks of a chart that
 * the tests have run. `test/scripts/unused-xstate.test.ts` compares the rest with the whole, and fails when a
 * machine begins to use one of them. `duolog/machines` has the whole.
 */
import { readFile, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { LATER, LATER_MODULE, withoutLater } from './later-xstate.mjs'
import { without } from './left-out.mjs'
import { CORE } from './unused-xstate-core.mjs'

const none = ''

/** By the name of the file in `xstate/dist`, without its hash. @type {Readonly<Record<string, import('./left-out.mjs').Cut>>} */
const CUTS = {
  raise: CORE,
  StateMachine: {
    blocks: [
      'get definition() {',
      'toJSON() {',
      'get on() {',
      'get events() {',
      'get ownEvents() {',
      'resolveState(config) {',
      'microstep(snapshot, event, actorScope) {',
      'getPersistedSnapshot(snapshot, options) {',
      'restoreSnapshot(snapshot, _actorScope) {',
      "if (this.type === 'compound' && !this.config.initial) {",
      'if (!stateNode) {',
    ],
    texts: [
      [": this.config.history ? 'history' : 'atomic'", ": 'atomic'"],
      ["this.history = this.config.history === true ? 'shallow' : this.config.history || false;", none],
      ["this.output = this.type === 'final' || !this.parent ? this.config.output : undefined;", none],
      ['this.description = this.config.description;', none],
      ['this.meta = this.config.meta;', none],
      [
        'this.version = this.config.version;\n    this.schemas = this.config.schemas;\n    this.options = {\n      maxIterations: Infinity,\n      ...this.config.options\n    };\n',
        none,
      ],
      [
        'this.getPersistedSnapshot = this.getPersistedSnapshot.bind(this);\n    this.restoreSnapshot = this.restoreSnapshot.bind(this);',
        none,
      ],
      ['formatRouteTransitions(this.root);', none],
      ['this.events = this.root.events;', none],
      ['      const {\n        src,\n        systemId\n      } = invokeConfig;\n', none],
      [
        "      const sourceName = typeof src === 'string' ? src : `xstate.invoke.${createInvokeId(this.id, i)}`;\n",
        none,
      ],
      [
        '        src: sourceName,\n        id: resolvedId,\n        systemId: systemId,\n',
        '        id: resolvedId\n',
      ],
      ['        spawn,\n        event,', '        event,'],
      ['        spawn,\n        input: event.input,', '        input: event.input,'],
      [
        "      let guardPassed = false;\n      try {\n        guardPassed = !guard || evaluateGuard(guard, resolvedContext, event, snapshot);\n      } catch (err) {\n        const guardType = typeof guard === 'string' ? guard : typeof guard === 'object' ? guard.type : undefined;\n        throw new Error(`Unable to evaluate guard ${guardType ? `'${guardType}' ` : ''}in transition for event '${eventType}' in state node '${this.id}':\\n${err.message}`);\n      }\n      if (guardPassed) {",
        '      if (!guard || evaluateGuard(guard, resolvedContext, event, snapshot)) {',
      ],
      [
        'return macrostep(snapshot, event, actorScope, []).snapshot;',
        'return macrostep(snapshot, event, actorScope, []);',
      ],
      ['      const [nextState] = initialMicrostep', '      const nextState = initialMicrostep'],
      [
        '      const {\n        snapshot: macroState\n      } = macrostep(nextState, initEvent, actorScope, internalQueue);\n      return macroState;',
        '      return macrostep(nextState, initEvent, actorScope, internalQueue);',
      ],
      ['    const actions = [];\n    let selectedTransition;', '    let selectedTransition;'],
      ['        actions.push(...candidate.actions);\n', none],
      ['    this.order = -1;\n', none],
      ['    this.tags = [];\n', none],
    ],
  },
  assign: {
    blocks: ['if (!snapshot.context) {'],
    texts: [
      ['const spawnedChildren = {};', none],
      ['spawn: createSpawner(actorScope, snapshot, actionArgs.event, spawnedChildren),', none],
      [
        'children: Object.keys(spawnedChildren).length ? {\n      ...snapshot.children,\n      ...spawnedChildren\n    } : snapshot.children\n',
        none,
      ],
      ['a0 as ProcessingStatus, ', none],
      ['ProcessingStatus.Stopped', '2'],
    ],
  },
  log: {
    blocks: [
      "if (typeof eventOrExpr === 'string') {",
      'enqueue.sendParent = (...args) => {',
      'enqueue.spawnChild = (...args) => {',
      'enqueue.stopChild = (...args) => {',
    ],
    texts: [],
  },
  xstate: {
    blocks: [
      'extend: extended => setup({',
      'if (signal?.aborted) {',
      'if (signal) {',
      'if (abortListener) {',
      'const handle = resolvedOptions.timeout === Infinity ? undefined : setTimeout(() => {',
    ],
    texts: [
      [
        '    assign,\n    sendTo,\n    raise,\n    log,\n    cancel,\n    stopChild,\n    enqueueActions,\n    emit,\n    spawnChild,\n    createStateConfig: config => config,\n    createAction: fn => fn,\n',
        none,
      ],
      ['createMachine({\n      ...config,\n      schemas\n    }, {', 'createMachine(config, {'],
      ['  schemas,\n  actors,', '  actors,'],
      ['clearTimeout(handle);', none],
      ['    const {\n      signal\n    } = resolvedOptions;\n', none],
      ['  const resolvedOptions = {\n    ...defaultWaitForOptions,\n    ...options\n  };\n', none],
    ],
  },
  'xstate-actors': {
    blocks: [],
    texts: [
      ['const emptyLogic = fromTransition(', 'const emptyLogic = /* @__PURE__ */ fromTransition('],
      [
        '        input: state.input,\n        system,\n        self,\n        signal: controller.signal,\n        emit\n',
        '        input: state.input,\n        signal: controller.signal\n',
      ],
      ['      self,\n      system,\n      emit\n    }) => {', '      self,\n      system\n    }) => {'],
      [
        '        self,\n        system,\n        emit\n      } = actorScope;',
        '        self,\n        system\n      } = actorScope;',
      ],
      ['        system,\n        self,\n        sendBack:', '        sendBack:'],
      [
        '          callbackState.receivers.add(listener);\n        },\n        emit\n',
        '          callbackState.receivers.add(listener);\n        }\n',
      ],
      ['getPersistedSnapshot: snapshot => snapshot,\n    restoreSnapshot: snapshot => snapshot\n', none],
    ],
  },
}

/** Fields that are set to nothing before they are set. */
const EMPTY_FIELD = /^ *this\.\w+ = void 0;\n/gm

/**
 * The code of a file of XState without what the SDK does not use.
 * @param {string} path
 * @param {string} code
 */
export function usedPart(path, code) {
  const [, name = ''] = /([\w-]+?)(?:-[\da-f]{8})?\.esm\.js$/.exec(path) ?? []
  const cut = CUTS[name]
  return cut ? without(code, cut, `xstate/dist/${name}`).replaceAll(EMPTY_FIELD, none) : code
}

/** @type {import('esbuild').Plugin} */
export const unusedXState = {
  name: 'XState without what no machine uses',
  setup(bundler) {
    bundler.onResolve({ filter: LATER_MODULE }, async ({ path, resolveDir }) => {
      const entry = await bundler.resolve('xstate', { resolveDir, kind: 'import-statement' })
      const [, name] = LATER_MODULE.exec(path) ?? []
      const files = await readdir(dirname(entry.path))
      const file =
        files.find((each) => new RegExp(String.raw`^${name}-[\da-f]{8}\.esm\.js$`).test(each)) ?? ''
      return { path: join(dirname(entry.path), file), suffix: '?later' }
    })
    bundler.onLoad({ filter: /[\\/]xstate[\\/]dist[\\/].*\.js$/ }, async ({ path, suffix }) => {
      const contents = usedPart(path, await readFile(path, 'utf8'))
      if (suffix !== '') {
        const names = Object.keys(LATER).filter((name) => basename(path).startsWith(`${LATER[name]}-`))
        return { contents: `${contents}\nexport { ${names.join(', ')} }` }
      }
      return { contents: basename(path) === 'xstate.esm.js' ? withoutLater(contents) : contents }
    })
  },
}
