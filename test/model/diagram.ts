/** A run as text: one column for the visitor's pages, one for the log, one for the agent's. */
import type { Local } from './local.ts'
import { stepsOf } from './steps.ts'
import type { Model, World } from './world.ts'

const WIDTH = 58

export function diagram(model: Model, start: World, path: readonly number[]): string {
  const lines = [row('VISITOR', 'LOG', 'AGENT'), '─'.repeat(WIDTH * 2 + 30)]
  let world = start
  for (const index of path) {
    const step = stepsOf(model, world)[index]
    if (!step) return [...lines, `there is no step ${index}`].join('\n')
    const { world: next } = step.take()
    const written = step.name.startsWith('→') || step.name.startsWith('writes') || step.who === 'service'
    const left = step.who.startsWith('visitor')
    const after = world.head === next.head ? '' : ` ⇒ ${phaseOf(next)}`
    const text = `${step.who} ${step.name}`
    const page = next.places.find(({ page: { local } }) => local.session === step.who)?.page.local
    const cell = `${text}${page ? ` ⟶ ${stateOf(page)}` : ''}`
    if (step.who === 'service') lines.push(row('', `${text}${after}`, ''))
    else if (left) lines.push(row(written ? `${text} ──▶` : cell, after, ''))
    else lines.push(row('', after, written ? `◀── ${text}` : cell))
    world = next
  }
  return lines.join('\n')
}

const row = (left: string, log: string, right: string): string => `${left.padEnd(WIDTH)}│${log.padEnd(28)}│ ${right}`

function stateOf({ snapshot: { value }, operation }: Local): string {
  const state = typeof value === 'string' ? value : Object.entries(value).flat().join('.')
  return operation ? `${state} [${operation.kind}${operation.hangs ? ' hangs' : ''}]` : state
}

function phaseOf({ head: { visitor } }: World): string {
  const { phase, media } = visitor
  const on = Object.entries(media).flatMap(([medium, details]) =>
    medium !== 'Sharing' && details && details.engine !== 'Native' ? [`${medium} ${details.tx ? 'tx' : ''}${details.rx ? 'rx' : ''}`] : [],
  )
  return `${phase.name}${phase.name === 'transiting' ? ` (${phase.ready.length} ready)` : ''}${on.length > 0 ? `, ${on.join()}` : ''}`
}
