import type { Step } from '../../support/walk-steps.ts'

/** Walks that failed once, and what was wrong. They are played first. */
export const FAILED_BEFORE: readonly (readonly [string, readonly Step[]])[] = [
  [
    'a camera that was acquired for an offer which lost is given back, though its engine has no part in the transition that won',
    [
      { do: 'cut', slot: 'visitor' },
      { do: 'transit', slot: 'agent', media: { Chat: { tx: false, rx: false } } },
      { do: 'settle' },
      { do: 'away', slot: 'visitor' },
      {
        do: 'offer',
        slot: 'visitor',
        offer: { Video: { tx: 'required', rx: 'required', engine: 'WebRTC' } },
        byCallback: false,
      },
    ],
  ],
  [
    'an engine that hangs while it goes back is not told to go back once more when the slot is lost',
    [
      { do: 'script', slot: 'visitor', engine: 'WebRTC', operation: 'prepare', behaviour: 'media_denied' },
      { do: 'script', slot: 'visitor', engine: 'WebRTC', operation: 'undo', behaviour: 'hang' },
      { do: 'settle' },
      {
        do: 'offer',
        slot: 'visitor',
        offer: { Video: { tx: 'required', rx: 'required', engine: 'WebRTC' } },
        byCallback: false,
      },
      { do: 'manner', slot: 'visitor', how: 'most' },
      { do: 'tab' },
    ],
  ],
  [
    'an engine that hangs while it gives back what was acquired for an unanswered offer does nothing else meanwhile',
    [
      {
        do: 'offer',
        slot: 'agent',
        offer: { Video: { tx: 'required', rx: 'required', engine: 'WebRTC' } },
        byCallback: false,
      },
      { do: 'script', slot: 'visitor', engine: 'WebRTC', operation: 'undo', behaviour: 'hang' },
      { do: 'settle' },
      { do: 'withdraw', slot: 'agent' },
      { do: 'settle' },
      {
        do: 'offer',
        slot: 'visitor',
        offer: { Video: { tx: 'required', rx: 'required', engine: 'WebRTC' } },
        byCallback: false,
      },
      { do: 'settle' },
    ],
  ],
]
