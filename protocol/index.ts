export { UNKNOWN_TYPE, isAllowedType, isMediaType } from './attachment.ts'
export type { AttachmentBody, FileRules } from './attachment.ts'
export type {
  MediaCapabilities,
  MediaSupport,
  MediumCapabilities,
  WebRtcCapabilities,
} from './capabilities.ts'
export { withCapability } from './capability-path.ts'
export { connectedSessions, isHolderGone, wherePeerIs } from './connected.ts'
export type { ConnectedSessions } from './connected.ts'
export type {
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
  Sender,
  Stamp,
} from './contact-events.ts'
export { isOwnEvent } from './event-names.ts'
export type {
  ChannelData,
  DataChannel,
  DataChannelEvents,
  DataChannelType,
  DataMessage,
} from './data-channel.ts'
export { countChannels, foldContact, initialContactState } from './contact-state.ts'
export type { ContactState } from './contact-state.ts'
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
export { deferred } from './deferred.ts'
export type { Deferred } from './deferred.ts'
export { ContactError, ERROR_CODES, isErrorCode, toContactError } from './errors.ts'
export type { ErrorCode } from './errors.ts'
export { fieldFault } from './field-rules.ts'
export { fold, initialSharedState } from './fold.ts'
export type { Ending, Fact, Phase, SharedState, VoidReason } from './fold.ts'
export { argsBytes } from './json.ts'
export type { JsonValue } from './json.ts'
export type { ListenOptions, Unsubscribe } from './listening.ts'
export type { Clock, Connection, Transport, TransportEvent } from './link.ts'
export type {
  AgentCard,
  Avatar,
  ChannelCounts,
  Draft,
  EndReason,
  PhoneEnd,
  Entry,
  UnsentEntry,
  PartyBodies,
  PartyEntry,
  PartyEntryType,
  ServiceBodies,
  ServiceEntry,
  ServiceEntryType,
} from './log.ts'
export * as algebra from './media-algebra.ts'
export { MEDIA_NAMES, otherSlot } from './media.ts'
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
export { isCallName, parseCall, parseDraft } from './parse-call.ts'
export { ENVELOPE_DEPTH, parseCapabilities, parsePush, parseReply, shapeFault } from './parse-message.ts'
export { LIMITS, isName, isWebUrl } from './limits.ts'
export { HEALING_STEPS } from './statistics.ts'
export type { CallSummary, Flow, HealingStep, Liveness, MediumFlow, Observation } from './statistics.ts'
export { parseRpc } from './rpc.ts'
export type { RpcFrame } from './rpc.ts'
export { cutText, hasNul } from './text.ts'
export { PROTOCOL_VERSION } from './wire.ts'
export type {
  AgentPresence,
  Appended,
  CallName,
  Calls,
  ContactRequest,
  Distribution,
  RelayFrame,
  Push,
  PushName,
  Pushes,
  Reply,
  UploadPlace,
  WireError,
} from './wire.ts'
export { within } from './within.ts'
