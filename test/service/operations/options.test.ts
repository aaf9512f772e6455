import { describe, expect, it } from 'vitest'
import { REFRESH_DAYS } from '../../../service/src/auth/visitors.ts'
import { readOptions } from '../../../service/src/options.ts'
import { FLAGS } from '../../../service/src/options/flag-table.ts'

const NUMBERS = ['N', 'SECONDS', 'DAYS', 'MB', 'MINUTES']
const numeric = Object.entries(FLAGS).flatMap(([name, { hint }]) => (NUMBERS.includes(hint) ? [name] : []))

describe('the options', () => {
  it.each(numeric)('OPS-2 --%s takes no number below zero, however it is given', (name) => {
    const line = new RegExp(
      `^unable to read the options; --${name} must be a whole number from \\d+ to \\d+$`,
    )
    const beside = name === 'drain-time' ? ['--bus', 'nats://localhost'] : []
    const variable = `DUOLOG_${name.toUpperCase().replaceAll('-', '_')}`
    expect(() => readOptions([...beside, `--${name}`, '-1'], {})).toThrow(line)
    expect(() => readOptions([...beside, `--${name}=-1`], {})).toThrow(line)
    expect(() => readOptions(beside, { [variable]: '-1' })).toThrow(line)
  })

  it.each([
    [['--port'], '--port needs a value'],
    [['--admin-token', '--mode', 'production'], '--admin-token needs a value'],
    [['--polling=yes'], '--polling takes no value'],
    [['--bogus', '1'], 'unknown option --bogus'],
    [['-p', '1'], 'unknown option -p'],
    [['extra'], 'unexpected argument extra'],
  ])('OPS-2 %j is refused in words of the service', (args, why) => {
    expect(() => readOptions(args, {})).toThrow(`unable to read the options; ${why} (see --help)`)
  })

  it('OPS-10 an option that says nothing beside the others ends the start', () => {
    const alone = Object.entries(FLAGS).flatMap(([name, flag]) => {
      const needed = 'needs' in flag ? [flag.needs[0]] : 'needsOneOf' in flag ? flag.needsOneOf : null
      return needed === null ? [] : [[name, flag.type === 'boolean', needed] as const]
    })
    expect(alone.length).toBeGreaterThan(15)
    for (const [name, isSwitch, needed] of alone) {
      const names = needed.map((each) => `--${each}`).join(' or ')
      expect(() => readOptions([`--${name}`, ...(isSwitch ? [] : ['1'])], {})).toThrow(
        `unable to read the options; ${names} must be given with --${name}`,
      )
    }
  })

  it.each([
    [['--agent-scope', 'openid'], '--agent-client must be given with --agent-scope'],
    [['--agent-parameter', 'a=b'], '--agent-client must be given with --agent-parameter'],
  ])('OPS-10 %j is refused beside a provider whose sign-in the console does not use', (args, why) => {
    expect(() => readOptions([...provider('https://id.example/', 'i'), ...args], {})).toThrow(why)
  })

  it.each(['--open-sign-in', '--inspector-dir=.'])('OPS-10 %s is refused in production', (arg) => {
    const why = `${arg.split('=')[0]} must be left out unless --mode is local`
    expect(() => readOptions(['--mode', 'production', arg], {})).toThrow(why)
  })

  const provider = (jwks: string, issuer: string) => [
    ...['--agent-jwks', jwks, '--agent-issuer', issuer, '--agent-audience', 'a'],
  ]

  it.each([
    [provider('https://', 'i'), '--agent-jwks must be an https URL'],
    [provider('http://id.example/', 'i'), '--agent-jwks must be an https URL'],
    [
      [...provider('https://id.example/', 'i'), '--agent-client', 'c'],
      '--agent-issuer must be an https URL with --agent-client',
    ],
    [['--visitor-jwks', 'https://'], '--visitor-jwks must be an https URL'],
    [['--stun', 'stun:['], '--stun must be a URL'],
    [['--stun', 'turn:host'], '--stun must be a URL'],
    [['--turn', 'turn:host:port'], '--turn must be a URL'],
    [['--turn', 'turn:host?transport=sctp'], '--turn must be a URL'],
    [['--bus', 'tls://a', '--bus-ca', '/none'], 'unable to read --bus-ca; ENOENT'],
    [['--bus', 'nats://a', '--bus-credentials', '/'], 'unable to read --bus-credentials; EISDIR'],
    [['--replies', '/none'], 'unable to read --replies; ENOENT'],
  ])('OPS-10 %j names what cannot be used, and ends the start', (args, why) => {
    expect(() => readOptions(args, {})).toThrow(expect.objectContaining({ exitCode: 2 }))
    expect(() => readOptions(args, {})).toThrow(why)
  })

  it.each(['turn:h', 'turns:[::1]:5349?transport=tcp', 'turn:10.0.0.1:3478?transport=udp'])(
    'OPS-10 %s names a server',
    (url) => {
      expect(readOptions(['--turn', url], {})?.ice.turn).toEqual([url])
    },
  )

  it('PRD-30 a message for later does not outlive the sign-in of an anonymous visitor', () => {
    const longest = REFRESH_DAYS - 1
    expect(readOptions(['--later', String(longest)], {})?.laterMs).toBe(longest * 86_400_000)
    expect(() => readOptions(['--later', String(REFRESH_DAYS)], {})).toThrow(
      `--later must be a whole number from 0 to ${longest}`,
    )
    expect(FLAGS.later.about).toContain(`at most ${longest}`)
  })

  it.each(['1', 'yes', 'on', 'TRUE'])('OPS-10 a variable of an option without a value is not %s', (value) => {
    expect(() => readOptions([], { DUOLOG_OPEN_SIGN_IN: value })).toThrow(
      'DUOLOG_OPEN_SIGN_IN must be true or false',
    )
    expect(readOptions([], { DUOLOG_OPEN_SIGN_IN: 'true' })?.openSignIn).toBe(true)
    expect(readOptions([], { DUOLOG_OPEN_SIGN_IN: 'false' })?.openSignIn).toBe(false)
  })

  it('OPS-10 a value may begin with a hyphen', () => {
    expect(readOptions(['--admin-token', '-secret'], {})?.adminToken).toBe('-secret')
    expect(readOptions(['--admin-token=--secret'], {})?.adminToken).toBe('--secret')
  })
})
