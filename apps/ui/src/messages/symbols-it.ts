/** I nomi dei 64 simboli che due persone confrontano, nell’ordine della lista dell’SDK. */
export const symbolsIt = [
  ...['cane', 'gatto', 'cavallo', 'mucca', 'maiale', 'elefante', 'coniglio', 'gallo'],
  ...['pinguino', 'tartaruga', 'pesce', 'polpo', 'farfalla', 'ape', 'lumaca', 'leone'],
  ...['cactus', 'abete', 'girasole', 'fungo', 'foglia d’acero', 'luna', 'stella', 'fuoco'],
  ...['arcobaleno', 'fulmine', 'goccia', 'mela', 'banana', 'uva', 'fragola', 'mais'],
  ...['pizza', 'pane', 'formaggio', 'torta', 'carota', 'cilindro', 'occhiali', 'ombrello'],
  ...['chiave', 'campana', 'martello', 'libro', 'lampadina', 'sveglia', 'regalo', 'palloncino'],
  ...['chitarra', 'tromba', 'coppa', 'pallone', 'automobile', 'bicicletta', 'treno', 'razzo'],
  ...['barca a vela', 'àncora', 'casa', 'bandiera', 'macchina fotografica', 'telefono', 'dado', 'corona'],
] as const
