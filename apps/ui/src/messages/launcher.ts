/** What the launcher says, by language: apart, because it is on a page before anything else of the widget. */
export const launcherWords = {
  en: { openChat: 'Chat with us', notLoaded: 'The chat cannot be loaded. Try again' },
  it: { openChat: 'Scrivici', notLoaded: 'La chat non si carica. Riprova' },
} as const
