/** The pages in the order in which a newcomer needs them. */
import type { DefaultTheme } from 'vitepress'

const group = (text: string, pages: Readonly<Record<string, string>>): DefaultTheme.SidebarItem => ({
  text,
  items: Object.entries(pages).map(([link, label]) => ({ text: label, link })),
})

export const sidebar: DefaultTheme.SidebarItem[] = [
  group('Begin', {
    '/quick-start': 'Quick start',
    '/try': 'Try it in this page',
    '/comparison': 'Side by side with others',
  }),
  group('Guides', {
    '/guides/embed': 'Embed the widget',
    '/guides/frameworks': 'React, Vue, Svelte, plain',
    '/guides/answer-a-call': 'Answer a call',
    '/guides/files': 'Files',
    '/guides/forms': 'Forms',
    '/guides/theming': 'Theming and languages',
    '/guides/identity': 'Identity and OpenID Connect',
    '/guides/agent-client': 'An agent client of your own',
    '/guides/own-engine': 'A media engine of your own',
    '/guides/testing': 'Test your application',
    '/guides/deploy': 'Deploy: TLS, proxy, TURN',
    '/guides/operate': 'Operate and upgrade',
  }),
  group('Concepts', {
    '/architecture': 'Architecture',
    '/negotiation': 'The log and the media',
    '/consistency': 'What holds under faults',
    '/scale': 'Measured costs',
    '/threat-model': 'Threat model',
    '/glossary': 'Glossary',
  }),
  {
    ...group('State machines', {
      '/machines/contact': 'Contact',
      '/machines/membership': 'Membership',
      '/machines/media': 'Media',
      '/machines/link': 'Link',
      '/machines/outbox': 'Outbox',
      '/machines/request': 'Request',
      '/machines/channel': 'Data channel',
      '/machines/upload': 'Upload',
      '/machines/encryption': 'Encryption',
      '/machines/peer-session': 'Peer session',
      '/machines/node': 'Node',
    }),
    collapsed: true,
  },
  group('Private contacts', {
    '/encryption/for-users': 'For users',
    '/encryption/for-integrators': 'For integrators',
    '/encryption/protocol': 'Protocol',
  }),
  {
    ...group('Decisions', {
      '/adr/0001-tooling': 'Tools',
      '/adr/0002-one-schema-library': 'One schema library',
      '/adr/0003-preparing': 'Devices before the offer',
      '/adr/0004-undo-cancels': 'One command cancels and undoes',
      '/adr/0005-one-connection': 'One connection',
      '/adr/0006-size-of-the-base': 'The size of the base',
      '/adr/0007-connecting-while-the-log-decides': 'Connecting while the log decides',
      '/adr/0008-name': 'The name',
      '/adr/0009-own-tus-client': 'Our own tus client',
      '/adr/0010-encryption-within-the-protocol': 'Encryption within the protocol',
      '/adr/0011-mute-is-told': 'Mute is told by the engine',
      '/adr/0012-own-socket-io-client': 'Our own Socket.IO client',
      '/adr/0013-peer-connection': 'WebRTC without a library',
      '/adr/0014-what-two-processors-show': 'What two processors show',
    }),
    collapsed: true,
  },
  group('Look up', {
    '/reference/': 'Reference',
    '/widget': 'Widget',
    '/events': 'Events',
    '/errors': 'Errors',
    '/protocol': 'Wire protocol',
    '/service': 'Service',
    '/deploy': 'Deployment files',
    '/sign-in': 'Signing in',
    '/cluster': 'Several nodes',
    '/inspector': 'Inspector',
  }),
]
