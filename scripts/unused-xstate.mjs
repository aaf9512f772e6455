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

const none = ''

/** By the name of the file in `xstate/dist`, without its hash. @type {Readonly<Record<string, import('./left-out.mjs').Cut>>} */
const CUTS = {
  raise: {
    blocks: [
      // Development tools, saved snapshots, names in the system, actors whose snapshots are sent to their parent.
      'select(selector, equalityFn = Object.is) {',
      'attachDevTools() {',
      '[symbolObservable]() {',
      'getPersistedSnapshot(options) {',
      'if (this.options.devTools) {',
      'if (this._syncSnapshot) {',
      'if (this.systemId) {',
      'if (systemId) {',
      "if (systemId && this._snapshot.status !== 'active') {",
      '_register: (sessionId, actorRef) => {',
      '_unregister: actorRef => {',
      'get: systemId => {',
      'getAll: () => {',
      '_set: (systemId, actorRef) => {',
      'getSnapshot: () => {',
      'start: () => {',
      // History states.
      'for (const historyNode of getHistoryNodes(exitStateNode)) {',
      ['if (isHistoryNode(stateNode)) {', '{'],
      [
        'function getEffectiveTargetStates(transition, historyValue) {',
        'function getEffectiveTargetStates(transition) { return [...new Set(transition.target)]; }',
      ],
      // Checks of a chart, and ways to write one that no machine uses.
      'if (descriptor === NULL_EVENT) {',
      'if (!resolvedTarget && _target) {',
      'if (!stateNode.states) {',
      'if (isStateId(stateKey)) {',
      "if (typeof statePath === 'string' && isStateId(statePath)) {",
      'if (!isInline && !resolved) {',
      'if (child._parent !== this) {',
      'if (!result) {',
      "if (typeof eventOrExpr === 'string') {",
      "if (typeof stateValue === 'string' && isStateId(stateValue)) {",
      'if (iterationCount > maxIterations) {',
      // States that are done within a machine, and what a machine has made.
      'if (stateNode.config.onDone) {',
      "if (parent?.type === 'compound') {",
      "while (ancestorMarker?.type === 'parallel' && !completedNodes.has(ancestorMarker) && isInFinalState(mutStateNodeSet, ancestorMarker)) {",
      'if (ancestorMarker) {',
      'if (invokeDef.onSnapshot) {',
      [
        'function toStatePath(stateId) {',
        "function toStatePath(stateId) { return isArray(stateId) ? stateId : stateId.split('.'); }",
      ],
      // The same in fewer words, for event names with `*` at their end and states that are asked for by no dotted name.
      [
        'function matchesEventDescriptor(eventType, descriptor) {',
        "function matchesEventDescriptor(eventType, descriptor) { return descriptor === eventType || descriptor === WILDCARD || descriptor.endsWith('.*') && `${eventType}.`.startsWith(descriptor.slice(0, -1)); }",
      ],
      ['function toStateValue(stateValue) {', 'function toStateValue(stateValue) { return stateValue; }'],
      [
        'function getStateValue(rootNode, stateNodes) {',
        'function getStateValue(rootNode, stateNodes) { return getValueFromAdj(rootNode, getAdjList(stateNodes)); }',
      ],
      [
        'function hasIntersection(s1, s2) {',
        'function hasIntersection(s1, s2) { return s1.some(item => s2.includes(item)); }',
      ],
      'let ProcessingStatus = /*#__PURE__*/function (ProcessingStatus) {',
      [
        'function resolveReferencedActor(machine, src) {',
        'function resolveReferencedActor(machine, src) { return machine.implementations.actors[src]; }',
      ],
    ],
    texts: [
      ["import { devToolsAdapter } from './xstate-dev.esm.js';", none],
      ['  logger: console.log.bind(console),\n  devTools: false\n', none],
      [
        "const symbolObservable = (() => typeof Symbol === 'function' && Symbol.observable || '@@observable')();",
        none,
      ],
      [
        'const children = new Map();\n  const keyedActors = new Map();\n  const reverseKeyedActors = new WeakMap();\n',
        none,
      ],
      ['(options?.snapshot && options.snapshot.scheduler) ?? {}', '{}'],
      ['    clock,\n    logger\n  } = options;', '    clock\n  } = options;'],
      ['    _clock: clock,\n    _logger: logger\n', '    _clock: clock\n'],
      [
        '      clock,\n      logger,\n      parent,\n      syncSnapshot,\n      id,\n      systemId,\n      inspect\n',
        '      clock,\n      parent,\n      id,\n      inspect\n',
      ],
      ['      clock,\n      logger\n    });', '      clock\n    });'],
      ['this.logger = options?.logger ?? this.system._logger;', none],
      ['logger: this.logger,', none],
      ['this._syncSnapshot = syncSnapshot;', none],
      ['this._initState(options?.snapshot ?? options?.state);', 'this._initState();'],
      ['_initState(persistedState) {', '_initState() {'],
      [
        'persistedState ? this.logic.restoreSnapshot ? this.logic.restoreSnapshot(persistedState, this._actorScope) : persistedState : ',
        none,
      ],
      ['this.system._register(this.sessionId, this);', none],
      ['this.system._unregister(this);', none],
      ['unregisterRecursively(actorScope, actorRef);\n\n', none],
      ['    if (!this._parent) {\n      this.system.start();\n    }\n', none],
      ['  systemId,\n  src,\n  input,\n  syncSnapshot\n}) {', '  src,\n  input\n}) {'],
      ['      syncSnapshot,\n      systemId,\n', none],
      ['    id,\n    systemId,\n    actorRef,', '    id,\n    actorRef,'],
      ['  systemId,\n  input,\n  syncSnapshot = false\n', '  input\n'],
      ['  spawnChild.systemId = systemId;\n', none],
      ['  spawnChild.syncSnapshot = syncSnapshot;\n', none],
      [
        'spawnChild(invokeDef.src, {\n        ...invokeDef,\n        syncSnapshot: !!invokeDef.onSnapshot\n      })',
        'spawnChild(invokeDef.src, invokeDef)',
      ],
      ['const saveExecutingCustomAction = executingCustomAction;', none],
      ['executingCustomAction = true;', none],
      ['executingCustomAction = saveExecutingCustomAction;', none],
      ['let changedHistory;', none],
      ['return [nextSnapshot, changedHistory || historyValue];', 'return nextSnapshot;'],
      ['let historyValue = currentSnapshot.historyValue;', none],
      ['[nextState, historyValue] = exitStates(', 'nextState = exitStates('],
      ['historyValue === currentSnapshot.historyValue && ', none],
      ['        _nodes: nextStateNodes,\n        historyValue\n', '        _nodes: nextStateNodes\n'],
      [', nextState.historyValue)', ')'],
      ['config.historyValue || {}', '{}'],
      [', historyValue', none],
      ["return stateNode.type === 'history';", 'return false;'],
      [".filter(sn => sn.type !== 'history');", ';'],
      ["          if (child.type === 'history') {\n            continue;\n          }\n", none],
      [
        'const maxIterations = snapshot.machine.options?.maxIterations ?? Infinity;\n  let iterationCount = 0;',
        none,
      ],
      ['iterationCount++;', none],
      [
        "    meta: typeof _target === 'object' ? _target.meta : undefined,\n    description: typeof _target === 'object' ? _target.description : undefined,\n",
        none,
      ],
      ["let ancestorMarker = parent?.type === 'parallel' ? parent : parent?.parent;", none],
      ['const parent = stateNodeToEnter.parent;', none],
      ['let rootCompletionNode = ancestorMarker || stateNodeToEnter;', none],
      ['const completedNodes = new Set();', none],
      [
        "        status: 'done',\n        output: getMachineOutput(nextSnapshot, event, actorScope, nextSnapshot.machine.root, rootCompletionNode)\n",
        "        status: 'done'\n",
      ],
      ['ProcessingStatus.NotStarted', '0'],
      ['ProcessingStatus.Running', '1'],
      ['ProcessingStatus.Stopped', '2'],
      [', ProcessingStatus as a0', none],
      [
        '    if (stateNode.parent) {\n      try {\n        const targetStateNode = getStateNodeByPath(stateNode.parent, resolvedTarget);\n        return targetStateNode;\n      } catch (err) {\n        throw new Error(`Invalid transition definition for state node \'${stateNode.id}\':\\n${err.message}`);\n      }\n    } else {\n      throw new Error(`Invalid target: "${target}" is not a valid target from the root node. Did you mean ".${target}"?`);\n    }\n',
        '    return getStateNodeByPath(stateNode.parent, resolvedTarget);\n',
      ],
      ['    getMeta: machineSnapshotGetMeta,\n', none],
      ['    getMeta,\n', none],
    ],
  },
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
      ['        src,\n        systemId\n      } = invokeConfig;', '        src\n      } = invokeConfig;'],
      ['        systemId: systemId,\n', none],
      ['        spawn,\n        event,', '        event,'],
      ['        spawn,\n        input: event.input,', '        input: event.input,'],
      [
        "      let guardPassed = false;\n      try {\n        guardPassed = !guard || evaluateGuard(guard, resolvedContext, event, snapshot);\n      } catch (err) {\n        const guardType = typeof guard === 'string' ? guard : typeof guard === 'object' ? guard.type : undefined;\n        throw new Error(`Unable to evaluate guard ${guardType ? `'${guardType}' ` : ''}in transition for event '${eventType}' in state node '${this.id}':\\n${err.message}`);\n      }\n      if (guardPassed) {",
        '      if (!guard || evaluateGuard(guard, resolvedContext, event, snapshot)) {',
      ],
    ],
  },
  assign: {
    blocks: [],
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
      ['    log,\n', none],
      ['    stopChild,\n', none],
      ['    spawnChild,\n', none],
      ['    sendTo,\n', none],
      ['    enqueueActions,\n', none],
      ['clearTimeout(handle);', none],
      ['    const {\n      signal\n    } = resolvedOptions;\n', none],
      ['  const resolvedOptions = {\n    ...defaultWaitForOptions,\n    ...options\n  };\n', none],
    ],
  },
  'xstate-actors': {
    blocks: [],
    texts: [
      ['const emptyLogic = fromTransition(_ => undefined, undefined);', none],
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
