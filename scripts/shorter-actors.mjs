/** Actors of XState in fewer words, as `shorter-xstate.mjs` has the steps of its machines. */

const none = ''

/** By the name of the file in `xstate/dist`, without its hash. @type {Readonly<Record<string, import('./left-out.mjs').Cut>>} */
export const SHORTER_ACTORS = {
  raise: {
    blocks: [
      [
        'function createSystem(rootActor, options) {',
        `function createSystem(rootActor, { clock }) {
  const inspectionObservers = new Set();
  const timers = new Map();
  const keyOf = (source, id) => source.sessionId + '.' + id;
  const scheduler = {
    schedule: (source, target, event, delay, id) => {
      const key = keyOf(source, id);
      const timer = clock.setTimeout(() => { timers.delete(key); system._relay(source, target, event); }, delay);
      timers.set(key, { source, id, timer });
    },
    cancel: (source, id) => {
      const key = keyOf(source, id), scheduled = timers.get(key);
      timers.delete(key);
      if (scheduled) clock.clearTimeout(scheduled.timer);
    },
    cancelAll: actorRef => timers.forEach(({ source, id }) => source === actorRef && scheduler.cancel(source, id))
  };
  const system = {
    _bookId: () => 'x:' + idCounter++,
    inspect: observer => { inspectionObservers.add(toObserver(observer)); },
    _sendInspectionEvent: event => {
      inspectionObservers.forEach(observer => observer.next?.({ ...event, rootId: rootActor.sessionId }));
    },
    _relay: (source, target, event) => {
      system._sendInspectionEvent({ type: '@xstate.event', sourceRef: source, actorRef: target, event });
      target._send(event);
    },
    scheduler
  };
  return system;
}`,
      ],
      [
        'function toObserver(nextHandler, errorHandler, completionHandler) {',
        "function toObserver(observer) { return typeof observer === 'function' ? { next: observer } : observer; }",
      ],
      [
        'emit: emittedEvent => {',
        `emit: emittedEvent => {
        const handlers = type => this.eventListeners.get(type) ?? [];
        for (const handler of [...handlers(emittedEvent.type), ...handlers('*')]) try { handler(emittedEvent); } catch (err) { reportUnhandledError(err); }
      },`,
      ],
      [
        'update(snapshot, event) {',
        `update(snapshot, event) {
    this._snapshot = snapshot;
    let deferredFn;
    while (deferredFn = this._deferred.shift()) try { deferredFn(); } catch (error) {
      this._deferred.length = 0;
      this._snapshot = { ...snapshot, status: 'error', error };
    }
    const { status, output, error } = this._snapshot;
    if (status === 'error') this._error(error);
    if (status === 'active' || status === 'done') for (const observer of this.observers) try { observer.next?.(snapshot); } catch (err) { reportUnhandledError(err); }
    if (status === 'done') {
      this._stopProcedure();
      this._complete();
      if (this._parent) this.system._relay(this, this._parent, createDoneActorEvent(this.id, output));
    }
    this.system._sendInspectionEvent({ type: '@xstate.snapshot', actorRef: this, event, snapshot });
  }`,
      ],
      [
        'start() {',
        `start() {
    if (this._processingStatus === 1) return this;
    this._processingStatus = 1;
    const event = createInitEvent(this.options.input), { status, error } = this._snapshot;
    this.system._sendInspectionEvent({ type: '@xstate.event', sourceRef: this._parent, actorRef: this, event });
    if (status === 'error') {
      this._error(error);
      return this;
    }
    if (status !== 'done') try { this.logic.start?.(this._snapshot, this._actorScope); } catch (error) {
      this._fail(error);
      return this;
    }
    this.update(this._snapshot, event);
    if (status !== 'done') this.mailbox.start();
    return this;
  }
  _fail(error) {
    this._snapshot = { ...this._snapshot, status: 'error', error };
    this._error(error);
  }`,
      ],
      [
        'subscribe(nextListenerOrObserver, errorListener, completeListener) {',
        `subscribe(listener) {
    const observer = toObserver(listener), { status, error } = this._snapshot;
    if (this._processingStatus !== 2) this.observers.add(observer);
    else try {
      if (status === 'done') observer.complete?.();
      if (status === 'error') {
        if (!observer.error) throw error;
        observer.error(error);
      }
    } catch (err) { reportUnhandledError(err); }
    return { unsubscribe: () => { this.observers.delete(observer); } };
  }`,
      ],
      [
        '_process(event) {',
        `_process(event) {
    let nextState;
    try { nextState = this.logic.transition(this._snapshot, event, this._actorScope); } catch (error) { return this._fail(error); }
    this.update(nextState, event);
    if (event.type === XSTATE_STOP) {
      this._stopProcedure();
      this._complete();
    }
  }`,
      ],
      [
        'class Mailbox {',
        `class Mailbox {
  constructor(_process) { this._process = _process; this._queue = []; }
  start() { this._active = true; this.flush(); }
  clear() { this._queue.splice(1); }
  enqueue(event) { if (this._queue.push(event) < 2 && this._active) this.flush(); }
  flush() { while (this._queue.length) { this._process(this._queue[0]); this._queue.shift(); } }
}`,
      ],
    ],
    texts: [
      ['this.system.inspect(toObserver(inspect))', 'this.system.inspect(inspect)'],
      ['this.clock = options?.clock ?? this.system._clock;', none],
      ['this.ref = this;', none],
      ['      id: this.id,\n      sessionId: this.sessionId,\n', none],
    ],
  },
  'xstate-actors': {
    blocks: [
      [
        'function fromCallback(callback) {',
        `function fromCallback(callback) {
  return {
    config: callback,
    start: ({ input }, { self, system }) => {
      const receivers = new Set();
      instanceStates.set(self, {
        receivers,
        dispose: callback({
          input,
          sendBack: event => { if (self.getSnapshot().status !== 'stopped') system._relay(self, self._parent, event); },
          receive: listener => { receivers.add(listener); }
        })
      });
    },
    transition: (state, event, { self }) => {
      const { receivers, dispose } = instanceStates.get(self) ?? {};
      if (event.type === XSTATE_STOP) {
        instanceStates.delete(self);
        receivers?.clear();
        dispose?.();
        return { ...state, status: 'stopped', error: undefined };
      }
      receivers?.forEach(receiver => receiver(event));
      return state;
    },
    getInitialSnapshot
  };
}`,
      ],
      [
        'function fromPromise(promiseCreator) {',
        `function fromPromise(promiseCreator) {
  return {
    config: promiseCreator,
    transition: (state, { type, data }, { self }) => {
      if (state.status !== 'active') return state;
      const end = { ...state, input: undefined };
      if (type === XSTATE_PROMISE_RESOLVE) return { ...end, status: 'done', output: data };
      if (type === XSTATE_PROMISE_REJECT) return { ...end, status: 'error', error: data };
      if (type !== XSTATE_STOP) return state;
      controllerMap.get(self)?.abort();
      controllerMap.delete(self);
      return { ...end, status: 'stopped' };
    },
    start: ({ input }, { self, system }) => {
      const controller = new AbortController();
      controllerMap.set(self, controller);
      const settle = type => data => {
        if (self.getSnapshot().status !== 'active') return;
        controllerMap.delete(self);
        system._relay(self, self, { type, data });
      };
      Promise.resolve(promiseCreator({ input, signal: controller.signal })).then(settle(XSTATE_PROMISE_RESOLVE), settle(XSTATE_PROMISE_REJECT));
    },
    getInitialSnapshot
  };
}
function getInitialSnapshot(_, input) { return { status: 'active', output: undefined, error: undefined, input }; }`,
      ],
    ],
    texts: [],
  },
}
