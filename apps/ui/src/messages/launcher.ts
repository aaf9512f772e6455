/** What the launcher says, by language: apart, because it is on a page before anything else of the widget. */
export const launcherWords = {
  en: { openChat: 'Chat with us', notLoaded: 'The chat cannot be loaded. Try again' },
  it: { openChat: 'Scrivici', notLoaded: 'La chat non si carica. Riprova' },
  de: { openChat: 'Schreiben Sie uns', notLoaded: 'Der Chat lädt nicht. Erneut versuchen' },
  fr: { openChat: 'Écrivez-nous', notLoaded: 'Le chat ne se charge pas. Réessayer' },
  es: { openChat: 'Escríbenos', notLoaded: 'El chat no se carga. Reintentar' },
  pt: { openChat: 'Fale conosco', notLoaded: 'O chat não carrega. Tentar de novo' },
  ar: { openChat: 'تحدّث معنا', notLoaded: 'تعذّر تحميل المحادثة. أعد المحاولة' },
} as const
