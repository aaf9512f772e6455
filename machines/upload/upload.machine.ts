/**
 * The way of one file to the service, over cuts of the connection.
 *
 *   opening ─open─▶ sending ─all sent─▶ opening ─stored─▶ stored
 *      ▲  │            │ silent
 *      │  └─ failed ───┴─▶ waiting ─time, link.online─▶ opening
 *      └──────────────────────┘
 *   failed for good: refused      upload.cancel, at any time: cancelled
 *
 * `opening` announces the file or asks how it stands: the service knows it by its request, so asking again is
 * harmless.
 */
import { assign, fromPromise, setup } from 'xstate'
import type { ActorRefFrom, SnapshotFrom } from 'xstate'
import type { UploadPlace } from '../../protocol/index.ts'
import type { StoredFile, UploadContext, UploadEvent, UploadFailure } from './upload.types.ts'

/**
 * Failures in a row after which an upload is given up; while the service cannot be reached they do not count.
 */
const FAILURES_LIMIT = 8

const WAITED_FOR: ReadonlySet<string> = new Set(['offline', 'timeout', 'internal'])

/** Any failure as plain data. */
const failureOf = (thrown: unknown): UploadFailure =>
  thrown instanceof Error && 'code' in thrown
    ? ({
        code: thrown.code,
        message: thrown.message,
        ...('retryAfterMs' in thrown && { retryAfterMs: thrown.retryAfterMs }),
      } as UploadFailure)
    : { code: 'internal', message: 'unable to upload the file; something unexpected happened' }

const base = setup({
  types: {} as { context: UploadContext; events: UploadEvent },
  actors: {
    /** Announces the file, or asks how it stands. */
    open: fromPromise<UploadPlace | (StoredFile & { readonly state: 'stored' })>(() =>
      Promise.reject(new Error('no service')),
    ),
    /** Uploads what is missing. */
    send: fromPromise<void, { readonly place: UploadPlace | null }>(() =>
      Promise.reject(new Error('no service')),
    ),
  },
  guards: {
    isStored: (_, params: { readonly state: string }) => params.state === 'stored',
    mayGoOn: ({ context }, params: UploadFailure) =>
      WAITED_FOR.has(params.code) && (params.code === 'offline' || context.failures + 1 < FAILURES_LIMIT),
    isNews: ({ context }, params: { readonly sentBytes: number }) => params.sentBytes > context.sentBytes,
  },
  actions: {
    notePlace: assign({ place: (_, params: UploadPlace) => params, sentBytes: 0 }),
    noteStored: assign({ stored: (_, { id, url }: StoredFile) => ({ id, url }) }),
    noteProgress: assign({
      sentBytes: (_, params: { readonly sentBytes: number }) => params.sentBytes,
      mostBytes: ({ context }, { sentBytes }) => Math.max(context.mostBytes, sentBytes),
      failures: ({ context }, { sentBytes }) => (sentBytes > context.mostBytes ? 0 : context.failures),
    }),
    noteFailure: assign({
      failure: (_, params: UploadFailure) => params,
      failures: ({ context }, { code }: UploadFailure) => context.failures + (code === 'offline' ? 0 : 1),
    }),
  },
  delays: {
    /** 30 s: nothing has gone out. */
    silent: 30_000,
    /** 1 s, then twice as long each time, up to 30 s. */
    pause: ({ context }) => Math.min(30_000, 1_000 * 2 ** context.failures),
  },
})

const onError = [
  {
    guard: { type: 'mayGoOn', params: ({ event }: { event: { error: unknown } }) => failureOf(event.error) },
    target: '#upload.waiting',
    actions: {
      type: 'noteFailure',
      params: ({ event }: { event: { error: unknown } }) => failureOf(event.error),
    },
  },
  {
    target: '#upload.refused',
    actions: {
      type: 'noteFailure',
      params: ({ event }: { event: { error: unknown } }) => failureOf(event.error),
    },
  },
] as const

/** The way of one file to the service. */
export const uploadMachine = base.createMachine({
  id: 'upload',
  context: { place: null, stored: null, failure: null, failures: 0, sentBytes: 0, mostBytes: 0 },
  initial: 'opening',
  on: { 'upload.cancel': '.cancelled' },
  states: {
    opening: {
      invoke: {
        src: 'open',
        id: 'open',
        onDone: [
          {
            guard: { type: 'isStored', params: ({ event }) => event.output },
            target: 'stored',
            actions: { type: 'noteStored', params: ({ event }) => event.output as StoredFile },
          },
          {
            target: 'sending',
            actions: { type: 'notePlace', params: ({ event }) => event.output as UploadPlace },
          },
        ],
        onError,
      },
    },
    sending: {
      initial: 'moving',
      invoke: {
        src: 'send',
        id: 'send',
        input: ({ context }) => ({ place: context.place }),
        onDone: 'opening',
        onError,
      },
      states: {
        moving: {
          on: {
            'upload.progress': {
              guard: { type: 'isNews', params: ({ event }) => event },
              target: 'moving',
              reenter: true,
              actions: { type: 'noteProgress', params: ({ event }) => event },
            },
          },
          after: { silent: '#upload.waiting' },
        },
      },
    },
    waiting: { on: { 'link.online': 'opening' }, after: { pause: 'opening' } },
    stored: { type: 'final' },
    refused: { type: 'final' },
    cancelled: { type: 'final' },
  },
})

/** A running upload machine. */
export type UploadActor = ActorRefFrom<typeof uploadMachine>
/** One moment of the upload machine. */
export type UploadSnapshot = SnapshotFrom<typeof uploadMachine>
