import { createApp, defineComponent, h, ref } from 'vue'
import 'duolog/widget'

const root = document.querySelector<HTMLElement>('#root')
const service = root?.dataset['service'] ?? ''

/** The widget, and how many messages there were. */
const App = defineComponent(() => {
  const count = ref(0)
  return () => [
    h('p', { id: 'count' }, `Messages: ${count.value}`),
    h('duolog-widget', { service, label: 'Ask us', 'onDuolog-message': () => count.value++ }),
  ]
})

if (root) createApp(App).mount(root)
