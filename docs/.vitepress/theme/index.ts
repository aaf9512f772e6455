import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import { defineAsyncComponent } from 'vue'
import './style.css'

const theme: Theme = {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component(
      'LiveMachine',
      defineAsyncComponent(async () => (await import('./live-machine.ts')).LiveMachine),
    )
    app.component(
      'RunExample',
      defineAsyncComponent(async () => (await import('./run-example.ts')).RunExample),
    )
    app.component(
      'TwoParties',
      defineAsyncComponent(async () => (await import('./two-parties.ts')).TwoParties),
    )
  },
}

export default theme
