/** A number, or numbers by label. */
type Gauge = number | Readonly<Record<string, number>>

interface Histogram {
  readonly bounds: readonly number[]
  readonly counts: number[]
  count: number
  sum: number
}

/**
 * Numbers of the running service, in the text format that Prometheus reads. Labels never hold contents or
 * ids.
 */
export class Metrics {
  readonly #counters = new Map<string, Map<string, number>>()
  readonly #gauges = new Map<string, { readonly help: string; readonly read: () => Gauge }>()
  readonly #histograms = new Map<string, Histogram>()
  readonly #collectors: (() => Promise<void>)[] = []
  readonly #help = new Map<string, string>()

  counter(name: string, help: string): void {
    this.#help.set(name, help)
    this.#counters.set(name, new Map())
  }

  gauge(name: string, help: string, read: () => Gauge): void {
    this.#gauges.set(name, { help, read })
  }

  /** `bounds`: of its buckets, from small to large. */
  histogram(name: string, help: string, bounds: readonly number[]): void {
    this.#help.set(name, help)
    this.#histograms.set(name, { bounds, counts: bounds.map(() => 0), count: 0, sum: 0 })
  }

  observe(name: string, value: number): void {
    const histogram = this.#histograms.get(name)
    if (!histogram) return
    const bucket = histogram.bounds.findIndex((bound) => value <= bound)
    if (bucket !== -1) histogram.counts[bucket] = (histogram.counts[bucket] ?? 0) + 1
    histogram.count += 1
    histogram.sum += value
  }

  add(name: string, label = '', count = 1): void {
    const values = this.#counters.get(name)
    values?.set(label, (values.get(label) ?? 0) + count)
  }

  /** Is carried out before the numbers are given. */
  collect(run: () => Promise<void>): void {
    this.#collectors.push(run)
  }

  async text(): Promise<string> {
    await Promise.allSettled(this.#collectors.map((run) => run()))
    const counters = [...this.#counters].flatMap(([name, values]) => [
      `# HELP ${name} ${this.#help.get(name) ?? ''}`,
      `# TYPE ${name} counter`,
      ...(values.size === 0
        ? [`${name} 0`]
        : [...values].map(([label, value]) => `${name}${label === '' ? '' : `{${label}}`} ${value}`)),
    ])
    const gauges = [...this.#gauges].flatMap(([name, { help, read }]) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} gauge`,
      ...gaugeLines(name, read()),
    ])
    const histograms = [...this.#histograms].flatMap(([name, histogram]) => [
      `# HELP ${name} ${this.#help.get(name) ?? ''}`,
      `# TYPE ${name} histogram`,
      ...linesOf(name, histogram),
    ])
    return `${[...counters, ...gauges, ...histograms].join('\n')}\n`
  }
}

const gaugeLines = (name: string, gauge: Gauge): string[] =>
  typeof gauge === 'number'
    ? [`${name} ${gauge}`]
    : Object.entries(gauge).map(([label, value]) => `${name}{${label}} ${value}`)

/** Each bucket has those of the smaller ones too. */
function linesOf(name: string, { bounds, counts, count, sum }: Histogram): string[] {
  let below = 0
  const buckets = bounds.map(
    (bound, index) => `${name}_bucket{le="${bound}"} ${(below += counts[index] ?? 0)}`,
  )
  return [...buckets, `${name}_bucket{le="+Inf"} ${count}`, `${name}_sum ${sum}`, `${name}_count ${count}`]
}

/** The counters of the service, at zero. */
export function serviceMetrics(): Metrics {
  const metrics = new Metrics()
  metrics.counter('duolog_calls_total', 'Calls by name and outcome.')
  metrics.counter('duolog_entries_total', 'Entries stored.')
  metrics.counter('duolog_refused_connections_total', 'Connections refused, by code.')
  metrics.counter(
    'duolog_deadlocks_total',
    'Transactions that have waited for each other, of which one was made again.',
  )
  metrics.counter('duolog_faults_total', 'Failures of the service itself.')
  metrics.counter('duolog_swept_total', 'What dead nodes had and this node has noted as lost.')
  metrics.counter('duolog_replaced_total', 'Calls on connections that the page has replaced, by call.')
  metrics.counter('duolog_match_rounds_total', 'Rounds of the matcher at this node.')
  metrics.counter('duolog_moved_total', 'Sessions that came here from another node.')
  return metrics
}
