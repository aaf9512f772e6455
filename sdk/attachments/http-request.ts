/** HTTP requests that tell how much of their body has gone out. */

/** After so much of a body Node tells that it has gone out. */
const PIECE_BYTES = 65_536

/** One HTTP request. */
export interface HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Blob
  /** Ends the request. */
  readonly signal?: AbortSignal
  /** Called with the bytes of the body that have gone out. */
  readonly onSent?: (bytes: number) => void
}

/** The answer to an HTTP request. */
export interface HttpAnswer {
  readonly status: number
  /** Value of a header; null: there is none. */
  readonly header: (name: string) => string | null
  readonly text: string
}

/** Makes a request. Rejects where there is no answer, or the body cannot be read. */
export const httpRequest = (request: HttpRequest): Promise<HttpAnswer> =>
  typeof XMLHttpRequest === 'undefined' ? byFetch(request) : byXhr(request)

/** In browsers, where `fetch` tells nothing of a body that goes out. */
function byXhr({ method, url, headers, body, signal, onSent }: HttpRequest): Promise<HttpAnswer> {
  const xhr = new XMLHttpRequest()
  const abort = (): void => xhr.abort()
  return new Promise<HttpAnswer>((resolve, reject) => {
    const fail = (): void => reject(new TypeError('there is no answer'))
    xhr.open(method, url)
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value)
    if (onSent) xhr.upload.addEventListener('progress', ({ loaded }) => onSent(loaded))
    xhr.addEventListener('error', fail)
    xhr.addEventListener('abort', fail)
    xhr.addEventListener('load', () =>
      resolve({
        status: xhr.status,
        header: (name) => xhr.getResponseHeader(name),
        text: xhr.responseText,
      }),
    )
    signal?.addEventListener('abort', abort)
    if (signal?.aborted) fail()
    else xhr.send(body)
  }).finally(() => signal?.removeEventListener('abort', abort))
}

/** In Node. */
async function byFetch({ method, url, headers, body, signal, onSent }: HttpRequest): Promise<HttpAnswer> {
  const answer = await fetch(url, {
    method,
    headers,
    ...(signal && { signal }),
    ...(body && { body: counted(body, onSent), duplex: 'half' }),
  })
  return { status: answer.status, header: (name) => answer.headers.get(name), text: await answer.text() }
}

/** The bytes of a body, told of as they are taken. */
function counted(body: Blob, onSent: HttpRequest['onSent']): ReadableStream {
  let taken = 0
  return new ReadableStream(
    {
      async pull(out) {
        if (taken === body.size) return out.close()
        const part = new Uint8Array(await body.slice(taken, taken + PIECE_BYTES).arrayBuffer())
        out.enqueue(part)
        onSent?.((taken += part.length))
      },
    },
    { highWaterMark: 0 },
  )
}
