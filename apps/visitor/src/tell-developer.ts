const told = new Set<string>()

/** Tells the developer of the page what is wrong: each thing once in a page. */
export function tellDeveloper(what: string): void {
  if (told.has(what)) return
  told.add(what)
  console.warn(what)
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
