/**
 * What no machine of the SDK uses of XState's core, the file `raise` of `xstate/dist`: `unused-xstate.mjs` says how it
 * is left out.
 */

const none = ''

/** @type {import('./left-out.mjs').Cut} */
export const CORE = {
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
    ['if (isHistoryNode(stateNode)) {', '{'],
    [
      'function getEffectiveTargetStates(transition, historyValue) {',
      'function getEffectiveTargetStates(transition) { return [...new Set(transition.target)]; }',
    ],
    // What each step has done, which nobody asks for.
    'actorScope.actionExecutor = action => {',
    // Actions of an initial transition, and states that are entered by default for them.
    'if (statesForDefaultEntry.has(stateNodeToEnter)) {',
    'if (isInitial) {',
    [
      'function formatInitialTransition(stateNode, _target) {',
      'function formatInitialTransition(stateNode, _target) { return { target: [stateNode.states[_target]] }; }',
    ],
    'for (const exitStateNode of statesToExit) {',
    // Guards that name guards, targets and children that are not there.
    "if (typeof resolved !== 'function') {",
    'if (!targetStates) {',
    'if (!subStateValue) {',
    'if (!actorRef) {',
    // Checks of a chart, and ways to write one that no machine uses.
    'if (descriptor === NULL_EVENT) {',
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
    // What waits for an actor, in an array.
    [
      'class Mailbox {',
      'class Mailbox { constructor(process) { this._process = process; this._current = []; } start() { this._active = true; this.flush(); } clear() { this._current.splice(1); } enqueue(event) { if (this._current.push(event) === 1 && this._active) this.flush(); } flush() { while (this._current.length) { this._process(this._current[0]); this._current.shift(); } } }',
    ],
    [
      'function mapValues(collection, iteratee) {',
      'function mapValues(collection, iteratee) { return Object.fromEntries(Object.keys(collection).map(key => [key, iteratee(collection[key], key)])); }',
    ],
    ['function toStateValue(stateValue) {', 'function toStateValue(stateValue) { return stateValue; }'],
    [
      'function getStateValue(rootNode, stateNodes) {',
      "function getStateValue(node, nodes) { const inner = nodes.filter(each => each.parent === node); if (node.type === 'compound' && inner[0] && isAtomicStateNode(inner[0])) return inner[0].key; return Object.fromEntries(inner.map(each => [each.key, getStateValue(each, nodes)])); }",
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
    // What each step has done.
    [
      '  const actions = [];\n  if (!transitions.length) {\n    return [currentSnapshot, actions];',
      '  if (!transitions.length) {\n    return currentSnapshot;',
    ],
    ['  const originalExecutor = actorScope.actionExecutor;\n', none],
    ['  try {\n    const mutStateNodeSet', '  {\n    const mutStateNodeSet'],
    ['  } finally {\n    actorScope.actionExecutor = originalExecutor;\n  }', '  }'],
    ['    try {\n      if (areState', '    {\n      if (areState'],
    [
      '    } catch (e) {\n      // TODO: Refactor this once proper error handling is implemented.\n      // See https://github.com/statelyai/rfcs/pull/4\n      throw e;\n    }',
      '    }',
    ],
    ['return [nextState, actions];', 'return nextState;'],
    [
      'return [cloneMachineSnapshot(nextState, {\n        _nodes: nextStateNodes\n      }), actions];',
      'return cloneMachineSnapshot(nextState, {\n        _nodes: nextStateNodes\n      });',
    ],
    ['  const microsteps = [];\n', none],
    ['    microsteps.push(step);\n', none],
    ['snapshot: step[0],', 'snapshot: step,'],
    ['[nextSnapshot, []]', 'nextSnapshot'],
    ['nextSnapshot = step[0];', 'nextSnapshot = step;'],
    ['return {\n      snapshot: nextSnapshot,\n      microsteps\n    };', 'return nextSnapshot;'],
    ['return {\n        snapshot: nextSnapshot,\n        microsteps\n      };', 'return nextSnapshot;'],
    ['return {\n    snapshot: nextSnapshot,\n    microsteps\n  };', 'return nextSnapshot;'],
    // History states.
    ['!isHistoryNode(s) && (', '('],
    ['.filter(sn => !isHistoryNode(sn))', none],
    [
      '      if (!isHistoryNode(initialState)) {\n        statesToEnter.add(initialState);\n        statesForDefaultEntry.add(initialState);\n      }',
      '      statesToEnter.add(initialState);',
    ],
    [
      '            if (!isHistoryNode(child)) {\n              statesToEnter.add(child);\n              statesForDefaultEntry.add(child);\n            }',
      '            statesToEnter.add(child);',
    ],
    [', internalQueue, actorScope.actionExecutor)', ', internalQueue)'],
    [', internalQueue, _actionExecutor)', ', internalQueue)'],
    // Initial transitions.
    [', internalQueue, isInitial)', ', internalQueue)'],
    ['  const statesForDefaultEntry = new Set();\n', none],
    ['        statesForDefaultEntry.add(s);\n', none],
    ['statesForDefaultEntry, ', none],
    [', statesForDefaultEntry', none],
    ['    eventType: null,\n    toJSON: null\n', '    eventType: null\n'],
    // Observers of all that an actor emits, its clock, and what is known of delayed events.
    [
      "        const wildcardListener = this.eventListeners.get('*');\n        if (!listeners && !wildcardListener) {\n          return;\n        }\n        const allListeners = [...(listeners ? listeners.values() : []), ...(wildcardListener ? wildcardListener.values() : [])];\n        for (const handler of allListeners) {",
      "        for (const handler of [...(listeners ?? []), ...(this.eventListeners.get('*') ?? [])]) {",
    ],
    ['this.system.inspect(toObserver(inspect));', 'this.system.inspect(inspect);'],
    [
      '        source,\n        target,\n        event,\n        delay,\n        id,\n        startedAt: Date.now()\n',
      '        source,\n        id\n',
    ],
    ['    this.clock = options?.clock ?? this.system._clock;\n', none],
    ['    _clock: clock\n', none],
    ['        this._doneEvent = createDoneActorEvent(this.id, this._snapshot.output);\n', none],
    [
      'this.system._relay(this, this._parent, this._doneEvent);',
      'this.system._relay(this, this._parent, createDoneActorEvent(this.id, this._snapshot.output));',
    ],
    [
      "    if (this._parent) {\n      throw new Error('A non-root actor cannot be stopped directly.');\n    }\n",
      none,
    ],
    // Ways to write an action that no machine uses.
    ["typeof sendId === 'function' ? sendId(actionArgs, actionParams) : sendId", 'sendId'],
    ["typeof id === 'function' ? id(actionArgs) : id", 'id'],
    ["typeof actorRef === 'function' ? actorRef(args, actionParams) : actorRef", 'actorRef'],
    ["typeof delay === 'function' ? delay(args, actionParams) : delay", 'delay'],
    ['Number.isNaN(+delay) ? delay : +delay', 'delay'],
    ['delaysMap && delaysMap[delay]', 'delaysMap[delay]'],
    [
      "typeof src === 'string' ? resolveReferencedActor(snapshot.machine, src) : src",
      'resolveReferencedActor(snapshot.machine, src)',
    ],
    [
      "    resolvedInput = typeof input === 'function' ? input({\n      context: snapshot.context,\n      event: actionArgs.event,\n      self: actorScope.self\n    }) : input;",
      '    resolvedInput = input?.({\n      context: snapshot.context,\n      event: actionArgs.event,\n      self: actorScope.self\n    });',
    ],
    ['    guard: transitionConfig.guard,\n', none],
    ['target: [...getInitialStateNodes(root)],', 'target: [root],'],
    [
      'function spawnChild(...[src, {\n  id,\n  input\n} = {}]) {',
      'function spawnChild(src, {\n  id,\n  input\n}) {',
    ],
    ['function createActor(logic, ...[options]) {', 'function createActor(logic, options) {'],
  ],
}
