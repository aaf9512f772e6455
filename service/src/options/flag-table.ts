/**
 * The options of the command line: names, defaults and help. `needs`: the options without which one says nothing;
 * `needsOneOf`: one of these is enough; `onlyIn`: the mode without which it says nothing.
 */
import { servedFolder } from '../project-path.ts'
import { STRATEGIES } from '../queue/strategy.ts'
import { CLUSTER_FLAGS } from './cluster-flags.ts'
import { DESK_FLAGS } from './desk-flags.ts'
import { SIGN_IN_FLAGS } from './sign-in-flags.ts'
import { WEBHOOK_FLAGS } from './webhook-flags.ts'

export const FLAGS = {
  port: { type: 'string', default: '8090', hint: 'N', about: 'port to listen on' },
  host: { type: 'string', default: '127.0.0.1', hint: 'ADDRESS', about: 'address to listen on' },
  data: { type: 'string', default: '.data', hint: 'DIR', about: 'folder of the embedded database' },
  'database-url': {
    type: 'string',
    hint: 'URL',
    about: 'an external PostgreSQL instead of the embedded one',
  },
  bus: {
    type: 'string',
    multiple: true,
    hint: 'URL',
    about:
      'NATS server between several nodes: nats:// or tls://[USER:PASSWORD@]HOST[:PORT][/DEPLOYMENT] (repeatable: servers of one cluster)',
  },
  'bus-credentials': {
    type: 'string',
    hint: 'FILE',
    needs: ['bus'],
    about: 'signs in at the NATS server: the seed of an nkey, or a .creds file; read at each sign-in',
  },
  'bus-cert': {
    type: 'string',
    hint: 'FILE',
    needs: ['bus', 'bus-key'],
    about: 'certificate of this node for the NATS server (PEM); with --bus-key',
  },
  'bus-key': {
    type: 'string',
    hint: 'FILE',
    needs: ['bus', 'bus-cert'],
    about: 'private key of that certificate (PEM)',
  },
  'bus-ca': {
    type: 'string',
    hint: 'FILE',
    needs: ['bus'],
    about: 'authorities whose certificate the NATS server must have (PEM), instead of those of the system',
  },
  'node-name': {
    type: 'string',
    hint: 'NAME',
    about: 'name of this node among several, by which a load balancer knows it (host name)',
  },
  polling: {
    type: 'boolean',
    default: false,
    hint: '',
    needs: ['bus'],
    about:
      'long polling also with --bus: the load balancer routes its requests by `sid`, which begins with the name of the node and a dot',
  },
  mode: {
    type: 'string',
    default: 'local',
    hint: 'local|production',
    about: 'local: agents sign in by their nick, every page of this machine is allowed',
  },
  origin: {
    type: 'string',
    multiple: true,
    hint: 'ORIGIN',
    about: 'origin of a page that may use the service (repeatable)',
  },
  stun: { type: 'string', multiple: true, hint: 'URL', about: 'STUN server (repeatable)' },
  turn: { type: 'string', multiple: true, hint: 'URL', about: 'TURN server (repeatable)' },
  'turn-secret': {
    type: 'string',
    hint: 'SECRET',
    needs: ['turn'],
    about: 'secret shared with the TURN servers',
  },
  ...SIGN_IN_FLAGS,
  'open-sign-in': {
    type: 'boolean',
    default: false,
    hint: '',
    onlyIn: 'local',
    about: 'local use on an address that other machines reach: anyone there may sign in as an agent',
  },
  proxies: {
    type: 'string',
    default: '0',
    hint: 'N',
    about: 'reverse proxies before the service: addresses are taken from X-Forwarded-For',
  },
  'max-connections': {
    type: 'string',
    default: '20000',
    hint: 'N',
    about: 'open connections; more are closed at once',
  },
  ...CLUSTER_FLAGS,
  telephony: {
    type: 'string',
    hint: 'MODULE',
    about: 'ES module that gives the telephony gateway, for Voice over the telephone',
  },
  strategy: {
    type: 'string',
    default: 'broadcast',
    hint: Object.keys(STRATEGIES).join('|'),
    about: 'how agents are chosen',
  },
  weight: {
    type: 'string',
    multiple: true,
    hint: 'load|idle|tags=N',
    about:
      'what counts in the choice: free capacity, time without a contact, fitting tags (repeatable; as in the strategy)',
  },
  step: {
    type: 'string',
    multiple: true,
    hint: 'SECONDS:N|all|any-tags',
    about:
      'after so long in the queue, ask N agents at once, all of them, or also those without the tags (repeatable)',
  },
  'offer-delay': {
    type: 'string',
    default: '0',
    hint: 'SECONDS',
    about: 'a contact is not offered before it has waited so long',
  },
  'offer-time': { type: 'string', default: '30', hint: 'SECONDS', about: 'for an agent to answer an offer' },
  'max-wait': { type: 'string', default: '1800', hint: 'SECONDS', about: 'longest wait in the queue' },
  later: {
    type: 'string',
    default: '7',
    hint: 'DAYS',
    about: 'longest wait of a message left for later, at most 29; 0: visitors cannot leave one',
  },
  'keep-messages': {
    type: 'string',
    default: '30',
    hint: 'DAYS',
    about: 'what parties wrote is removed so long after the contact ended',
  },
  files: {
    type: 'string',
    hint: 'PLACE',
    about:
      'folder of the files that parties send, one that all nodes share, or s3://bucket/prefix?endpoint=…&region=… (files in the folder of --data)',
  },
  'max-file': {
    type: 'string',
    hint: 'MB',
    about: 'largest file that may be sent, 0 for none (local 2048, production 25)',
  },
  'contact-files': {
    type: 'string',
    hint: 'MB',
    about: 'all files of one contact (local 8192, production 250)',
  },
  'visitor-files': {
    type: 'string',
    hint: 'MB',
    about: 'all that a visitor may send in a day (local 8192, production 100)',
  },
  'file-space': { type: 'string', hint: 'MB', about: 'all files together (local 65536, production 10240)' },
  'file-type': {
    type: 'string',
    multiple: true,
    hint: 'TYPE',
    about: 'media type that may be sent, such as image/png or image/* (repeatable; any)',
  },
  'file-link': {
    type: 'string',
    default: '5',
    hint: 'MINUTES',
    about: 'how long the address of a file works',
  },
  'file-origin': {
    type: 'string',
    hint: 'ORIGIN',
    about: 'where files are downloaded from, if another origin leads to this service',
  },
  'keep-files': {
    type: 'string',
    default: '7',
    hint: 'DAYS',
    about: 'files are removed so long after the contact ended',
  },
  'keep-contacts': {
    type: 'string',
    default: '90',
    hint: 'DAYS',
    about: 'contacts are removed so long after they ended',
  },
  'admin-token': { type: 'string', hint: 'TOKEN', about: 'opens /metrics and /v1/admin (bearer)' },
  ...WEBHOOK_FLAGS,
  ...DESK_FLAGS,
  audit: { type: 'string', hint: 'FILE', about: 'who did what with which contact, a line of JSON each' },
  'sdk-dir': {
    type: 'string',
    default: servedFolder('sdk', 'dist/browser'),
    hint: 'DIR',
    about: 'the built SDK',
  },
  'visitor-dir': {
    type: 'string',
    default: servedFolder('visitor', 'apps/visitor/dist'),
    hint: 'DIR',
    about: "the visitor's demo page",
  },
  'agent-dir': {
    type: 'string',
    default: servedFolder('agent', 'apps/agent/dist'),
    hint: 'DIR',
    about: "the agent's console",
  },
  'inspector-dir': {
    type: 'string',
    default: servedFolder('inspector', 'apps/inspector/dist'),
    hint: 'DIR',
    onlyIn: 'local',
    about: 'the inspector of the machines, served in local use only',
  },
  'log-level': {
    type: 'string',
    default: 'warn',
    hint: 'LEVEL',
    about: 'silent, error, warn, info or debug',
  },
  help: { type: 'boolean', default: false, hint: '', about: 'show this' },
  version: { type: 'boolean', default: false, hint: '', about: 'show the version of the service' },
} as const

/** The name of an option. */
export type Flag = keyof typeof FLAGS
