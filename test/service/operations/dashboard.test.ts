/** `deploy/grafana/duolog.json`, against the metrics that a running service writes. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joinBoth } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

interface Panel {
  readonly id: number
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[]
}
interface Dashboard {
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly { readonly query: string | { readonly query: string } }[] }
}

const dashboard = JSON.parse(
  readFileSync(new URL('../../../deploy/grafana/duolog.json', import.meta.url), 'utf8'),
) as Dashboard
const queries = dashboard.panels.flatMap(({ targets }) => targets)
const WORDS = new Set(['sum', 'max', 'by', 'le', 'rate', 'increase', 'histogram_quantile'])

let test: TestService
let lines: string[]
beforeAll(async () => {
  test = await startTestService()
  const { visitor, agent } = await joinBoth(test)
  await visitor.session.text('hello')
  // A call that is refused has an outcome of its own.
  await agent.client.ask('contact.read', { contact: 'c-none' })
  lines = (await (await fetch(`${test.url}/metrics`)).text()).split('\n')
})
afterAll(() => test.close())

/** Labels under which a metric is written. */
const labelsOf = (metric: string): ReadonlySet<string> =>
  new Set(
    lines
      .filter((line) => line.startsWith(`${metric}{`))
      .flatMap((line) => [...line.matchAll(/([a-z]+)="/g)].map(([, label = '']) => label)),
  )
const isWritten = (metric: string): boolean =>
  lines.some((line) => line.startsWith(`${metric} `) || line.startsWith(`${metric}{`))
/** What a query reads: metrics, labels of selectors and groups. */
function readOf(query: string) {
  const metrics = [...query.matchAll(/\bduolog_[a-z_]+/g)].map(([name]) => name)
  const selected = [...query.matchAll(/([a-z]+)(?:=~|!=|!~|=)"/g)].map(([, label = '']) => label)
  const grouped = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/))
  return { metrics, labels: [...selected, ...grouped] }
}

describe('the dashboard for Grafana', () => {
  it('PRD-182 asks for metrics that the service writes, by labels that they have', () => {
    expect(queries.length).toBeGreaterThan(15)
    // Of Prometheus itself, which reads them.
    const target = new Set(['job', 'instance'])
    for (const { expr, legendFormat } of queries) {
      const { metrics, labels } = readOf(expr)
      expect([expr, metrics.length > 0]).toEqual([expr, true])
      for (const metric of metrics) expect([metric, isWritten(metric)]).toEqual([metric, true])
      const known = new Set(metrics.flatMap((metric) => [...labelsOf(metric)]))
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)
      expect([expr, [...labels, ...shown].filter((each) => !known.has(each) && !target.has(each))]).toEqual([
        expr,
        [],
      ])
    }
  })

  it('PRD-182 takes rates of counters, and quantiles of the buckets of histograms alone', () => {
    const typeOf = (metric: string): string =>
      lines.find((line) => line.startsWith(`# TYPE ${metric.replace(/_bucket$/, '')} `))?.split(' ')[3] ?? ''
    for (const { expr } of queries)
      for (const metric of readOf(expr).metrics) {
        const isRate = new RegExp(`(?:rate|increase)\\(${metric}`).test(expr)
        expect([expr, isRate]).toEqual([expr, typeOf(metric) !== 'gauge'])
        expect([expr, expr.includes('histogram_quantile')]).toEqual([expr, typeOf(metric) === 'histogram'])
      }
  })

  it('PRD-182 has whole queries, and panels that stand side by side', () => {
    for (const { expr } of queries) {
      let depth = 0
      for (const letter of expr.replaceAll(/"[^"]*"/g, '')) {
        if ('({['.includes(letter)) depth += 1
        if (')}]'.includes(letter)) depth -= 1
        expect(depth).toBeGreaterThanOrEqual(0)
      }
      expect([expr, depth]).toEqual([expr, 0])
      const words = expr.replaceAll(/"[^"]*"|\{[^}]*\}|\[[^\]]*\]|duolog_\w+|by \([^)]*\)/g, '')
      for (const [word] of words.matchAll(/[a-z_]+/g)) expect(WORDS).toContain(word)
    }
    const { panels, templating } = dashboard
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)} ${y + Math.floor(n / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
    const asked = templating.list.map(({ query }) => (typeof query === 'string' ? query : query.query))
    const [metric = ''] = /duolog_\w+/.exec(asked.join(' ')) ?? []
    expect(isWritten(metric)).toBe(true)
  })
})
