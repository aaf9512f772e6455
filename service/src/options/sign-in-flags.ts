/** Options of how agents and visitors sign in. */
export const SIGN_IN_FLAGS = {
  'agent-jwks': {
    type: 'string',
    hint: 'URL',
    needs: ['agent-issuer', 'agent-audience'],
    about: "public keys of the identity provider that issues the agents' tokens",
  },
  'agent-issuer': {
    type: 'string',
    hint: 'ISSUER',
    needs: ['agent-jwks', 'agent-audience'],
    about: "`iss` of the agents' tokens",
  },
  'agent-audience': {
    type: 'string',
    hint: 'AUDIENCE',
    needs: ['agent-jwks', 'agent-issuer'],
    about: "`aud` of the agents' tokens",
  },
  'agent-claim': {
    type: 'string',
    default: 'roles=agent',
    hint: 'NAME=VALUE',
    needs: ['agent-jwks'],
    about: "what a token of the provider must say to be an agent's; `any`: nothing",
  },
  'agent-map': {
    type: 'string',
    multiple: true,
    hint: 'WHAT=CLAIM',
    needs: ['agent-jwks'],
    about: "claim with an agent's id, nick, tags or rights, such as nick=preferred_username (repeatable)",
  },
  'agent-client': {
    type: 'string',
    hint: 'ID',
    needs: ['agent-jwks'],
    about: 'client id of the console at the provider: agents sign in there by OpenID Connect',
  },
  'agent-scope': {
    type: 'string',
    default: 'openid profile offline_access',
    hint: 'SCOPES',
    needs: ['agent-client'],
    about: 'scopes that the console asks for',
  },
  'agent-parameter': {
    type: 'string',
    multiple: true,
    hint: 'NAME=VALUE',
    needs: ['agent-client'],
    about: 'what the console asks the provider for besides, such as audience=… (repeatable)',
  },
  'console-parent': {
    type: 'string',
    multiple: true,
    hint: 'ORIGIN',
    about: "page that may embed the console and give it the agent's token (repeatable)",
  },
  'visitor-jwks': {
    type: 'string',
    hint: 'URL',
    about: "public keys of the site's back end, which says who its visitors are",
  },
  'visitor-secret': {
    type: 'string',
    hint: 'SECRET',
    about: 'secret shared with that back end, where it has no public keys (HS256)',
  },
  'visitor-issuer': {
    type: 'string',
    hint: 'ISSUER',
    needsOneOf: ['visitor-jwks', 'visitor-secret'],
    about: "`iss` of the visitors' identities (any)",
  },
  'visitor-audience': {
    type: 'string',
    hint: 'AUDIENCE',
    needsOneOf: ['visitor-jwks', 'visitor-secret'],
    about: "`aud` of the visitors' identities (any)",
  },
} as const
