/** Child processes of the scripts. Node's own modules only: this runs before anything is installed. */
import { execFileSync, spawn } from 'node:child_process'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's folder. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Path inside the repository. @param {string[]} parts */
export const inRoot = (...parts) => join(root, ...parts)

/**
 * Whether the script with this `import.meta.url` is the one that Node was started with.
 * @param {string} url
 */
export const isMain = (url) =>
  process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(url)

/** Path of a tool's program that npm installed. @param {string} path below `node_modules/` */
export const tool = (path) => inRoot('node_modules', ...path.split('/'))

/**
 * Runs a program in the repository's folder and gives its exit code, and what it printed unless it prints to
 * the terminal. `signal` kills it with all that it started.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ print?: boolean, env?: Record<string, string>, signal?: AbortSignal }} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...options.env },
      stdio: options.print ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    /** @param {Buffer} chunk */
    const keep = (chunk) => {
      output += chunk.toString()
    }
    child.stdout?.on('data', keep)
    child.stderr?.on('data', keep)
    const { signal } = options
    const stop = () => killTree(child.pid)
    if (signal?.aborted) stop()
    signal?.addEventListener('abort', stop, { once: true })
    child.on('error', (error) => resolve({ code: 127, output: `unable to run ${command}; ${error.message}` }))
    child.on('close', (code) => {
      signal?.removeEventListener('abort', stop)
      resolve({ code: code ?? 1, output })
    })
  })
}

/** Pairs of a process and its parent; none where `ps` cannot tell. @returns {number[][]} */
function processes() {
  try {
    const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
    return rows.map((row) => row.trim().split(/\s+/).map(Number))
  } catch {
    return []
  }
}

/**
 * Kills a process and all that it started. A program in an endless loop takes no other signal, and a part of
 * a program may be in a process group of its own.
 * @param {number | undefined} pid
 */
function killTree(pid) {
  if (pid === undefined) return
  const all = processes()
  const tree = [pid]
  for (const parent of tree)
    for (const [child = 0, of] of all) if (of === parent && !tree.includes(child)) tree.push(child)
  for (const each of tree) {
    try {
      process.kill(each, 'SIGKILL')
    } catch {
      // It has ended meanwhile.
    }
  }
}

/**
 * Runs a script with this Node.
 * @type {(script: string, args?: readonly string[], options?: Parameters<typeof run>[2]) => ReturnType<typeof run>}
 */
export const runNode = (script, args = [], options) => run(process.execPath, [script, ...args], options)
