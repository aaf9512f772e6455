/** The tabs of one browser, as they hear of each other. */
import type { OpenTabs } from '../../sdk/client/page-tabs.ts'

/** The tabs of one browser. */
export function browser(): OpenTabs {
  const tabs = new Set<{ readonly name: string; readonly hear: (message: unknown) => void }>()
  return (name, hear) => {
    const own = { name, hear }
    tabs.add(own)
    const post = (message: unknown): void => {
      for (const tab of tabs)
        if (tab !== own && tab.name === name) queueMicrotask(() => tabs.has(tab) && tab.hear(message))
    }
    return { post, close: () => void tabs.delete(own) }
  }
}
