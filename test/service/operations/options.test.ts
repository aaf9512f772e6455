import { describe, expect, it } from 'vitest'
import { readOptions } from '../../../service/src/options.ts'
import { FLAGS } from '../../../service/src/options/flag-table.ts'

const NUMBERS = ['N', 'SECONDS', 'DAYS', 'MB', 'MINUTES']
const numeric = Object.entries(FLAGS).flatMap(([name, { hint }]) => (NUMBERS.includes(hint) ? [name] : []))

describe('the options', () => {
  it.each(numeric)('OPS-2 --%s takes no number below zero, however it is given', (name) => {
    const line = new RegExp(
      `^unable to read the options; --${name} must be a whole number from \\d+ to \\d+$`,
    )
    const variable = `DUOLOG_${name.toUpperCase().replaceAll('-', '_')}`
    expect(() => readOptions([`--${name}`, '-1'], {})).toThrow(line)
    expect(() => readOptions([`--${name}=-1`], {})).toThrow(line)
    expect(() => readOptions([], { [variable]: '-1' })).toThrow(line)
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

  it('OPS-10 a value may begin with a hyphen', () => {
    expect(readOptions(['--admin-token', '-secret'], {})?.adminToken).toBe('-secret')
    expect(readOptions(['--admin-token=--secret'], {})?.adminToken).toBe('--secret')
  })
})
