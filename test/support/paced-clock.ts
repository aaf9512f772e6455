/**
 * Code for a page: `clock`, for `createClient` and `createAgent`. It passes 20 ms with each tick of 20 ms that the
 * page really has, so that it is slow where the machine is; and it stands still `clock.within(ms)` milliseconds
 * after that was called, until `clock.free()`. What happens before the end of that time needs no more time of the
 * SDK, however long the machine takes for it.
 */
export const PACED_CLOCK = `
  window.clock = (() => {
    const TICK_MS = 20;
    let [now, end, next] = [0, Infinity, 1];
    const timers = new Map();
    const tick = () => {
      if (now + TICK_MS > end) return;
      now += TICK_MS;
      for (const [id, { at, run }] of [...timers].sort(([, a], [, b]) => a.at - b.at))
        if (at <= now && timers.delete(id)) run();
    };
    setInterval(tick, TICK_MS);
    return {
      now: () => now,
      setTimeout: (run, ms) => (timers.set(next, { at: now + ms, run }), next++),
      clearTimeout: (id) => void timers.delete(id),
      within: (ms) => void (end = now + ms),
      free: () => void (end = Infinity),
    };
  })();
`
