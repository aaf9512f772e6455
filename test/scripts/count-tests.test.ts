import { describe, expect, it } from 'vitest'
import { countTests, summary } from '../../scripts/count-tests.mjs'

const file = (
  status: string,
  ...tests: string[]
): { status: string; assertionResults: { status: string }[] } => ({
  status,
  assertionResults: tests.map((test) => ({ status: test })),
})

describe('countTests', () => {
  it('counts what passed, failed and was left out', () => {
    const report = {
      testResults: [
        file('passed', 'passed', 'passed', 'skipped'),
        file('failed', 'failed', 'passed', 'todo'),
      ],
    }
    expect(countTests(report, 1)).toEqual({ passed: 3, failed: 1, skipped: 2 })
  })

  it('counts a file that could not be loaded as one failure', () => {
    expect(countTests({ testResults: [file('failed'), file('passed', 'passed')] }, 1)).toEqual({
      passed: 1,
      failed: 1,
      skipped: 0,
    })
  })

  it('counts a failing hook of a file whose tests passed as one failure', () => {
    expect(countTests({ testResults: [file('failed', 'passed')] }, 1)).toEqual({
      passed: 1,
      failed: 1,
      skipped: 0,
    })
  })

  it('counts a run that failed without a failing test as one failure: an unhandled error', () => {
    expect(countTests({ testResults: [file('passed', 'passed')] }, 1)).toEqual({
      passed: 1,
      failed: 1,
      skipped: 0,
    })
  })

  it('counts a run without a report as one failure', () => {
    expect(countTests(null, 0)).toEqual({ passed: 0, failed: 1, skipped: 0 })
  })

  it('counts each other command as one test', () => {
    expect(countTests({ testResults: [file('passed', 'passed')] }, 0, [0, 1])).toEqual({
      passed: 2,
      failed: 1,
      skipped: 0,
    })
  })
})

describe('summary', () => {
  it('names skipped tests only where there are any', () => {
    expect(summary({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed')
    expect(summary({ passed: 3, failed: 1, skipped: 2 })).toBe('3 passed, 1 failed, 2 skipped')
  })
})
