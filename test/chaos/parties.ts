/** The processes of the parties. */
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import type { Role } from './facts.ts'
import type { Order, PartyTask } from './party.types.ts'

export interface PartyProcess {
  task: PartyTask
  child: ChildProcess
  lives: number
}

export interface Crowd {
  readonly contacts: number
  readonly processes: number
}

type Shared = Pick<PartyTask, 'url' | 'folder' | 'seed' | 'everyMs'>

const AGENTS = 3
/** Contacts that wait find an agent also while one process of agents is away. */
const ROOM = 1.5

export class Parties {
  readonly processes: PartyProcess[] = []
  readonly #program: string

  /** `processes`: so many of visitors, and of agents. */
  constructor(program: string, { contacts, processes }: Crowd, shared: Shared) {
    this.#program = program
    const each = Math.ceil(contacts / processes)
    const capacity = Math.min(100, Math.ceil((contacts * ROOM) / (processes * AGENTS)))
    for (let number = 1; number <= processes; number += 1) {
      this.#add(`a${number}`, 'agent', { ...shared, count: AGENTS, capacity })
      this.#add(`v${number}`, 'visitor', { ...shared, count: each, capacity })
    }
  }

  /** All do as they are told. */
  async order(order: Order): Promise<void> {
    await Promise.all(this.processes.map(({ child }) => answered(child, order)))
  }

  /** Ends all processes at once. */
  stop(): void {
    for (const { child } of this.processes) child.kill('SIGKILL')
  }

  /** Ends a process at once. Others come in its place. */
  kill(party: PartyProcess): void {
    party.child.kill('SIGKILL')
    party.lives += 1
    const [name = ''] = party.task.process.split('.')
    party.task = { ...party.task, process: `${name}.${party.lives}` }
    party.child = this.#start(party.task)
  }

  #add(process: string, role: Role, shared: Shared & Pick<PartyTask, 'count' | 'capacity'>): void {
    const task = { ...shared, process, role }
    this.processes.push({ task, child: this.#start(task), lives: 1 })
  }

  #start(task: PartyTask): ChildProcess {
    const log = openSync(join(task.folder, `${task.process}.log`), 'a')
    return fork(this.#program, [JSON.stringify(task)], { stdio: ['ignore', log, log, 'ipc'] })
  }
}

function answered(child: ChildProcess, order: Order): Promise<void> {
  return new Promise((settle) => {
    const look = (told: unknown): void => {
      if (told === order.name) settle()
    }
    child.on('message', look)
    child.once('exit', () => settle())
    if (child.exitCode !== null || child.signalCode !== null) settle()
    if (child.connected) child.send(order)
    else settle()
  })
}
