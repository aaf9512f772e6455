/**
 * In place of `readable-stream`: simple-peer is a stream of what comes over its own data channel, which nobody
 * here reads or writes. What remains is an emitter of events. What a remote sends over that channel is dropped
 * instead of being kept for a reader.
 */
exports.Duplex = class Duplex {
  /** @type {Map<string, { run: (...values: unknown[]) => void, isOnce: boolean }[]>} */
  #listeners = new Map()
  readable = true
  writable = true
  _readableState = {}
  _writableState = {}
  push = () => true
  end = () => this

  /** @param {string} name @param {(...values: unknown[]) => void} run */
  on(name, run, isOnce = false) {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), { run, isOnce }])
    return this
  }

  /** @param {string} name @param {(...values: unknown[]) => void} run */
  once(name, run) {
    return this.on(name, run, true)
  }

  /** @param {string} name @param {(...values: unknown[]) => void} run */
  removeListener(name, run) {
    this.#listeners.set(name, this.#listeners.get(name)?.filter((each) => each.run !== run) ?? [])
    return this
  }

  /** @param {string} name @param {unknown[]} values */
  emit(name, ...values) {
    const listeners = this.#listeners.get(name) ?? []
    for (const { run, isOnce } of listeners) {
      if (isOnce) this.removeListener(name, run)
      run.apply(this, values)
    }
    return listeners.length > 0
  }
}
