/**
 * Functions of XState in fewer words: without ways to call them that the SDK does not use, and without what nothing
 * reads of what they give. `unused-xstate.mjs` leaves out more.
 */

const none = ''

/** By the name of the file in `xstate/dist`, without its hash. @type {Readonly<Record<string, import('./left-out.mjs').Cut>>} */
export const SHORTER_STEPS = {
  raise: {
    blocks: [
      [
        'function mapValues(collection, iteratee) {',
        'function mapValues(collection, iteratee) { return Object.fromEntries(Object.entries(collection).map(([key, value]) => [key, iteratee(value, key)])); }',
      ],
      [
        'function toArrayStrict(value) {',
        'function toArrayStrict(value) { return Array.isArray(value) ? value : [value]; }',
      ],
      [
        'function cancel(sendId) {',
        "function cancel(sendId) { return Object.assign(() => {}, { type: 'xstate.cancel', sendId, resolve: resolveCancel, execute: executeCancel }); }",
      ],
      [
        'function stopChild(actorRef) {',
        "function stopChild(actorRef) { return Object.assign(() => {}, { type: 'xstate.stopChild', actorRef, resolve: resolveStop, execute: executeStop }); }",
      ],
      [
        'function raise(eventOrExpr, options) {',
        "function raise(eventOrExpr, options) { return Object.assign(() => {}, { type: 'xstate.raise', event: eventOrExpr, id: options?.id, delay: options?.delay, resolve: resolveRaise, execute: executeRaise }); }",
      ],
      [
        'function stateIn(stateValue) {',
        'function stateIn(stateValue) { return Object.assign(() => {}, { check: checkStateIn, stateValue }); }',
      ],
      [
        'function not(guard) {',
        'function not(guard) { return Object.assign(() => {}, { check: checkNot, guards: [guard] }); }',
      ],
      [
        'function and(guards) {',
        'function and(guards) { return Object.assign(() => {}, { check: checkAnd, guards }); }',
      ],
      [
        'function evaluateGuard(guard, context, event, snapshot) {',
        `function evaluateGuard(guard, context, event, snapshot) {
  const resolved = typeof guard === 'function' ? guard : snapshot.machine.implementations.guards[guard.type ?? guard];
  if (typeof resolved !== 'function') return evaluateGuard(resolved, context, event, snapshot);
  const args = { context, event }, { params } = guard;
  return resolved.check ? resolved.check(snapshot, args, resolved) : resolved(args, typeof params === 'function' ? params(args) : params);
}`,
      ],
      [
        'function getStateValue(rootNode, stateNodes) {',
        `function getStateValue(rootNode, stateNodes) {
  const children = stateNodes.filter(stateNode => stateNode.parent === rootNode);
  return rootNode.type === 'compound' && children[0] && isAtomicStateNode(children[0]) ? children[0].key : Object.fromEntries(children.map(child => [child.key, getStateValue(child, stateNodes)]));
}`,
      ],
      [
        'function normalizeTarget(target) {',
        'function normalizeTarget(target) { return target && toArray(target); }',
      ],
      [
        'function resolveTarget(stateNode, targets) {',
        `function resolveTarget(stateNode, targets) {
  return targets?.map(target => {
    const [first, ...path] = target.split(STATE_DELIMITER);
    const start = first === '' ? stateNode : isStateId(first) ? stateNode.machine.idMap.get(first.slice(1)) : stateNode.parent.states[first];
    return path.reduce((node, key) => node.states[key], start);
  });
}`,
      ],
      [
        'function transitionAtomicNode(stateNode, stateValue, snapshot, event) {',
        'function transitionAtomicNode(stateNode, stateValue, snapshot, event) { return stateNode.states[stateValue].next(snapshot, event) ?? stateNode.next(snapshot, event); }',
      ],
      'if (Object.keys(stateValue).length === 1) {',
      [
        'function transitionParallelNode(stateNode, stateValue, snapshot, event) {',
        `function transitionParallelNode(stateNode, stateValue, snapshot, event) {
  const inner = Object.keys(stateValue).flatMap(key => transitionNode(stateNode.states[key], stateValue[key], snapshot, event) ?? []);
  return inner.length ? inner : stateNode.next(snapshot, event);
}`,
      ],
      [
        'function areStateNodeCollectionsEqual(prevStateNodes, nextStateNodeSet) {',
        'function areStateNodeCollectionsEqual(prevStateNodes, nextStateNodeSet) { return prevStateNodes.length === nextStateNodeSet.size && prevStateNodes.every(node => nextStateNodeSet.has(node)); }',
      ],
      [
        'function microstep(transitions, currentSnapshot, actorScope, event, isInitial, internalQueue) {',
        `function microstep(transitions, currentSnapshot, actorScope, event, isInitial, internalQueue) {
  if (!transitions.length) return currentSnapshot;
  const mutStateNodeSet = new Set(currentSnapshot._nodes);
  const filteredTransitions = removeConflictingTransitions(transitions, mutStateNodeSet);
  let nextState = currentSnapshot;
  if (!isInitial) nextState = exitStates(nextState, event, actorScope, filteredTransitions, mutStateNodeSet, internalQueue);
  nextState = resolveActionsAndContext(nextState, event, actorScope, filteredTransitions.flatMap(t => t.actions), internalQueue);
  nextState = enterStates(nextState, event, actorScope, filteredTransitions, mutStateNodeSet, internalQueue, isInitial);
  const nextStateNodes = [...mutStateNodeSet];
  if (nextState.status === 'done') nextState = resolveActionsAndContext(nextState, event, actorScope, nextStateNodes.sort((a, b) => b.order - a.order).flatMap(state => state.exit), internalQueue);
  return areStateNodeCollectionsEqual(currentSnapshot._nodes, mutStateNodeSet) ? nextState : cloneMachineSnapshot(nextState, { _nodes: nextStateNodes });
}`,
      ],
      'for (const exitStateNode of statesToExit) {',
      [
        'function resolveAndExecuteActionsWithContext(currentSnapshot, event, actorScope, actions, extra, retries) {',
        `function resolveAndExecuteActionsWithContext(currentSnapshot, event, actorScope, actions, extra, retries) {
  let snapshot = currentSnapshot;
  for (const action of actions) {
    const isInline = typeof action === 'function', type = action.type ?? action, given = isInline ? undefined : action.params;
    const resolved = isInline ? action : snapshot.machine.implementations.actions[type];
    const info = { context: snapshot.context, event }, params = typeof given === 'function' ? given(info) : given;
    if (!resolved?.resolve) {
      actorScope.actionExecutor({ type: isInline ? action.name || '(anonymous)' : type, info, params, exec: resolved });
      continue;
    }
    const [nextState, executed, more] = resolved.resolve(actorScope, snapshot, info, params, resolved, extra);
    snapshot = nextState;
    if (resolved.retryResolve) retries?.push([resolved, executed]);
    if (resolved.execute) actorScope.actionExecutor({ type: resolved.type, info, params: executed, exec: () => resolved.execute(actorScope, executed) });
    if (more) snapshot = resolveAndExecuteActionsWithContext(snapshot, event, actorScope, more, extra, retries);
  }
  return snapshot;
}`,
      ],
      [
        'function macrostep(snapshot, event, actorScope, internalQueue) {',
        `function macrostep(snapshot, event, actorScope, internalQueue) {
  let nextSnapshot = snapshot, nextEvent = event, isChanged = true;
  const step = (next, transitions) => {
    nextSnapshot = next;
    actorScope.system._sendInspectionEvent({ type: '@xstate.microstep', actorRef: actorScope.self, event: nextEvent, snapshot: next, _transitions: transitions });
  };
  const run = transitions => step(microstep(transitions, nextSnapshot, actorScope, nextEvent, false, internalQueue), transitions);
  const end = changes => {
    step(cloneMachineSnapshot(stopChildren(nextSnapshot, event, actorScope), changes), []);
    return nextSnapshot;
  };
  if (event.type === XSTATE_STOP) return end({ status: 'stopped' });
  if (event.type !== XSTATE_INIT) {
    const transitions = selectTransitions(event, nextSnapshot);
    if (isErrorActorEvent(event) && !transitions.length) return end({ status: 'error', error: event.error });
    run(transitions);
  }
  while (nextSnapshot.status === 'active') {
    let transitions = isChanged ? selectEventlessTransitions(nextSnapshot, nextEvent) : [];
    const previous = transitions.length ? nextSnapshot : undefined;
    if (!transitions.length) {
      if (!internalQueue.length) break;
      nextEvent = internalQueue.shift();
      transitions = selectTransitions(nextEvent, nextSnapshot);
    }
    run(transitions);
    isChanged = nextSnapshot !== previous;
  }
  if (nextSnapshot.status !== 'active') stopChildren(nextSnapshot, nextEvent, actorScope);
  return nextSnapshot;
}`,
      ],
      'if (!targetStates) {',
    ],
    texts: [
      ["typeof eventOrExpr === 'function' ? eventOrExpr(args, actionParams) : eventOrExpr", 'eventOrExpr'],
      ["typeof delay === 'function' ? delay(args, actionParams) : delay", 'delay'],
      ['delaysMap && delaysMap[delay]', 'delaysMap[delay]'],
      [
        "typeof src === 'string' ? resolveReferencedActor(snapshot.machine, src) : src",
        'snapshot.machine.implementations.actors[src]',
      ],
      ["typeof id === 'function' ? id(actionArgs) : id", 'id'],
      ["typeof sendId === 'function' ? sendId(actionArgs, actionParams) : sendId", 'sendId'],
      ["typeof actorRef === 'function' ? actorRef(args, actionParams) : actorRef", 'actorRef'],
      ['.filter(sn => !isHistoryNode(sn))', none],
      ['isHistoryNode(s)', 'false'],
      ['isHistoryNode(initialState)', 'false'],
      ['isHistoryNode(child)', 'false'],
    ],
  },
  StateMachine: {
    blocks: [
      [
        'function memo(object, key, fn) {',
        'function memo(object, key, fn) { return (object._memo ??= {})[key] ??= fn(); }',
      ],
      [
        'next(snapshot, event) {',
        `next(snapshot, event) {
    const candidates = memo(this, \`candidates-\${event.type}\`, () => getCandidates(this, event.type));
    const candidate = candidates.find(({ guard }) => !guard || evaluateGuard(guard, snapshot.context, event, snapshot));
    return candidate && [candidate];
  }`,
      ],
      '_getPreInitialState(actorScope, initEvent, internalQueue) {',
      [
        'getInitialSnapshot(actorScope, input) {',
        `getInitialSnapshot(actorScope, input) {
    const initEvent = createInitEvent(input), internalQueue = [], { context } = this.config, isMade = typeof context === 'function';
    let snapshot = createMachineSnapshot({ context: !isMade && context || {}, _nodes: [this.root], children: {}, status: 'active' }, this);
    try {
      if (isMade) snapshot = resolveActionsAndContext(snapshot, initEvent, actorScope, [assign(({ event }) => context({ input: event.input }))], internalQueue);
      return macrostep(initialMicrostep(this.root, snapshot, actorScope, initEvent, internalQueue), initEvent, actorScope, internalQueue);
    } catch (error) {
      return cloneMachineSnapshot(snapshot, { status: 'error', error });
    }
  }`,
      ],
      'getStateNodeById(stateId) {',
    ],
    texts: [
      ['macrostep(snapshot, event, actorScope, []).snapshot', 'macrostep(snapshot, event, actorScope, [])'],
      ['const cache = new WeakMap();', none],
      ['this.order = -1;', none],
      ['this.tags = [];', none],
      ['toArray(config.tags).slice()', 'toArray(config.tags)'],
      ["typeof src === 'string' ? src : `xstate.invoke.${createInvokeId(this.id, i)}`", 'src'],
      ['this.transition = this.transition.bind(this);', none],
      ['this.getInitialSnapshot = this.getInitialSnapshot.bind(this);', none],
      ['this.start = this.start.bind(this);', none],
    ],
  },
  assign: {
    blocks: [
      'if (!snapshot.context) {',
      [
        'function assign(assignment) {',
        "function assign(assignment) { return Object.assign(() => {}, { type: 'xstate.assign', assignment, resolve: resolveAssign }); }",
      ],
    ],
    texts: [['    self: actorScope.self,\n    system: actorScope.system\n', none]],
  },
  log: {
    blocks: [
      [
        'function emit(/** The event to emit, or an expression that returns an event to emit. */',
        "function emit(eventOrExpr) { return Object.assign(() => {}, { type: 'xstate.emit', event: eventOrExpr, resolve: resolveEmit, execute: executeEmit }); }",
      ],
    ],
    texts: [],
  },
}
