import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Chat } from './chat.tsx'

const root = document.querySelector<HTMLElement>('#root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <Chat service={root.dataset['service'] ?? ''} />
    </StrictMode>,
  )
