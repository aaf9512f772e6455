import { createApp, defineComponent, h, ref } from 'vue'
import 'duolog/widget'

/** The widget, and how many messages there were. */
const App = defineComponent(() => {
  const count = ref(0)
  return () => [
    h('p', { id: 'count' }, `Messages: ${count.value}`),
    h('duolog-widget', {
      service: 'http://localhost:8090',
      label: 'Ask us',
      'onDuolog-message': () => count.value++,
    }),
  ]
})

createApp(App).mount('#app')
