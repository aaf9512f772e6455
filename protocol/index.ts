export type { AgentCard, Avatar } from './agent-card.ts'
export { isMediaType } from './attachment.ts'
export type { AttachmentBody, FileRules } from './attachment.ts'
export { ENCRYPTED_FILE, storedSize } from './stored-size.ts'
export type {
  MediaCapabilities,
  MediaSupport,
  MediumCapabilities,
  WebRtcCapabilities,
} from './capabilities.ts'
export { withCapability } from './capability-path.ts'
export type { ChannelCounts } from './channel-counts.ts'
export { connectedSessions, isHolderGone, wherePeerIs } from './connected.ts'
export type { ConnectedSessions } from './connected.ts'
export type {
  BackEndRecord,
  ContactData,
  ContactLife,
  DataCollection,
  DataField,
  DataForm,
  FieldType,
  VisitData,
} from './contact-data.ts'
export type {
  ContactEventName,
  ContactEvents,
  MediaAnswerCallback,
  OwnName,
  RequestCallback,
  RequestHandler,
} from './contact-events.ts'
export { isOwnEvent } from './contact-events.ts'
export type {
  ChannelData,
  DataChannel,
  DataChannelEvents,
  DataChannelType,
  DataMessage,
} from './data-channel.ts'
export { countChannels, foldEntry, initialContactState } from './contact-state.ts'
export type { ContactStart, ContactState, FoldedContact } from './contact-state.ts'
export {
  dataCollectionDefaultConstantToObject,
  editedRecord,
  emailIn,
  firstOf,
  judgeEdit,
  nickIn,
  visibleToAgent,
  withEdit,
} from './data-collection.ts'
export type { DataDefinition, DataDefinitionField } from './data-collection.ts'
export type {
  AgentPresence,
  BusyAgent,
  CannedReply,
  Colleague,
  ContactNote,
  ContactSearch,
  DeskCalls,
  DeskOverview,
  Distribution,
  FoundContact,
  LiveContact,
  ReadText,
  WaitingContact,
} from './desk.ts'
export { deferred } from './deferred.ts'
export type { Deferred } from './deferred.ts'
export type { EndReason } from './end-reason.ts'
export { definitionOf, typesWith } from './entries/list.ts'
export type {
  MessageType,
  PartyBodies,
  PartyEntryType,
  ServiceBodies,
  ServiceEntryType,
} from './entries/list.ts'
export type { Sender, Stamp } from './entries/stamp.ts'
export type { PhoneEnd } from './entries/telephone.ts'
export { ContactError, ERROR_CODES, isErrorCode, toContactError } from './errors.ts'
export type { ErrorCode } from './errors.ts'
export { rawEntry } from './entry-schema.ts'
export { fieldFault } from './field-rules.ts'
export { safeFileName } from './file-name.ts'
export { UNKNOWN_TYPE, encryptedFile, isAllowedType } from './file-rules.ts'
export { fold, initialSharedState } from './fold.ts'
export { foldContact } from './fold-contact.ts'
export type { Ending, Fact, Phase, SharedState, VoidReason } from './fold.ts'
export type { KeyPhase } from './key-phase.ts'
export { argsBytes, jsonBytes, textBytes } from './json.ts'
export type { JsonValue } from './json.ts'
export type { ListenOptions, Unsubscribe } from './listening.ts'
export type { Clock, Connection, Transport, TransportEvent } from './link.ts'
export type { Draft, Entry, PartyEntry, ServiceEntry, UnsentEntry } from './log.ts'
export * as algebra from './media-algebra.ts'
export { builtInVia, choicesFor, completeOffer } from './media-choices.ts'
export { otherSlot } from './media.ts'
export type {
  EngineData,
  MediaName,
  MediaOffer,
  MediaOfferDetails,
  MediaState,
  MediaStateDetails,
  MediaStateDiff,
  MediaStateDiffDetails,
  MediaTransitionState,
  OfferedDirection,
  PartialMediaState,
  Slot,
} from './media.ts'
export { openedEntry } from './opened-entry.ts'
export { isCallName, parseCall, parseDraft } from './parse-call.ts'
export { agentMessages, parsePush, parseReply } from './agent-schema.ts'
export { parseCapabilities, visitorMessages } from './parse-message.ts'
export type { MessageReader } from './parse-message.ts'
export { isUnopened } from './sealed-body.ts'
export type { Seal } from './sealed-body.ts'
export { ENVELOPE_DEPTH, shapeFault } from './shape.ts'
export { LIMITS, isName, isWebUrl } from './limits.ts'
export { HEALING_STEPS } from './statistics.ts'
export type { CallSummary, Flow, HealingStep, Liveness, MediumFlow, Observation } from './statistics.ts'
export { copyOf } from './plain-value.ts'
export { RateLimit } from './rate-limit.ts'
export { ratingIn, withRating } from './rating.ts'
export type { Rating } from './rating.ts'
export { parseRpc } from './rpc.ts'
export type { RpcFrame } from './rpc.ts'
export { cutText, hasNul, wellFormed } from './text.ts'
export type { InsecureMessage, Verification, VerificationCode } from './verification.ts'
export { PROTOCOL_VERSION } from './wire.ts'
export type {
  Appended,
  CallName,
  Calls,
  ContactRequest,
  PastContact,
  RelayFrame,
  Push,
  PushName,
  Pushes,
  Reply,
  UploadPlace,
  WireError,
} from './wire.ts'
export { within } from './within.ts'
