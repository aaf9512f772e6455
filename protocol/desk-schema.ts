/** Schemas of what agents are answered beside the contacts that they have. */
import * as v from './checks.ts'
import { life, tags } from './contact-schema.ts'
import { count, nameSchema } from './value-schema.ts'

/** Members of a colleague. */
export const colleague = {
  user: nameSchema,
  nick: v.string(),
  state: v.fallback(v.picklist(['ready', 'busy', 'paused']), 'paused'),
  tags,
}

const role = v.picklist(['visitor', 'agent'])
const nick = v.exactOptional(v.string())

/** Result of each call. */
export const deskResults = {
  'agent.replies': v.object({ replies: v.array(v.object({ shortcut: v.string(), text: v.string() })) }),
  'agent.search': v.object({
    contacts: v.array(
      v.object({
        id: nameSchema,
        created: v.string(),
        ended: v.exactOptional(v.string()),
        nick,
        messages: count,
        secure: v.boolean(),
        excerpt: v.exactOptional(v.string()),
      }),
    ),
    next: v.exactOptional(nameSchema),
  }),
  'agent.overview': v.object({
    totals: v.object({ waiting: count, ready: count, open: count }),
    longestWaitMs: count,
    lastHour: v.object({
      ended: count,
      waitMs: v.exactOptional(count),
      handlingMs: v.exactOptional(count),
    }),
    queue: v.array(v.object({ id: nameSchema, nick, tags, waitedMs: count })),
    agents: v.array(v.object({ ...colleague, contacts: count, capacity: count })),
    contacts: v.array(
      v.object({
        id: nameSchema,
        nick,
        state: life,
        user: nameSchema,
        agent: v.string(),
        lastsMs: count,
        messages: count,
        secure: v.boolean(),
      }),
    ),
  }),
  'agent.read': v.object({
    texts: v.array(v.object({ seq: count, role, nick, text: v.string(), time: v.string() })),
    last: count,
    isMore: v.boolean(),
    isOver: v.boolean(),
  }),
}
