/** The documentation site: `npm run docs`. Its pages are the Markdown files of `docs/`. */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import llms from 'vitepress-plugin-llms'
import { fileNames } from './file-names.ts'
import { mendedTheme } from './mended-theme.ts'
import { sourceLinks } from './source-links.ts'
import { sidebar } from './sidebar.ts'

const source = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** How much a page counts in the search. It runs in the browser, as its text stands here. */
const boostDocument = (page: string): number =>
  page.includes('/reference/') ? 0.5 : /^\/(?:errors|guides)/.test(page) ? 2 : 1

export default defineConfig({
  title: 'Duolog',
  description:
    'A visitor of a website talks to an agent: text, files, voice, video and screen in one contact.',
  lang: 'en',
  outDir: '../dist/docs',
  cacheDir: '../.cache/vitepress',
  // Reports of the exports, read by a check only.
  srcExclude: ['api/**'],
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  themeConfig: {
    nav: [
      { text: 'Quick start', link: '/quick-start' },
      { text: 'Guides', link: '/guides/' },
      { text: 'Try it', link: '/try' },
      { text: 'Reference', link: '/reference/' },
      { text: 'Errors', link: '/errors' },
    ],
    sidebar,
    outline: [2, 3],
    search: {
      provider: 'local',
      // All of the words; what to do before what there is.
      options: { miniSearch: { searchOptions: { combineWith: 'AND', boostDocument } } },
    },
  },
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (md) => void md.use(sourceLinks).use(fileNames),
  },
  vite: {
    plugins: [mendedTheme, llms({ ignoreFiles: ['api/**'] })],
    publicDir: false,
    // What runs in the pages is the SDK of this tree.
    resolve: {
      alias: [
        { find: /^duolog$/, replacement: source('sdk/index.ts') },
        { find: /^duolog\/agent$/, replacement: source('sdk/agent/index.ts') },
        { find: /^duolog\/testing$/, replacement: source('testing/index.ts') },
        { find: /^duolog\/machines$/, replacement: source('machines/index.ts') },
        { find: /^duolog\/engines$/, replacement: source('engines/index.ts') },
        { find: /^duolog\/symbols$/, replacement: source('sdk/symbols/index.ts') },
      ],
    },
  },
})
