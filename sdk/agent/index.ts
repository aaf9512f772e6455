/**
 * The side of agents: presence, offered contacts, transfers, notes.
 *
 * @module duolog/agent
 */
export { createAgent } from './create-agent.ts'
export type { AgentOptions } from './agent-options.ts'
export type {
  AcceptOptions,
  Agent,
  AgentEvents,
  ReadyOptions,
  TransferNote,
  TransferTarget,
} from './agent.ts'
export type { DeskOperations, FoundPage, ReadOptions, ReadPage } from './desk-operations.ts'
export type {
  AgentPresence,
  BusyAgent,
  CannedReply,
  Colleague,
  ContactNote,
  ContactSearch,
  DeskOverview,
  Distribution,
  FoundContact,
  LiveContact,
  ReadText,
  WaitingContact,
} from '../../protocol/index.ts'
export type { KeySignature, KeyToSign } from '../api/encryption.ts'
export type { Contact } from '../api/contact.ts'
export { ContactError } from '../../protocol/index.ts'
