export { createClient } from './create-client.ts'
export type { Client, ClientOptions, Inspect, PageOptions, InspectionObserver, KeyValueStore, Log } from './client.ts'
export type { ChannelOperations } from './contact-channels.ts'
export type { EncryptionOperations } from './contact-encryption.ts'
export type { TranscriptMessage, TranscriptOperations, TranscriptOptions, TranscriptPage } from './contact-transcript.ts'
export type { RemoteOperations } from './contact-remote.ts'
export type { AttachOptions, Attached } from './attachments/attached.ts'
export type { Contact, ContactOptions, GenericCallback, MediaOfferCallback, SendMessageCallback } from './contact.ts'
export type { AnswerChoice, MediaNegotiation, TransitOptions } from './contact-media.ts'
export type { MessageOperations } from './contact-messages.ts'
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
  PhoneEnd,
  ErrorCode,
  FieldType,
  Flow,
  HealingStep,
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
  VisitData,
  WebRtcCapabilities,
} from '../protocol/index.ts'
export type { EngineControls, EngineEvent, EngineHost, EngineTransition, MediaEngine } from '../engines/light.ts'
