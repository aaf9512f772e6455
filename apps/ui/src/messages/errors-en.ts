import type { ErrorCode } from '../sdk.ts'

/** What to tell a person for each error code: what happened and what to do. */
export type ErrorWords = Readonly<Record<ErrorCode, string>>

export const errorsEn: ErrorWords = {
  no_crypto: 'Encryption is not available in this browser, so nothing was sent. Please use another browser.',
  invalid_key: 'This chat is not encrypted.',
  timeout: 'There was no answer in time. Please try again.',
  not_supported: 'The other side cannot do that.',
  invalid_state:
    'One moment: another change of the call is still under way. Please try again when it is done.',
  invalid_argument: 'That cannot be sent like this. Please check what you wrote.',
  invalid_offer: 'This kind of call is not possible with the other side.',
  invalid_answer: 'The other side gave an answer that does not fit. Nothing has changed; please try again.',
  offer_required: 'The other side has to agree to that first.',
  rejected: 'The call was declined.',
  withdrawn: 'The call was cancelled.',
  glare: 'Both of you asked at the same moment. Please answer the other’s question first, or try again.',
  left: 'The chat is over.',
  offline: 'There is no connection. Please check your network.',
  not_assigned: 'Nobody has taken this chat yet, or somebody else has it.',
  not_joined: 'This page does not take part in the chat. Please reload it.',
  unauthorized: 'Your session has ended. Please start again.',
  forbidden: 'You are not allowed to do that.',
  not_found: 'This is no longer available: it was taken by somebody else, or it is over.',
  too_large: 'This is too long. Please send it in parts.',
  rate_limited: 'That was a lot at once. Please wait a moment and try again.',
  media_denied:
    'The browser does not let this page use it. Allow the camera or microphone in the browser’s address bar, then try again.',
  media_dismissed: 'Nothing was chosen, so nothing has started.',
  remote_failed: 'It did not work on the other side. Please try again.',
  peer_left: 'Nobody is there to answer at the moment.',
  media_not_found: 'No camera or microphone was found. Connect one, or call without video.',
  media_in_use: 'The camera or microphone is used by another program. Close that program, then try again.',
  media_insecure_context: 'Calls are possible only on a secure page (https).',
  media_failed: 'The camera or microphone could not be started. Please try again.',
  engine_failed:
    'The call could not be set up, maybe because of the network. The chat goes on; please try again.',
  channel_closed: 'The data connection was closed.',
  tampered:
    'Something in this chat is not as it should be. For your safety the call was stopped; please start a new chat.',
  protocol: 'This page is too old for the service. Please reload it.',
  internal: 'Something went wrong here. Please try again, or reload the page.',
}
