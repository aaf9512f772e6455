/** The index of the search, a chunk for each language: made by VitePress. */
declare module '@localSearchIndex' {
  const index: Readonly<Record<string, () => Promise<unknown>>>
  export default index
}
declare module 'vitepress/dist/client/theme-default/components/VPLocalSearchBox.vue' {
  const component: object
  export default component
}
