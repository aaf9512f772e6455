/**
 * What simple-peer expects of Node, for browsers: to be called before it is loaded. A function, since
 * bundlers drop a module that is imported for its effect only.
 */
export function provideNodeGlobals(): void {
  const nextTick = (run: (...args: unknown[]) => void, ...args: unknown[]): void =>
    queueMicrotask(() => run(...args))
  for (const [name, value] of Object.entries({ global: globalThis, process: { env: {}, nextTick } })) {
    if (!(name in globalThis))
      Object.defineProperty(globalThis, name, {
        value,
        configurable: true,
        writable: true,
        enumerable: false,
      })
  }
}
