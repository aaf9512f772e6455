import pino from 'pino'
import { codeOf } from './start-error.ts'

/** Writes lines for the people who run the service. Never contents: a fault is its kind, its code and where it happened. */
export interface Report {
  readonly info: (what: string, facts?: Readonly<Record<string, string | number | boolean>>) => void
  readonly fault: (thrown: unknown) => void
}

export function pinoReport(level: string): Report {
  const log = pino({ level, base: null }, pino.destination({ fd: 2, sync: true }))
  return {
    info: (what, facts = {}) => log.info(facts, what),
    fault: (thrown) => log.error(describeFault(thrown), 'fault'),
  }
}

/** Messages of errors may quote what a party wrote, so they are left out. */
export function describeFault(thrown: unknown): Readonly<Record<string, string>> {
  if (!(thrown instanceof Error)) return { kind: typeof thrown }
  const frames = (thrown.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  const cause = thrown.cause === undefined ? {} : { causeCode: codeOf(thrown.cause) }
  return { kind: thrown.name, code: codeOf(thrown), at: frames.slice(0, 5).join(' ').replaceAll(/\s+/g, ' '), ...cause }
}
