import { showHidden } from './safe-text.ts'
import { bodyText, isSaid } from './transcript.ts'
import type { Item } from './transcript.ts'
import { zoneName } from './words.ts'
import type { Words } from './words.ts'

/**
 * What was said, as a text to keep: the time zone, then a line for each message and event, days apart. Own messages
 * that were not sent are left out. It is read later, so it says no "today".
 */
export function transcriptFile(items: readonly Item[], nick: string, words: Words): string {
  let day = ''
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  const lines = items.filter(isSaid).flatMap((item) => {
    const begins = words.date(item.at)
    const head = begins === day ? [] : ['', begins]
    day = begins
    return [...head, `${words.time(item.at)}  ${said(item, nick, words)}`]
  })
  return `${[`${zoneName(words.locale)} (${timeZone})`, ...lines].join('\n')}\n`
}

function said(item: Item, nick: string, words: Words): string {
  if (item.kind === 'notice') return words.t(item.notice, { nick: item.nick ?? nick })
  const who =
    item.kind === 'own'
      ? words.t('you')
      : showHidden(item.nick ?? (item.isService ? words.t('service') : nick))
  return `${who}: ${showHidden(bodyText(item.body))}`
}
