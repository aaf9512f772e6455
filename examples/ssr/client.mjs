import { createElement } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { Page } from './page.mjs'

const root = document.querySelector('#root')
if (root instanceof HTMLElement)
  hydrateRoot(root, createElement(Page, { service: root.dataset['service'] ?? '' }))
