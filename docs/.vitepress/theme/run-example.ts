import { defineComponent, h, ref } from 'vue'
import type { VNode } from 'vue'
import { scenarios } from './scenarios.ts'

/** A button that runs the example of a guide in the page, and what each party sees. */
export const RunExample = defineComponent(
  ({ name }: { readonly name: string }) => {
    const lines = ref<{ readonly who: string; readonly line: string }[]>([])
    const state = ref('')
    const start = async (): Promise<void> => {
      lines.value = []
      state.value = 'running'
      try {
        const { run } = (await scenarios[name]?.()) ?? {}
        await run?.((who, line) => lines.value.push({ who, line }))
        state.value = 'done'
      } catch (error) {
        state.value = String(error)
      }
    }
    const column = (who: string, title: string): VNode =>
      h('section', { 'aria-label': title }, [
        h('strong', { class: 'who' }, title),
        h(
          'ul',
          lines.value.filter((said) => said.who === who).map(({ line }) => h('li', line)),
        ),
      ])
    return () =>
      h('div', { class: 'parties', 'data-example': name }, [
        h('p', [
          h('button', { type: 'button', onClick: start, disabled: state.value === 'running' }, 'Run it here'),
          h('span', { role: 'status' }, state.value),
        ]),
        ...(lines.value.length > 0
          ? [h('div', { class: 'sides' }, [column('visitor', 'Visitor'), column('agent', 'Agent')])]
          : []),
      ])
  },
  { name: 'RunExample', props: ['name'] },
)
