import { useData } from 'vitepress'
import { defineComponent, h, ref } from 'vue'

/** The chart of a machine as two parties in the page's memory run it. It is loaded when a reader starts it. */
export const LiveMachine = defineComponent(
  ({ name }: { readonly name: string }) => {
    const isThere = ref(false)
    const { isDark } = useData()
    const start = async (): Promise<void> => {
      await import('../../../apps/inspector/src/live-chart.ts')
      isThere.value = true
    }
    return () =>
      h(
        'div',
        { class: 'parties', 'data-machine': name },
        isThere.value
          ? h('duolog-live-chart', { machine: name, '^theme': isDark.value ? 'dark' : 'light' })
          : h('p', h('button', { type: 'button', onClick: start }, 'Run it here')),
      )
  },
  { name: 'LiveMachine', props: ['name'] },
)
