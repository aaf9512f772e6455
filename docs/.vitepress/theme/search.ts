/** Loads the search and its index once the page has come to rest, so that the search answers without a network. */
export function loadSearch(): void {
  const { connection } = navigator as { readonly connection?: { readonly saveData?: boolean } }
  if (connection?.saveData) return
  const load = async (): Promise<void> => {
    const [{ default: index }] = await Promise.all([
      import('@localSearchIndex'),
      import('vitepress/dist/client/theme-default/components/VPLocalSearchBox.vue'),
    ])
    await index['root']?.()
  }
  // Where the network is gone meanwhile, the search asks again when it is opened.
  const begin = (): void => void load().catch(() => {})
  // Safari has no requestIdleCallback.
  if ('requestIdleCallback' in globalThis) requestIdleCallback(begin)
  else setTimeout(begin, 1_000)
}
