/** Conformance kits under test: their laws, and which of them something breaks. */
export type Law = readonly [id: string, run: () => Promise<void>]

/** The laws that a kit would define as tests. */
export function lawsOf(
  define: (runner: {
    describe: (name: string, define: () => void) => void
    it: (name: string, run: () => Promise<void>) => void
  }) => void,
): readonly Law[] {
  const laws: Law[] = []
  define({
    describe: (_name, inner) => inner(),
    it: (name, run) => laws.push([name.slice(0, name.indexOf(':')), run]),
  })
  return laws
}

/** Ids of the laws that do not hold. */
export async function brokenOf(laws: readonly Law[]): Promise<readonly string[]> {
  const results = await Promise.all(
    laws.map(([id, run]) =>
      run().then(
        () => [],
        () => [id],
      ),
    ),
  )
  return results.flat()
}

/** What is broken by something that breaks the law of each id; `atOnce` of them side by side. */
export async function brokenByEach(
  ids: readonly string[],
  atOnce: number,
  lawsWithout: (id: string) => readonly Law[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const results = new Map<string, readonly string[]>()
  const waiting = [...ids]
  const work = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift())
      results.set(id, await brokenOf(lawsWithout(id)))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return results
}
