/** Where a scenario says what each party sees. */
export type Print = (who: 'visitor' | 'agent', line: string) => void
