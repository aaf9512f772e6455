import { defineComponent, h, onBeforeUnmount, reactive, shallowRef } from 'vue'
import type { VNode } from 'vue'
import type { Parties, PartyView } from './parties.ts'

type Side = 'visitor' | 'agent'

const view = (): PartyView => reactive({ lines: [], answer: null, isTalking: false, isOnline: true })
const button = (text: string, onClick: () => unknown): VNode => h('button', { type: 'button', onClick }, text)

/** A visitor and an agent side by side. The SDK is loaded when the reader starts them. */
export const TwoParties = defineComponent(
  () => {
    const views = { visitor: view(), agent: view() }
    const parties = shallowRef<Parties | null>(null)
    const start = async (): Promise<void> => {
      const { openParties } = await import('./parties.ts')
      parties.value = await openParties(views)
    }
    onBeforeUnmount(() => parties.value?.stop())
    return () =>
      h(
        'div',
        { class: 'parties' },
        parties.value
          ? h('div', { class: 'sides' }, [
              side('visitor', views.visitor, parties.value),
              side('agent', views.agent, parties.value),
            ])
          : h('p', button('Start', start)),
      )
  },
  { name: 'TwoParties' },
)

function side(slot: Side, { lines, answer, isTalking, isOnline }: PartyView, parties: Parties): VNode {
  const title = slot === 'visitor' ? 'Robin, the visitor' : 'Ada, the agent'
  const calls = answer
    ? [button('Answer', () => answer(true)), button('Reject', () => answer(false))]
    : [isTalking ? button('Hang up', () => parties.hangUp(slot)) : button('Call', () => parties.call(slot))]
  return h('section', { 'aria-label': title, 'data-party': slot }, [
    h('strong', { class: 'who' }, title),
    h(
      'ul',
      { role: 'log' },
      lines.map((line) => h('li', line)),
    ),
    composer((text) => parties.say(slot, text)),
    h('p', [
      ...calls,
      button('Send a file', () => parties.sendFile(slot)),
      button(isOnline ? 'Cut the network' : 'Connect again', () => parties.setOnline(slot, !isOnline)),
    ]),
  ])
}

const composer = (say: (text: string) => void): VNode =>
  h(
    'form',
    {
      onSubmit: (event: Event & { readonly currentTarget: HTMLFormElement }) => {
        event.preventDefault()
        const field = event.currentTarget.elements.namedItem('text') as HTMLInputElement
        if (field.value) say(field.value)
        field.value = ''
      },
    },
    [
      h('input', { name: 'text', 'aria-label': 'Message', autocomplete: 'off' }),
      h('button', { type: 'submit' }, 'Send'),
    ],
  )
