/** The guides of docs/: their code is that of examples/, their links lead somewhere, and all are near the start. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { fileNameOf } from '../../docs/.vitepress/file-names.ts'
import { sidebar } from '../../docs/.vitepress/sidebar.ts'
import { sourceOf } from '../../docs/.vitepress/source-links.ts'
import { scenarios } from '../../docs/.vitepress/theme/scenarios.ts'
import { examplesOf, guidePages, withExamples } from '../../scripts/guide-examples.mjs'
import { FLAGS } from '../../service/src/options/flag-table.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const docs = `${root}docs`
/** What `npm run docs` generates. */
const isGenerated = (page: string): boolean => page.startsWith('reference/')
const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.md') && !path.startsWith('api/') && !isGenerated(path))
const textOf = (page: string): string => readFileSync(`${docs}/${page}`, 'utf8')
const withoutCode = (text: string): string =>
  text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '')

interface Link {
  readonly to: string
  readonly heading: string
}

/** Links of a page to other pages of the site. */
function linksOf(page: string): readonly Link[] {
  const text = withoutCode(textOf(page))
  const written = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, href = '']) => href)
  const actions = [...text.matchAll(/link: (\/[^ }]+)/g)].map(([, href = '']) => `${href.slice(1)}.md`)
  return [
    ...written.filter((href) => !/^[a-z]+:/i.test(href) && sourceOf(page, href) === null),
    ...actions,
  ].map((href) => {
    const [path = '', heading = ''] = href.split('#')
    return { to: path ? posix.join(posix.dirname(page), path) : page, heading }
  })
}

const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s+/g, '-')
const headingsOf = (page: string): readonly string[] =>
  [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slug(heading))

/** How many clicks each page is away from the start page. */
function clicksFrom(start: string): ReadonlyMap<string, number> {
  const clicks = new Map([[start, 0]])
  for (const [page, count] of clicks)
    if (!isGenerated(page)) for (const { to } of linksOf(page)) if (!clicks.has(to)) clicks.set(to, count + 1)
  return clicks
}

const TASKS = [
  ...['embed', 'answer-a-call', 'frameworks', 'files', 'forms', 'own-engine'],
  ...['agent-client', 'theming', 'identity', 'testing', 'deploy', 'operate'],
]

describe('the pages of the documentation', () => {
  it('PRD-140 have a guide for each of twelve tasks, at most two clicks from the start page', () => {
    const clicks = clicksFrom('index.md')
    const far = TASKS.filter((task) => (clicks.get(`guides/${task}.md`) ?? Infinity) > 2)
    expect([TASKS.length, far]).toEqual([12, []])
  })

  it('PRD-140 are all reached from the start page or the sidebar', () => {
    const listed = JSON.stringify(sidebar)
    const isListed = (page: string): boolean => listed.includes(`"/${page.replace(/(?:index)?\.md$/, '')}"`)
    const clicks = clicksFrom('index.md')
    expect(pages.filter((page) => !clicks.has(page) && !isListed(page))).toEqual([])
  })

  it('PRD-141 link to pages and headings that there are, and to files of the repository', () => {
    const faults = pages.flatMap((page) => {
      const sources = [...withoutCode(textOf(page)).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, href = '']) => {
        const source = sourceOf(page, href)
        return source === null || existsSync(root + source) ? [] : [`${page}: ${href}`]
      })
      const links = linksOf(page).flatMap(({ to, heading }) => {
        if (isGenerated(to)) return []
        if (!existsSync(`${docs}/${to}`)) return [`${page}: ${to}`]
        return heading && !headingsOf(to).includes(heading) ? [`${page}: ${to}#${heading}`] : []
      })
      return [...sources, ...links]
    })
    expect(faults).toEqual([])
  })

  it('PRD-141 are in the sidebar only where they are', () => {
    const links = [...JSON.stringify(sidebar).matchAll(/"link":"\/([^"]*)"/g)].map(([, link = '']) => link)
    const files = links
      .filter((link) => !isGenerated(link))
      .map((link) => `${link.replace(/\/$/, '/index')}.md`)
    expect(files.filter((file) => !pages.includes(file))).toEqual([])
  })
})

describe('the guides', () => {
  it('PRD-142 show the files of examples/ as they are', () => {
    const guides = guidePages()
    expect([...guides].filter(([, page]) => withExamples(page) !== page).map(([name]) => name)).toEqual([])
    const shown = [...guides.values()].flatMap(examplesOf)
    const files = readdirSync(`${root}examples/guides`, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map(({ parentPath, name }) => posix.relative(root, `${parentPath}/${name}`))
    expect(files.filter((file) => !shown.includes(file))).toEqual([])
  })

  it('PRD-142 name the file of each block that another one imports', () => {
    expect(
      ['ts examples/guides/run/files.ts', 'tsx examples/react/chat.tsx', 'sh', 'ts'].map(fileNameOf),
    ).toEqual(['run/files.ts', 'react/chat.tsx', null, null])
  })

  it('PRD-142 name options of the service that there are', () => {
    const named = [...guidePages()].flatMap(([name, page]) =>
      [...page.matchAll(/(?<![\w-])--([a-z][a-z-]+)/g)]
        .filter(([, flag = '']) => !flag.startsWith('p-'))
        .map(([, flag = '']) => ({ name, flag })),
    )
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter(({ flag }) => !(flag in FLAGS))).toEqual([])
  })

  it('PRD-143 offer each example that two parties in memory can run', () => {
    const offered = [...guidePages().values()].flatMap((page) =>
      [...page.matchAll(/<RunExample name="([^"]+)"/g)].map(([, name = '']) => name),
    )
    expect(offered.toSorted()).toEqual(Object.keys(scenarios).toSorted())
  })
})

describe('the comparison with others', () => {
  const rows = textOf('comparison.md')
    .split('\n')
    .filter((line) => line.startsWith('| **'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )

  it('PRD-146 has a row for each thing that a visitor and an agent need, and no empty cell', () => {
    expect(rows.map(([subject = '']) => /^\*\*([^*]+)\*\*/.exec(subject)?.[1])).toEqual([
      ...[
        'History',
        'Tabs',
        'Call while minimised',
        'Queue',
        'Alerts',
        'Files and messages',
        'After the end',
      ],
      ...['Sign-in', 'Colleagues and transfers', 'Canned replies, notes, search, several contacts, keyboard'],
      'Supervision and metrics',
    ])
    expect(rows.filter((row) => row.length !== 7 || row.includes('') || row[1] === '–')).toEqual([])
  })

  it('PRD-146 names its columns, those of what is compared among them', () => {
    const heads = textOf('comparison.md')
      .split('\n')
      .filter((line, at, all) => all[at + 1]?.startsWith('|---'))
    expect(heads).toHaveLength(2)
    for (const head of heads) expect(head).toMatch(/^(?:\| [^|]*\S ){7}\|$/)
  })

  it('PRD-146 says of others only what a page of theirs says', () => {
    const others = rows.flatMap((row) => row.slice(2))
    const isOwnWord = (cell: string): boolean => cell === '–' || /^No (?:agents|queues)$/.test(cell)
    expect(others.filter((cell) => !isOwnWord(cell) && !cell.includes('](https://'))).toEqual([])
  })
})
