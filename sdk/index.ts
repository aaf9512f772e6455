/**
 * A visitor's contact: messages, files, calls, forms, data channels.
 *
 * @module duolog
 */
export { createClient } from './client/create-client.ts'
export type {
  Client,
  ClientOptions,
  Inspect,
  PageOptions,
  InspectionObserver,
  KeyValueStore,
  Log,
} from './api/client.ts'
export type { ChannelOperations } from './api/channels.ts'
export type { EncryptionOperations } from './api/encryption.ts'
export type {
  TranscriptMessage,
  TranscriptOperations,
  TranscriptOptions,
  TranscriptEvent,
  TranscriptPage,
} from './api/transcript.ts'
export type { RemoteOperations } from './api/remote.ts'
export type { AttachOptions, Attached, OpenOptions, TransferOptions } from './api/attachments.ts'
export type { Contact, ContactOptions } from './api/contact.ts'
export type { GenericCallback, MediaOfferCallback, SendMessageCallback } from './api/callbacks.ts'
export type { AnswerChoice, MediaNegotiation, TransitOptions } from './api/media.ts'
export type { MessageOperations } from './api/messages.ts'
export { ContactError, ERROR_CODES, dataCollectionDefaultConstantToObject } from '../protocol/index.ts'
export type {
  Avatar,
  CallSummary,
  ChannelCounts,
  ChannelData,
  Clock,
  Connection,
  ContactData,
  ContactEventName,
  ContactEvents,
  ContactLife,
  DataChannel,
  DataChannelEvents,
  DataChannelType,
  DataCollection,
  DataDefinition,
  DataDefinitionField,
  DataField,
  DataForm,
  DataMessage,
  EndReason,
  EngineData,
  PastContact,
  Rating,
  PhoneEnd,
  ErrorCode,
  FieldType,
  Flow,
  HealingStep,
  InsecureMessage,
  JsonValue,
  ListenOptions,
  Liveness,
  MediaAnswerCallback,
  MediaCapabilities,
  MediaName,
  MediaOffer,
  MediaOfferDetails,
  MediaState,
  MediaStateDetails,
  MediaStateDiff,
  MediaStateDiffDetails,
  MediaSupport,
  MediaTransitionState,
  MediumCapabilities,
  MediumFlow,
  Observation,
  OfferedDirection,
  OwnName,
  PartialMediaState,
  RequestCallback,
  RequestHandler,
  Sender,
  Slot,
  Stamp,
  Transport,
  TransportEvent,
  Unsubscribe,
  Verification,
  VerificationCode,
  VisitData,
  WebRtcCapabilities,
} from '../protocol/index.ts'
export type {
  EngineControls,
  EngineEvent,
  EngineHost,
  EngineTransition,
  MediaEngine,
} from '../engines/eager.ts'
