/** What agents ask and are answered beside the contacts that they have. */
type Samples = Readonly<Record<string, readonly unknown[]>>

export const DESK_RESULTS: Samples = {
  'agent.replies': [{ replies: [{ shortcut: 'hi', text: 'Hello {visitor}' }] }],
  'agent.search': [
    {
      contacts: [
        { id: 'c', created: 'x', ended: 'y', nick: 'Vera', messages: 2, secure: false, excerpt: 'oak' },
        { id: 'd', created: 'x', messages: 0, secure: true },
      ],
      next: '5:c',
    },
  ],
  'agent.overview': [
    {
      totals: { waiting: 1, ready: 1, open: 1 },
      longestWaitMs: 5,
      lastHour: { ended: 1, waitMs: 5, handlingMs: 6 },
      queue: [{ id: 'c', nick: 'Vera', tags: ['x'], waitedMs: 5 }],
      agents: [{ user: 'a', nick: 'Ada', state: 'busy', tags: [], contacts: 1, capacity: 1 }],
      contacts: [
        { id: 'c', state: 'joined', user: 'a', agent: 'Ada', lastsMs: 1, messages: 2, secure: false },
      ],
    },
  ],
  'agent.read': [
    {
      texts: [{ seq: 3, role: 'visitor', nick: 'Vera', text: 'hi', time: 'x' }],
      last: 3,
      isMore: true,
      isOver: false,
    },
  ],
}

export const DESK_ARGS: Samples = {
  'agent.search': [{}, { text: 'oak', name: 'Vera', from: 1, to: 2, before: '5:c' }],
  'agent.read': [{ contact: 'c-1', after: 3 }],
}
