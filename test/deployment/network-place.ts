/**
 * A network namespace of its own for a program, whose packets pass rules of the packet filter. Needs Linux, root, and
 * the programs `ip` and `nft` (Debian: iproute2, nftables).
 */
import { execFileSync } from 'node:child_process'

/** What is lost on the way: this part of the packets of each direction; 1: the direction is cut. */
export interface PacketLoss {
  readonly arrives: number
  readonly leaves: number
}

const INSIDE = 'wire'
const PARTS = 1_000

const run = (command: string, args: readonly string[], input = ''): void =>
  void execFileSync(command, args, { input, stdio: ['pipe', 'ignore', 'pipe'] })

export class NetworkPlace {
  /** Where a program in it reaches this machine, and where this machine reaches a program in it. */
  readonly outside: string
  readonly inside: string
  readonly #name: string

  /** Other runs on this machine have other processes, and so other names and addresses. */
  constructor(number: number) {
    this.#name = `duolog-${process.pid}-${number}`
    const [high, low] = [64 + ((process.pid >> 8) & 63), process.pid & 255]
    this.outside = `10.${high}.${low}.${4 * number + 1}`
    this.inside = `10.${high}.${low}.${4 * number + 2}`
    const wire = `dl${process.pid}n${number}`
    run('ip', ['netns', 'add', this.#name])
    try {
      run('ip', ['link', 'add', wire, 'type', 'veth', 'peer', 'name', INSIDE, 'netns', this.#name])
      run('ip', ['addr', 'add', `${this.outside}/30`, 'dev', wire])
      run('ip', ['link', 'set', wire, 'up'])
      this.#run('ip', ['addr', 'add', `${this.inside}/30`, 'dev', INSIDE])
      for (const each of [INSIDE, 'lo']) this.#run('ip', ['link', 'set', each, 'up'])
    } catch (thrown) {
      this.close()
      throw thrown
    }
  }

  /** Why there can be none on this machine; null where there can. */
  static whyNot(): string | null {
    try {
      const place = new NetworkPlace(63)
      try {
        place.lose({ arrives: 0.2, leaves: 0.2 })
      } finally {
        place.close()
      }
      return null
    } catch (thrown) {
      return thrown instanceof Error ? (thrown.message.split('\n')[0] ?? '') : String(thrown)
    }
  }

  /** The command that runs another one in it, with the same process id. */
  command(command: string, args: readonly string[]): readonly [string, readonly string[]] {
    return ['ip', ['netns', 'exec', this.#name, command, ...args]]
  }

  /** From now on; connections are not told. */
  lose({ arrives, leaves }: PacketLoss): void {
    const drop = (part: number): string =>
      part === 1 ? 'drop' : `numgen random mod ${PARTS} < ${Math.round(part * PARTS)} drop`
    const chain = (hook: string, way: string, part: number): string =>
      `chain ${hook} {
        type filter hook ${hook} priority 0; policy accept;
        ${part === 0 ? '' : `${way} "${INSIDE}" ${drop(part)}`}
      }`
    const rules = `table ip loss
      delete table ip loss
      table ip loss {
      ${chain('input', 'iifname', arrives)}
      ${chain('output', 'oifname', leaves)}
      }\n`
    this.#run('nft', ['-f', '-'], rules)
  }

  close(): void {
    run('ip', ['netns', 'del', this.#name])
  }

  #run(command: string, args: readonly string[], input = ''): void {
    run(...this.command(command, args), input)
  }
}
