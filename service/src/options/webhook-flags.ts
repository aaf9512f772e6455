/** Options of what the organisation's back end is told. */
export const WEBHOOK_FLAGS = {
  webhook: {
    type: 'string',
    hint: 'URL',
    needs: ['webhook-secret-file'],
    about: "the organisation's back end, which is told of contacts and messages",
  },
  'webhook-secret-file': {
    type: 'string',
    hint: 'FILE',
    needs: ['webhook'],
    about: 'secrets that its messages are signed with, a line each, as base64 (with or without whsec_)',
  },
} as const
