/** Options of what agents work with. */
export const DESK_FLAGS = {
  replies: {
    type: 'string',
    hint: 'FILE',
    about: "the organisation's canned replies: a JSON list of { shortcut, text }, read at the start",
  },
} as const
