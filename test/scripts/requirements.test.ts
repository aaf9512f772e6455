import { describe, expect, it } from 'vitest'
import { parseRequirements, problemsOf, testedIds } from '../../scripts/requirements.mjs'

const MARKDOWN = `
| id | status | requirement |
|---|---|---|
| MED-1 | done | The first. |
| MED-2 | open | The second. |
| Area | Subject |
`

const requirement = (id: string, status = 'done'): { id: string; status: string } => ({ id, status })

describe('parseRequirements', () => {
  it('takes the rows that have an id and a status, and no others', () => {
    expect(parseRequirements(MARKDOWN)).toEqual([requirement('MED-1'), requirement('MED-2', 'open')])
  })
})

describe('testedIds', () => {
  it.each<[what: string, source: string, ids: string[]]>([
    ['a title', `it('MED-4 rejects outside idle', () => {})`, ['MED-4']],
    ['several ids', `test('MED-4 MED-19, LIFE-13: both', () => {})`, ['MED-4', 'MED-19', 'LIFE-13']],
    ['a describe', `describe('offers (MED-7)', () => {})`, ['MED-7']],
    [
      'a table',
      `it.each([['FOLD-3 absence', 1], ['FOLD-4: transfer', 2]])('%s', () => {})`,
      ['FOLD-3', 'FOLD-4'],
    ],
    ['a template', 'it(`MED-8 with ${engine}`, () => {})', ['MED-8']],
    ['a suite that takes its runner', `runner.it('ENG-1 law', () => {})`, ['ENG-1']],
    ['a skipped test', `it.skip('MED-4 later', () => {})`, []],
    ['a skipped group', `describe.skip('offers', () => { it('MED-4 later', () => {}) })`, []],
    ['a test to do', `it.todo('MED-4 later')`, []],
    ['a comment', `// MED-4 is proved elsewhere`, []],
    ['an id within another string', `const text = 'see MED-4'`, []],
  ])('reads the ids of %s', (_what, source, ids) => {
    expect(testedIds(source)).toEqual(ids)
  })
})

describe('problemsOf', () => {
  it('finds nothing where every done requirement has a test', () => {
    expect(
      problemsOf(
        [requirement('MED-1'), requirement('MED-2', 'open'), requirement('MED-3', 'dropped')],
        [{ file: 'a.test.ts', ids: ['MED-1'] }],
      ),
    ).toEqual([])
  })

  it('finds a done requirement without a test', () => {
    expect(problemsOf([requirement('MED-1')], [{ file: 'a.test.ts', ids: [] }])).toEqual([
      'MED-1 is done but no test carries it',
    ])
  })

  it('finds a test that names an unknown id of a known area, and lets other words be', () => {
    expect(
      problemsOf([requirement('MED-1')], [{ file: 'a.test.ts', ids: ['MED-1', 'MED-99', 'UTF-8'] }]),
    ).toEqual(['a.test.ts names MED-99, which is no requirement'])
  })

  it('finds an id that stands there twice', () => {
    expect(problemsOf([requirement('MED-1', 'open'), requirement('MED-1', 'open')], [])).toEqual([
      'MED-1 stands there twice',
    ])
  })

  it('finds an unknown status', () => {
    expect(problemsOf([requirement('MED-1', 'almost')], [])).toEqual([
      'MED-1 has the status almost; it must be one of open, done, dropped',
    ])
  })

  it('finds that there are no requirements at all', () => {
    expect(problemsOf([], [])).toEqual(['no requirements were found'])
  })
})
