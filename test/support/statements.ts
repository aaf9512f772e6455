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
  const all: Statement[] = []
  return { all, stop: watchStatements({ begins: (statement) => all.push(statement) }) }
}

/** Tells of every statement of this process until the function that it gives is called. */
export function watchStatements({
  begins,
  ends,
}: {
  readonly begins?: (statement: Statement) => void
  readonly ends?: (statement: Statement) => void
}): () => void {
  const prototype = pg.Client.prototype as unknown as { query: Query }
  const original = prototype.query
  prototype.query = function watched(this: pg.Client, ...args: unknown[]): unknown {
    const statement = statementOf(args)
    if (!statement) return original.apply(this, args)
    begins?.(statement)
    const start = performance.now()
    const end = (result: unknown): void => {
      const { rowCount, rows } = (result ?? {}) as {
        readonly rowCount?: number | null
        readonly rows?: readonly object[]
      }
      Object.assign(statement, {
        ms: performance.now() - start,
        rows: rowCount ?? 0,
        characters: charactersOf(rows ?? []),
      })
      ends?.(statement)
    }
    const callback = args.at(-1)
    if (typeof callback === 'function')
      return original.apply(this, [...args.slice(0, -1), answering(callback as Callback, end)])
    const answer = original.apply(this, args) as Promise<unknown>
    answer.then(end, end)
    return answer
  }
  return () => void (prototype.query = original)
}

type Callback = (error: unknown, result: unknown) => unknown

const answering =
  (callback: Callback, end: (result: unknown) => void): Callback =>
  (error, result) => {
    end(result)
    return callback(error, result)
  }

function statementOf([first, second]: readonly unknown[]): Statement | null {
  const { text, values } =
    typeof first === 'string'
      ? { text: first, values: second }
      : (first as { text?: unknown; values?: unknown })
  if (typeof text !== 'string') return null
  return { text, values: Array.isArray(values) ? values : [], rows: 0, characters: 0, ms: 0 }
}

const charactersOf = (rows: readonly object[]): number =>
  rows.reduce(
    (sum, row) =>
      sum +
      Object.values(row).reduce<number>(
        (of, value) => of + (typeof value === 'string' ? value.length : 8),
        0,
      ),
    0,
  )
