import { Transform } from 'node:stream'
import type { MessageFates } from './breakable-carrier.ts'
import { targetOf } from './breakable-carrier.ts'

const LINE_END = Buffer.from('\r\n')

/**
 * What a NATS server sends to one node (https://docs.nats.io/reference/reference-protocols/nats-protocol),
 * each message as a test decides. All else passes.
 */
export function natsFilter(node: string, fates: MessageFates): Transform {
  let waiting: Buffer = Buffer.alloc(0)
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      waiting = Buffer.concat([waiting, chunk])
      for (let end = endOfFirst(waiting); end > 0; end = endOfFirst(waiting)) {
        const bytes = waiting.subarray(0, end)
        waiting = waiting.subarray(end)
        const [operation, subject = ''] = bytes.subarray(0, bytes.indexOf(LINE_END)).toString().split(' ')
        const target = operation === 'MSG' || operation === 'HMSG' ? targetOf(subject) : null
        const hand = (): void => void (this.destroyed || this.push(bytes))
        if (target) fates.pass({ to: node, target }, hand)
        else hand()
      }
      done()
    },
  })
}

/** Length of the first operation with its payload; 0 where it is not whole. */
function endOfFirst(bytes: Buffer): number {
  const line = bytes.indexOf(LINE_END)
  if (line < 0) return 0
  const head = bytes.subarray(0, line).toString()
  if (!/^H?MSG /.test(head)) return line + LINE_END.length
  const end = line + LINE_END.length + Number(head.slice(head.lastIndexOf(' ') + 1)) + LINE_END.length
  return end <= bytes.length ? end : 0
}
