/** The parties that run in a page of the site, in a tree of plain objects in place of a document. */
import { createRenderer, nextTick } from 'vue'
import { expect, it } from 'vitest'
import { RunExample } from '../../docs/.vitepress/theme/run-example.ts'
import { TwoParties } from '../../docs/.vitepress/theme/two-parties.ts'

/** The code of the SDK is loaded. */
const SOON = { timeout: 8_000, interval: 10 }

interface Tree {
  readonly tag: string
  text: string
  readonly props: Record<string, unknown>
  children: Tree[]
  parent: Tree | null
}

const node = (tag: string, text = ''): Tree => ({ tag, text, props: {}, children: [], parent: null })
const remove = (child: Tree): void => {
  if (child.parent) child.parent.children = child.parent.children.filter((each) => each !== child)
}
const { createApp } = createRenderer<Tree, Tree>({
  patchProp: (element, key, _before, value: unknown) => void (element.props[key] = value),
  insert(child, parent, anchor) {
    remove(child)
    child.parent = parent
    const at = anchor ? parent.children.indexOf(anchor) : parent.children.length
    parent.children.splice(at, 0, child)
  },
  remove,
  createElement: (tag) => node(tag),
  createText: (text) => node('#text', text),
  createComment: (text) => node('#comment', text),
  setText: (element, text) => void (element.text = text),
  setElementText(element, text) {
    element.children = []
    element.text = text
  },
  parentNode: ({ parent }) => parent,
  nextSibling: (element) => element.parent?.children[element.parent.children.indexOf(element) + 1] ?? null,
})

const all = (tree: Tree): Tree[] => [tree, ...tree.children.flatMap(all)]
const textsOf = (tree: Tree, tag: string): string[] =>
  all(tree)
    .filter((element) => element.tag === tag)
    .map(({ text }) => text)

function press(tree: Tree, text: string, at = 0): void {
  const button = all(tree).filter((element) => element.tag === 'button' && element.text === text)[at]
  ;(button?.props['onClick'] as (() => void) | undefined)?.()
}

it('PRD-144 a reader starts two parties, calls, answers and hangs up', async () => {
  const page = node('page')
  const app = createApp(TwoParties)
  app.mount(page)
  expect(textsOf(page, 'button')).toEqual(['Start'])
  press(page, 'Start')
  await expect.poll(() => textsOf(page, 'strong'), SOON).toEqual(['Robin, the visitor', 'Ada, the agent'])
  press(page, 'Call', 1)
  await expect.poll(() => textsOf(page, 'button'), SOON).toContain('Answer')
  press(page, 'Answer')
  await expect.poll(() => textsOf(page, 'li'), SOON).toEqual(['The call is on', 'The call is on'])
  press(page, 'Hang up', 1)
  await expect.poll(() => textsOf(page, 'button').filter((text) => text === 'Call'), SOON).toHaveLength(2)
  app.unmount()
})

it(
  'PRD-143 a reader runs the example of a guide, and sees what each party sees',
  { timeout: 30_000 },
  async () => {
    const page = node('page')
    const app = createApp(RunExample, { name: 'forms' })
    app.mount(page)
    await nextTick()
    expect(textsOf(page, 'strong')).toEqual([])
    press(page, 'Run it here')
    await expect.poll(() => textsOf(page, 'span'), SOON).toEqual(['done'])
    expect(textsOf(page, 'strong')).toEqual(['Visitor', 'Agent'])
    expect(textsOf(page, 'li')).toEqual([
      'phone is now +390000000000',
      'Order number: "A-4711"',
      'Telephone: "+39000"',
    ])
    app.unmount()
  },
)
