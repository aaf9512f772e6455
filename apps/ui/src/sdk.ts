/** What the pages know of the SDK: public types only, in one place. */
export type {
  Avatar,
  Contact,
  ContactData,
  ContactEventName,
  ContactEvents,
  EndReason,
  ErrorCode,
  MediaCapabilities,
  MediaOffer,
  MediaOfferDetails,
  MediaState,
  MediaStateDetails,
  OfferedDirection,
  PartialMediaState,
  Slot,
  TranscriptMessage,
} from 'parley-sdk'
