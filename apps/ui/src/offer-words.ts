import type { MessageKey } from './messages/en.ts'
import type { CallMedium, Effect, OfferRow } from './media-plan.ts'

const isNew = (effect: Effect): boolean => effect === 'start' || effect === 'may'

/** What the other side asks for, as the key of one sentence: the most far-reaching part of it. */
export function offerTitle(rows: readonly OfferRow[]): MessageKey {
  const row = (medium: CallMedium): OfferRow | undefined =>
    rows.find((one) => one.medium === medium && (isNew(one.tx) || isNew(one.rx)))
  const screen = row('Screen')
  if (row('Video')) return 'offerVideo'
  if (screen) return isNew(screen.rx) ? 'offerScreen' : 'offerScreenOfYours'
  return row('Voice') ? 'offerVoice' : 'offerOther'
}

/** What each medium is called. */
export const MEDIUM_KEYS: Readonly<Record<CallMedium, MessageKey>> = {
  Voice: 'mediumVoice',
  Video: 'mediumVideo',
  Screen: 'mediumScreen',
}
const IN: Readonly<Record<CallMedium, MessageKey>> = {
  Voice: 'rowVoiceIn',
  Video: 'rowVideoIn',
  Screen: 'rowScreenIn',
}
const OUT: Readonly<Record<CallMedium, MessageKey>> = {
  Voice: 'rowVoiceOut',
  Video: 'rowVideoOut',
  Screen: 'rowScreenOut',
}

/** Own transmissions that the answer decides about. */
export const choices = (rows: readonly OfferRow[]): CallMedium[] =>
  rows.filter(({ tx }) => tx === 'may').map(({ medium }) => medium)

/** What accepting means, as keys of sentences; what the answer decides about is left to {@link choices}. */
export function offerFacts(rows: readonly OfferRow[]): MessageKey[] {
  return rows.flatMap(({ medium, tx, rx }) => {
    if (medium === 'Voice' && tx === 'start' && isNew(rx)) return ['rowVoiceBoth'] as const
    return [...(isNew(rx) ? [IN[medium]] : []), ...(tx === 'start' ? [OUT[medium]] : [])]
  })
}

/** Media that accepting ends. */
export const endings = (rows: readonly OfferRow[]): CallMedium[] =>
  rows
    .filter(({ tx, rx }) => [tx, rx].every((one) => one === 'stop' || one === 'none'))
    .map(({ medium }) => medium)
