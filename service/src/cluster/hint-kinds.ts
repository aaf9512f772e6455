/**
 * What nodes tell and ask each other. Each hint may be lost: the store is the truth, and the poll finds the
 * same. A kind keeps its meaning for ever; the next version of it has another name.
 */
import * as v from 'valibot'
import type { Entry, Push } from '../../../protocol/index.ts'

const name = v.pipe(v.string(), v.minLength(1), v.maxLength(256))
const number = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const slot = v.picklist(['visitor', 'agent'])

/** The sender has read it from the store or checked it on the way in: it is only asked whether it is one. */
const entry = v.custom<Entry>((value) => {
  const { seq, id, type, time } = (typeof value === 'object' && value !== null ? value : {}) as Partial<Entry>
  return Number.isSafeInteger(seq) && typeof time === 'number' && [id, type].every(isText)
})
const push = v.custom<Push>((value) => {
  const { name: called, body } = (typeof value === 'object' && value !== null ? value : {}) as Partial<Push>
  return isText(called) && typeof body === 'object'
})
const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

/** Hints by kind: to whom, and what. */
export const HINTS = {
  /**
   * To the nodes that have a contact open: its new entries, in order; where they are too large for a message
   * only the number of the last.
   */
  appended: v.object({
    contacts: v.array(
      v.union([
        v.object({ contact: name, entries: v.array(entry) }),
        v.object({ contact: name, head: number }),
      ]),
    ),
  }),
  /** To the nodes that have a contact open: a session of it has a connection to the sender, or none any more. */
  connected: v.object({ contact: name, session: name, slot, epoch: number, isHere: v.boolean() }),
  /** To the node that had a session: it was opened elsewhere, with this epoch. */
  moved: v.object({ contact: name, session: name, epoch: number }),
  /** To all: something for all connections of an agent. */
  agent: v.object({ agent: name, push }),
  /** To all, of whom one is the matcher: contacts or agents have become free. */
  match: v.object({ reason: name }),
  /** To all: a round of the matcher is over. */
  round: v.object({ round: number }),
  /** To all: tokens or keys have been voided. */
  revoked: v.object({}),
  /** To all: these contacts are no more. */
  erased: v.object({ contacts: v.array(name) }),
  /** To all: the log of a contact has lost entries that some have read, and they read it anew. */
  rewound: v.object({ contact: name }),
  /** To all: what was taken of rates since the last time, by key. */
  used: v.object({ used: v.record(v.string(), v.number()) }),
  /** To all: the sender lives. */
  beat: v.object({}),
  /** To the node that takes the bytes of an upload: another one wants to. */
  release: v.object({ upload: name }),
} as const

export type HintKind = keyof typeof HINTS
export type HintBody<K extends HintKind> = v.InferOutput<(typeof HINTS)[K]>

/** Questions by kind, with what is answered. */
export const QUESTIONS = {
  /**
   * Whether the parties that are connected here have the end of a contact that is to be erased. Answered
   * within a second; who hears `false` asks again.
   */
  concluded: { asked: v.object({ contact: name, head: number }), answered: v.boolean() },
  /** Whether this node takes frames again. */
  relay: { asked: v.object({}), answered: v.boolean() },
} as const

export type QuestionKind = keyof typeof QUESTIONS
export type Asked<K extends QuestionKind> = v.InferOutput<(typeof QUESTIONS)[K]['asked']>
export type Answered<K extends QuestionKind> = v.InferOutput<(typeof QUESTIONS)[K]['answered']>

/** The body of a message; null where it is not of this form. */
export function readBody<S extends v.GenericSchema>(schema: S, body: unknown): v.InferOutput<S> | null {
  const { success, output } = v.safeParse(schema, body)
  return success ? output : null
}
