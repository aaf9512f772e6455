import { mount } from 'svelte'
import App from './App.svelte'

const root = document.querySelector('#root')
if (root instanceof HTMLElement)
  mount(App, { target: root, props: { service: root.dataset['service'] ?? '' } })
