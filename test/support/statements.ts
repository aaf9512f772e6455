import pg from 'pg'

/** One statement as it went to the store. */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
  /** Rows that came back, or were touched. */
  rows: number
  /** Characters that came back. */
  characters: number
  ms: number
}

type Query = (this: pg.Client, ...args: unknown[]) => unknown

/** Notes every statement of this process until it is stopped. */
export function recordStatements(): { readonly all: Statement[]; readonly stop: () => void } {
  const prototype = pg.Client.prototype as unknown as { query: Query }
  const original = prototype.query
  const all: Statement[] = []
  prototype.query = function record(this: pg.Client, ...args: unknown[]): unknown {
    const statement = statementOf(args)
    if (!statement) return original.apply(this, args)
    all.push(statement)
    const start = performance.now()
    const end = (result: unknown): void => {
      statement.ms = performance.now() - start
      const { rowCount, rows } = (result ?? {}) as { readonly rowCount?: number | null; readonly rows?: readonly object[] }
      statement.rows = rowCount ?? 0
      statement.characters = charactersOf(rows ?? [])
    }
    const callback = args.at(-1)
    if (typeof callback === 'function')
      return original.apply(this, [...args.slice(0, -1), (error: unknown, result: unknown) => (end(result), (callback as (...all: unknown[]) => unknown)(error, result))])
    const answer = original.apply(this, args) as Promise<unknown>
    answer.then(end, end)
    return answer
  }
  return { all, stop: () => void (prototype.query = original) }
}

function statementOf([first, second]: readonly unknown[]): Statement | null {
  const { text, values } = typeof first === 'string' ? { text: first, values: second } : (first as { text?: unknown; values?: unknown })
  if (typeof text !== 'string') return null
  return { text, values: Array.isArray(values) ? values : [], rows: 0, characters: 0, ms: 0 }
}

const charactersOf = (rows: readonly object[]): number =>
  rows.reduce((sum, row) => sum + Object.values(row).reduce<number>((of, value) => of + (typeof value === 'string' ? value.length : 8), 0), 0)
