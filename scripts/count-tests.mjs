/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 * @typedef {{ status: string, assertionResults: readonly { status: string }[] }} FileReport
 * @typedef {{ testResults: readonly FileReport[] }} Report what vitest's JSON reporter writes
 */

/** @param {readonly { status: string }[]} tests @param {readonly string[]} statuses */
const having = (tests, ...statuses) => tests.filter(({ status }) => statuses.includes(status)).length

/**
 * Counts of a run. A file that could not be loaded, a run without a report, and a run that failed though
 * every test of it passed (an unhandled error) count as one failed test each.
 * @param {Report | null} report
 * @param {number} exitCode of vitest
 * @param {readonly number[]} others exit codes of what counts as one test each
 * @returns {Counts}
 */
export function countTests(report, exitCode, others = []) {
  const files = report?.testResults ?? []
  const tests = files.flatMap((file) => file.assertionResults)
  const passed = having(tests, 'passed') + others.filter((code) => code === 0).length
  const broken = files.filter(
    (file) => file.status === 'failed' && having(file.assertionResults, 'failed') === 0,
  ).length
  const failedInRun = having(tests, 'failed') + broken
  const unexplained = !report || (exitCode !== 0 && failedInRun === 0) ? 1 : 0
  const failed = failedInRun + unexplained + others.filter((code) => code !== 0).length
  return { passed, failed, skipped: tests.length - having(tests, 'passed', 'failed') }
}

/** @param {Counts} counts */
export const summary = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
