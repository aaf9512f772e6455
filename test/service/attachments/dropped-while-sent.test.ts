import { constants, readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { request } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { joinBoth } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { announceNew } from '../../support/tus.ts'

const MIB = 1_048_576
let test: TestService
beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

/** Whether a descriptor of this process was opened for writing (proc_pid_fdinfo(5): `flags` is octal). */
function isForWriting(fd: string): boolean {
  const [, flags = '0'] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? []
  return (parseInt(flags, 8) & (constants.O_WRONLY | constants.O_RDWR)) !== 0
}

/**
 * Files that this process has open for writing in the folder of files, also those without a name. The service opens
 * a file for reading for a moment, to see its size.
 */
const openFiles = (): string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const name = readlinkSync(`/proc/self/fd/${fd}`)
      return name.startsWith(test.options.files.folder) && isForWriting(fd) ? [name] : []
    } catch {
      return []
    }
  })

it.each(['the contact ends', 'it is given up'])(
  'SND-306 an upload that runs is over when %s: nothing is written any more',
  async (how) => {
    const { visitor, agent, id } = await joinBoth(test)
    const { path, token } = await announceNew(visitor, { size: 8 * MIB })
    const headers = { 'tus-resumable': '1.0.0', authorization: `Bearer ${token}` }
    const sending = request(`${test.url}${path}`, {
      method: 'PATCH',
      headers: {
        ...headers,
        'content-type': 'application/offset+octet-stream',
        'upload-offset': '0',
        'content-length': String(8 * MIB),
      },
    })
    const over = new Promise((settle) => {
      sending.on('response', ({ statusCode }) => settle(statusCode))
      sending.on('error', () => settle('cut'))
    })
    sending.write(Buffer.alloc(MIB))
    while (openFiles().length === 0) await new Promise((settle) => setImmediate(settle))
    if (how === 'it is given up')
      void fetch(`${test.url}${path}`, { method: 'DELETE', headers }).catch(() => {})
    else {
      await visitor.session.leave()
      await agent.session.leave()
      await agent.client.entry(id, 'cleared')
    }
    await over
    while (openFiles().length > 0) await new Promise((settle) => setImmediate(settle))
    expect(openFiles()).toEqual([])
    sending.destroy()
  },
)
