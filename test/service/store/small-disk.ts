import { spawnSync } from 'node:child_process'
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, rmdirSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const mount = (...args: string[]): boolean => spawnSync('mount', args).status === 0
const unmount = (folder: string): boolean => spawnSync('umount', [folder]).status === 0

/** A file system of its own that can be filled: needs the right to mount. */
export class SmallDisk {
  readonly folder: string
  readonly #filler: string

  private constructor(folder: string) {
    this.folder = folder
    this.#filler = join(folder, 'filler')
  }

  static make(megabytes: number): SmallDisk | null {
    const folder = mkdtempSync(join(tmpdir(), 'duolog-disk-'))
    if (process.platform === 'linux' && mount('-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder)) {
      chmodSync(folder, 0o755)
      return new SmallDisk(folder)
    }
    rmdirSync(folder)
    return null
  }

  /** Leaves no room for another page. */
  fill(): void {
    const file = openSync(this.#filler, 'a')
    for (const bytes of [1_048_576, 4_096]) {
      try {
        for (;;) writeSync(file, Buffer.alloc(bytes))
      } catch (thrown) {
        if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOSPC')) throw thrown
      }
    }
    closeSync(file)
  }

  free(): void {
    rmSync(this.#filler, { force: true })
  }

  remove(): void {
    unmount(this.folder)
    rmdirSync(this.folder)
  }
}
