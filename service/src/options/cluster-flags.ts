/** Options of a node among several: how it goes, and what it takes of the store. */
export const CLUSTER_FLAGS = {
  'drain-wait': {
    type: 'string',
    hint: 'SECONDS',
    about: 'at a stop, what load balancers need to send nobody here any more (local 0, production 10)',
  },
  'drain-time': {
    type: 'string',
    hint: 'SECONDS',
    needs: ['bus'],
    about:
      'at a stop, pages are asked to go to another node within this, 5 ms for each connection (local 0: they are ended; production 30)',
  },
  pool: {
    type: 'string',
    default: '16',
    hint: 'N',
    about: 'connections to PostgreSQL, of which a few more are used for moments',
  },
  'allow-async-store': {
    type: 'boolean',
    default: false,
    hint: '',
    needs: ['bus'],
    about:
      'with --bus in production also where PostgreSQL has no synchronous standby: what is copied otherwise, or may be lost',
  },
} as const
