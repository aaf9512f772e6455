import { expect, it } from 'vitest'
import { releaseOf } from '../../scripts/release.mjs'

const manifest = { name: 'duolog', version: '1.2.3' }
const GITHUB = {
  GITHUB_SERVER_URL: 'https://code.example.org',
  GITHUB_REPOSITORY: 'shop/duolog',
  ACTIONS_ID_TOKEN_REQUEST_URL: 'https://token.example.org',
}
const GITLAB = { CI_PROJECT_URL: 'https://code.example.org/shop/duolog', SIGSTORE_ID_TOKEN: 'token' }

it.each([
  ['GitHub', GITHUB],
  ['GitLab', GITLAB],
])('PKG-20 a job of %s publishes with provenance, of the repository that it builds', (_name, env) => {
  expect(releaseOf(manifest, { isPublished: true, env })).toEqual({
    manifest: {
      ...manifest,
      repository: { type: 'git', url: 'git+https://code.example.org/shop/duolog.git' },
    },
    args: ['publish', '--access', 'public', '--ignore-scripts', '--provenance'],
  })
})

it('PKG-20 nothing is published without a version, or where the registry could not tell the build', () => {
  const refused = (version: string, env: Record<string, string>): unknown =>
    releaseOf({ ...manifest, version }, { isPublished: true, env })
  expect(refused('0.0.0', GITHUB)).toContain('npm run release:version')
  const { ACTIONS_ID_TOKEN_REQUEST_URL, ...noToken } = GITHUB
  expect(ACTIONS_ID_TOKEN_REQUEST_URL).toBeTruthy()
  for (const env of [{}, noToken, { SIGSTORE_ID_TOKEN: 'token' }])
    expect(refused('1.2.3', env)).toContain('provenance needs a job')
})

it('PKG-20 anywhere else it says what would be published', () => {
  expect(releaseOf({ ...manifest, version: '0.0.0' }, { isPublished: false, env: {} })).toEqual({
    manifest: { ...manifest, version: '0.0.0' },
    args: ['publish', '--access', 'public', '--ignore-scripts', '--dry-run'],
  })
})
