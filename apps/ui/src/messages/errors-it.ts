import type { ErrorWords } from './errors-en.ts'

export const errorsIt: ErrorWords = {
  no_crypto:
    'La cifratura non è disponibile in questo browser, quindi non è stato inviato nulla. Usa un altro browser.',
  invalid_key: 'Questa chat non è cifrata.',
  timeout: 'Nessuna risposta in tempo. Riprova.',
  not_supported: 'L’altra parte non può farlo.',
  invalid_state:
    'Un momento: è ancora in corso un’altra modifica della chiamata. Riprova quando è terminata.',
  invalid_argument: 'Non si può inviare così. Controlla quello che hai scritto.',
  invalid_offer: 'Questo tipo di chiamata non è possibile con l’altra parte.',
  invalid_answer: 'L’altra parte ha dato una risposta non adatta. Non è cambiato nulla; riprova.',
  offer_required: 'Prima l’altra parte deve essere d’accordo.',
  rejected: 'La chiamata è stata rifiutata.',
  withdrawn: 'La chiamata è stata annullata.',
  glare:
    'Avete chiesto nello stesso momento. Rispondi prima alla richiesta dell’altra parte, oppure riprova.',
  left: 'La chat è terminata.',
  offline: 'Connessione assente. Controlla la rete.',
  not_assigned: 'Nessuno ha ancora preso questa chat, oppure la segue qualcun altro.',
  not_joined: 'Questa pagina non partecipa alla chat. Ricaricala.',
  unauthorized: 'La sessione è scaduta. Ricomincia.',
  forbidden: 'Non hai il permesso di farlo.',
  not_found: 'Non è più disponibile: l’ha presa qualcun altro, oppure è terminata.',
  too_large: 'È troppo lungo. Invialo in più parti.',
  rate_limited: 'Troppe richieste insieme. Attendi un momento e riprova.',
  media_denied:
    'Il browser non permette a questa pagina di usarlo. Consenti fotocamera o microfono dalla barra degli indirizzi, poi riprova.',
  media_dismissed: 'Non è stato scelto nulla, quindi non è iniziato nulla.',
  remote_failed: 'Dall’altra parte non ha funzionato. Riprova.',
  peer_left: 'Al momento non c’è nessuno che possa rispondere.',
  media_not_found: 'Nessuna fotocamera o microfono trovati. Collegane uno, oppure chiama senza video.',
  media_in_use: 'Fotocamera o microfono sono usati da un altro programma. Chiudilo e riprova.',
  media_insecure_context: 'Le chiamate sono possibili solo su una pagina sicura (https).',
  media_failed: 'Non è stato possibile avviare fotocamera o microfono. Riprova.',
  engine_failed:
    'Non è stato possibile avviare la chiamata, forse a causa della rete. La chat continua; riprova.',
  channel_closed: 'La connessione dati è stata chiusa.',
  tampered:
    'Qualcosa in questa chat non è come dovrebbe. Per sicurezza la chiamata è stata fermata; inizia una nuova chat.',
  protocol: 'Questa pagina è troppo vecchia per il servizio. Ricaricala.',
  internal: 'Qualcosa è andato storto. Riprova, oppure ricarica la pagina.',
}
