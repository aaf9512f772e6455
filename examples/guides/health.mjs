/** `node health.mjs https://contact.example.org [token]`: ends with code 1 where the service is not well. */

/** What one asks of a service. Rejects where nobody answers. @param {string} service @param {string} [token] of `--admin-token` */
export async function healthOf(service, token) {
  const ready = await fetch(`${service}/readyz`)
  const metrics = await fetch(`${service}/metrics`, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  })
  const text = metrics.ok ? await metrics.text() : ''
  const valueOf = (/** @type {string} */ name) =>
    Number(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
  return {
    isReady: ready.ok,
    queue: valueOf('duolog_queue_length'),
    timerLagSeconds: valueOf('duolog_timer_lag_seconds'),
  }
}

const [, script = '', service, token] = process.argv
if (service !== undefined && import.meta.url.endsWith(script.split(/[\\/]/).at(-1) ?? '-')) {
  const health = await healthOf(service, token).catch((error) => ({
    isReady: false,
    error: String(error.cause ?? error),
  }))
  console.log(JSON.stringify(health))
  process.exitCode = health.isReady ? 0 : 1
}
