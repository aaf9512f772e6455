/**
 * A run as a sequence diagram: what each party does and the state of its machine after it, with the log
 * between them.
 */
import type { Entry, Fact, Slot } from '../../protocol/index.ts'
import type { Local } from './local.ts'
import { stepsOf } from './steps.ts'
import type { Step } from './step.ts'
import type { World } from './places.ts'
import type { Model, Watch } from './world.ts'

const WIDTHS = [42, 34, 42] as const
type Column = 0 | 1 | 2
const COLUMN: Readonly<Record<Slot | 'service', Column>> = { visitor: 0, service: 1, agent: 2 }

/** Draws the run that `path` leads through, each number a position among the steps of its world. */
export function diagram(model: Model, start: World, path: readonly number[]): string {
  const drawing = new Drawing(start)
  model.watch = drawing
  try {
    let world = start
    for (const index of path) {
      const step = stepsOf(model, world)[index]
      if (!step) throw new Error(`there is no step ${index}`)
      world = drawing.step(world, step)
    }
    return drawing.text
  } finally {
    model.watch = null
  }
}

class Drawing implements Watch {
  readonly #lines: string[] = []
  /** How the sessions are called here: the checker gives the name of one that is gone to the next. */
  readonly #names = new Map<string, string>()
  readonly #pages = { visitor: 0, agent: 0 }
  /** Numbers of the offers in the log, by their numbers in the checker. */
  readonly #refs = new Map<number, number>()
  #entries = 0
  #steps = 0
  #written: { readonly entry: Entry; readonly fact: Fact } | null = null

  constructor(start: World) {
    this.#row('VISITOR', 'LOG', 'AGENT')
    this.#lines.push(WIDTHS.map((width) => '─'.repeat(width + 2)).join('┼'))
    const at = (slot: Slot): string =>
      start.places
        .flatMap(({ page: { local } }) =>
          local.slot === slot ? [`${this.#nameOf(local.session)} is ${stateOf(local)}`] : [],
        )
        .join(', ')
    this.#row(at('visitor'), `${phaseOf(start, this.#refs)}, ${mediaOf(start)}`, at('agent'))
    this.#entries = start.tail.length
  }

  get text(): string {
    return this.#lines.join('\n')
  }

  renamed(from: string, to: string): void {
    this.#names.set(to, this.#nameOf(from))
    this.#names.delete(from)
  }

  appended(entry: Entry, fact: Fact): void {
    this.#entries++
    if (entry.seq > 0) this.#refs.set(entry.seq, this.#entries)
    this.#written = { entry, fact }
  }

  /** Takes a step and draws it. */
  step(world: World, step: Step): World {
    this.#written = null
    const place = world.places.findIndex(({ page }) => page.local.session === step.who)
    const reader = world.places[place]
    const read = reader && step.name.startsWith('reads') ? world.tail[reader.read] : undefined
    const number = this.#entries - world.tail.length + (reader?.read ?? 0) + 1
    const who = this.#named(step.who)
    const about = read ? `reads #${number} ${read.entry.type}` : this.#named(step.name)
    const { world: next, settled = [] } = step.take()
    for (const { page } of next.places) this.#nameOf(page.local.session)
    this.#steps++
    const column = reader
      ? COLUMN[reader.page.local.slot]
      : step.who === 'visitor' || step.who === 'agent'
        ? COLUMN[step.who]
        : 1
    if (this.#written) this.#drawWritten(this.#written, column, who, next)
    else
      this.#row(
        ...(read
          ? arrowed(column, `${this.#steps}. ${who} ${about}`, `#${number}`)
          : cells(column, `${this.#steps}. ${who} ${about}`)),
      )
    const now = next.places.find(({ page }) => this.#nameOf(page.local.session) === who)
    if (now && !this.#written) this.#row(...cells(column, `⇒ ${stateOf(now.page.local)}`, '   '))
    for (const one of settled)
      this.#row(...cells(column, `Promise: ${one.replace(/^\S+ /, '').replace(/^ok .*/, 'ok')}`, '   '))
    return next
  }

  #drawWritten(
    { entry, fact }: { readonly entry: Entry; readonly fact: Fact },
    column: Column,
    who: string,
    world: World,
  ): void {
    const ref = 'ref' in entry.body ? this.#refs.get(Number(entry.body.ref)) : undefined
    const about =
      'session' in entry.body
        ? ` of ${this.#named(entry.body.session)}`
        : ref === undefined
          ? ''
          : ` about #${ref}`
    const logged = `#${this.#entries} ${entry.type}${about}`
    this.#row(
      ...(column === 1
        ? cells(1, `${this.#steps}. ${logged}`)
        : arrowed(column, `${this.#steps}. ${who} writes ${entry.type}`, logged, true)),
    )
    this.#row(
      ...cells(
        1,
        fact.kind === 'void' ? `void: ${fact.reason}` : `${phaseOf(world, this.#refs)}, ${mediaOf(world)}`,
        '   ',
      ),
    )
  }

  #nameOf(session: string): string {
    const known = this.#names.get(session)
    if (known !== undefined) return known
    const slot = session.startsWith('visitor') ? 'visitor' : 'agent'
    const name = `${slot}${this.#pages[slot]++}`
    this.#names.set(session, name)
    return name
  }

  #named = (text: string): string =>
    text.replace(/(?:visitor|agent)\d+/g, (session) => this.#names.get(session) ?? session)

  #row(...texts: readonly [string, string, string]): void {
    const wrapped = texts.map((text, column) => wrap(text, WIDTHS[column as Column]))
    for (let line = 0; line < Math.max(...wrapped.map(({ length }) => length)); line++)
      this.#lines.push(
        WIDTHS.map((width, column) => ` ${(wrapped[column]?.[line] ?? '').padEnd(width)} `)
          .join('│')
          .trimEnd(),
      )
  }
}

const cells = (column: Column, text: string, indent = ''): [string, string, string] => {
  const row: [string, string, string] = ['', '', '']
  row[column] = indent + text
  return row
}

/** A cell of a party, and one of the log, with an arrow from the one to the other. */
function arrowed(column: Column, text: string, logged: string, writes = false): [string, string, string] {
  const room = Math.max(2, WIDTHS[column] - text.length - 1)
  const line = '─'.repeat(room - 1)
  if (column === 0) return [`${text} ${writes ? `${line}▶` : `◀${line}`}`, logged, '']
  return [
    '',
    writes ? logged : `${logged} ${'─'.repeat(Math.max(1, WIDTHS[1] - logged.length - 2))}▶`,
    `${writes ? '◀── ' : ''}${text}`,
  ]
}

/** Lines of at most `width` characters, broken between words. */
function wrap(text: string, width: number): string[] {
  if (text.length <= width) return [text]
  const at = text.lastIndexOf(' ', width)
  const cut = at > 3 ? at : width
  return [text.slice(0, cut), ...wrap(`   ${text.slice(cut).trimStart()}`, width)]
}

function stateOf({ snapshot: { value }, operation, life }: Local): string {
  if (life !== 'live') return life
  const state = typeof value === 'string' ? value : Object.entries(value).flat().join('.')
  return operation ? `${state}, engines ${operation.kind}${operation.hangs ? ' (hang)' : ''}` : state
}

function phaseOf({ head: { visitor } }: World, refs: ReadonlyMap<number, number>): string {
  const { phase } = visitor
  if (phase.name === 'idle') return 'idle'
  const ready =
    phase.name === 'transiting' ? `, ${phase.ready.length === 0 ? 'nobody' : phase.ready.join()} ready` : ''
  return `${phase.name} (#${refs.get(phase.ref) ?? phase.ref}${ready})`
}

/** Who speaks. */
function mediaOf({ head: { visitor } }: World): string {
  const { Voice } = visitor.media
  const speaking = [Voice?.tx ? 'visitor' : '', Voice?.rx ? 'agent' : ''].filter(Boolean)
  return speaking.length === 0
    ? 'nobody speaks'
    : speaking.length === 2
      ? 'both speak'
      : `${speaking.join()} speaks`
}
