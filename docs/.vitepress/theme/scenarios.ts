/** Examples that run in a page: two parties in memory, each loaded when a reader starts it. */

interface Scenario {
  /** `print` is where a scenario says what each party sees. */
  readonly run: (print: (who: string, line: string) => void) => Promise<void>
}

export const scenarios: Readonly<Record<string, () => Promise<Scenario>>> = {
  'answer-a-call': () => import('../../../examples/guides/run/answer-a-call.ts'),
  files: () => import('../../../examples/guides/run/files.ts'),
  forms: () => import('../../../examples/guides/run/forms.ts'),
  'own-engine': () => import('../../../examples/guides/run/own-engine.ts'),
  'agent-desk': () => import('../../../examples/guides/run/agent-desk.ts'),
}
