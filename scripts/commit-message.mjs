/** The commit-msg hook: `type(scope): what it does`, as conventional commits have it. */
import { readFileSync } from 'node:fs'
import { fail } from './install.mjs'
import { isMain } from './run.mjs'

const TYPES = ['feat', 'fix', 'docs', 'style', 'refactor', 'perf', 'test', 'build', 'ci', 'chore', 'revert']
const SUBJECT = new RegExp(String.raw`^(${TYPES.join('|')})(\([a-z0-9-]+(\/[a-z0-9-]+)*\))?!?: \S.*$`)
const LONGEST = 120

/** What is wrong with a commit's message, or null. @param {string} message */
export function messageProblem(message) {
  const lines = message.split('\n').filter((line) => !line.startsWith('#'))
  const [subject = '', second = ''] = lines
  if (/^(Merge|Revert|fixup!|squash!) /.test(subject)) return null
  if (!SUBJECT.test(subject))
    return `the subject must be "type(scope): what it does" with one of ${TYPES.join(', ')}; this is "${subject}"`
  if (subject.endsWith('.')) return 'the subject must not end with a full stop'
  if (subject.length > LONGEST) return `the subject has ${subject.length} characters; ${LONGEST} are allowed`
  return second.trim() === '' ? null : 'the second line must be empty'
}

if (isMain(import.meta.url)) {
  const problem = messageProblem(readFileSync(process.argv[2] ?? '.git/COMMIT_EDITMSG', 'utf8'))
  if (problem) fail(`Commit refused: ${problem}`)
}
