/** Numbers of the running service, in the text format that Prometheus reads. Labels never hold contents or ids. */
export class Metrics {
  readonly #counters = new Map<string, Map<string, number>>()
  readonly #gauges = new Map<string, { readonly help: string; readonly read: () => number }>()
  readonly #help = new Map<string, string>()

  counter(name: string, help: string): void {
    this.#help.set(name, help)
    this.#counters.set(name, new Map())
  }

  gauge(name: string, help: string, read: () => number): void {
    this.#gauges.set(name, { help, read })
  }

  add(name: string, label = '', count = 1): void {
    const values = this.#counters.get(name)
    values?.set(label, (values.get(label) ?? 0) + count)
  }

  text(): string {
    const counters = [...this.#counters].flatMap(([name, values]) => [
      `# HELP ${name} ${this.#help.get(name) ?? ''}`,
      `# TYPE ${name} counter`,
      ...(values.size === 0 ? [`${name} 0`] : [...values].map(([label, value]) => `${name}${label === '' ? '' : `{${label}}`} ${value}`)),
    ])
    const gauges = [...this.#gauges].flatMap(([name, { help, read }]) => [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${read()}`])
    return `${[...counters, ...gauges].join('\n')}\n`
  }
}

/** The counters of the service, at zero. */
export function serviceMetrics(): Metrics {
  const metrics = new Metrics()
  metrics.counter('parley_calls_total', 'Calls by name and outcome.')
  metrics.counter('parley_entries_total', 'Entries stored.')
  metrics.counter('parley_refused_connections_total', 'Connections refused, by code.')
  metrics.counter('parley_faults_total', 'Failures of the service itself.')
  return metrics
}
