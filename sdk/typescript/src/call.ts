import { ArgumentError, type ErrorCode, GriotError, UNEXPECTED_ANSWER, UnansweredError, isCode } from './errors.js'

/** Options change how a client works; none is good for most. */
export interface Options {
  /** How long one try may take. Default: 30 seconds. */
  timeoutMs?: number
  /** How often a call is made at most. Default: 4; 1 never tries again. */
  tries?: number
  /**
   * The longest pause between two tries. A service that asks for a longer one (a day's quota is used up) is not waited
   * for: its error is thrown. Default: 30 seconds.
   */
  maxWaitMs?: number
  /** Names the application; browsers send their own name. Default: griot-typescript. */
  userAgent?: string
  /** Makes the requests. Default: the global fetch. */
  fetch?: typeof fetch
  /** Waits between two tries; for tests. It rejects when the signal aborts. */
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>
}

/** CallOptions are of one call. */
export interface CallOptions {
  /** Ends the call, its pauses included: `AbortSignal.timeout(5000)`, for example. */
  signal?: AbortSignal | undefined
}

/** Call is one of a service's operations, which may be made more than once. */
export interface Call extends CallOptions {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** With its query. */
  path: string
  headers?: Record<string, string>
  body?: string | undefined
  /** For errors. */
  idempotencyKey?: string
  /** Not idempotent: it is not repeated when its outcome is unknown. */
  once?: boolean
  /** A code that says that an earlier try did what was asked. */
  gone?: ErrorCode
}

const MAX_ANSWER = 16 << 20
const FIRST_PAUSE = 250

/** Caller makes the calls of one service, and repeats those that may be repeated. */
export class Caller {
  readonly #base: string
  readonly #timeoutMs: number
  readonly #tries: number
  readonly #maxWaitMs: number
  readonly #headers: Record<string, string> // holds the key, so it is private: printing a client shows nothing of it
  readonly #fetch: typeof fetch
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>

  /** The base is the service's address, such as https://api.example.com. */
  constructor(base: string, headers: Record<string, string>, o: Options = {}, field = 'baseUrl') {
    let url: URL | undefined
    try {
      url = new URL(base)
    } catch {
      // Refused below.
    }
    if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
      throw new ArgumentError(field, 'the address of the service must be one such as https://api.example.com')
    }
    this.#base = url.href.replace(/\/+$/, '')
    this.#timeoutMs = positive(o.timeoutMs, 30_000)
    this.#tries = positive(o.tries, 4)
    this.#maxWaitMs = positive(o.maxWaitMs, 30_000)
    this.#headers = { accept: 'application/json', ...headers }
    if (!inPage()) this.#headers['user-agent'] = o.userAgent || 'griot-typescript'
    this.#fetch = o.fetch ?? ((input, init) => fetch(input, init)) // not bound: tests replace the global one
    this.sleep = o.sleep ?? sleep
  }

  /** json makes the call until it is answered, and returns the object that the answer is, with its request's id. */
  json(what: Call): Promise<Record<string, unknown>> {
    return this.#read(what, (body) => parse(body))
  }

  #read(what: Call, members: (body: string) => Record<string, unknown> | undefined): Promise<Record<string, unknown>> {
    return this.#repeat(what, async (controller, made) => {
      const stop = () => controller.abort(what.signal?.reason)
      what.signal?.addEventListener('abort', stop, { once: true })
      try {
        const response = await this.#request(what, controller.signal)
        const answer = members(await text(response))
        if (!answer) throw new GriotError(response.status, response.headers, '')
        return { ...answer, requestId: response.headers.get('x-request-id') ?? '' }
      } catch (error) {
        if (what.gone !== undefined && made > 1 && isCode(error, what.gone)) return { requestId: error.requestId ?? '' }
        throw error
      } finally {
        what.signal?.removeEventListener('abort', stop)
      }
    })
  }

  /** empty makes the call until it is answered with yes. */
  async empty(what: Call): Promise<void> {
    await this.#read(what, () => ({}))
  }

  /** open makes the call until its answer begins, for answers that are long or do not end. The call's signal ends them too. */
  open(what: Call): Promise<Response> {
    return this.#repeat(what, (controller) => {
      const signal = what.signal ? AbortSignal.any([what.signal, controller.signal]) : controller.signal
      return this.#request(what, signal)
    })
  }

  /** repeat makes attempts until one succeeds or another is useless. */
  async #repeat<T>(what: Call, attempt: (controller: AbortController, made: number) => Promise<T>): Promise<T> {
    for (let made = 1; ; made++) {
      let failure: unknown
      const controller = new AbortController()
      const timer = setTimeout(() => controller.abort(new Error(`no answer within ${this.#timeoutMs} ms`)), this.#timeoutMs)
      try {
        what.signal?.throwIfAborted()
        return await attempt(controller, made)
      } catch (error) {
        failure = error
      } finally {
        clearTimeout(timer)
      }
      const pause = what.signal?.aborted ? undefined : this.#pauseBefore(what, failure, made)
      if (pause !== undefined) {
        try {
          await this.sleep(pause, what.signal)
          continue
        } catch (error) {
          if (!(failure instanceof GriotError)) failure = error
        }
      }
      if (failure instanceof GriotError) throw failure
      throw new UnansweredError(made, failure, what.idempotencyKey)
    }
  }

  /** The pause before the call is repeated; undefined: it is not. Calls whose effect may be unknown have an idempotency key, so that the effect happens once. */
  #pauseBefore(what: Call, failure: unknown, made: number): number | undefined {
    if (made >= this.#tries) return undefined
    const pause = this.backoff(made)
    if (!(failure instanceof GriotError)) return what.once ? undefined : pause
    const asked = failure.retryAfterMs ?? 0
    if ((failure.status === 429 && asked > 0) || failure.status === 503) {
      return asked <= this.#maxWaitMs ? Math.max(pause, asked) : undefined
    }
    const unreachable = failure.code === UNEXPECTED_ANSWER && (failure.status === 502 || failure.status === 504)
    return unreachable && !what.once ? pause : undefined // a proxy could not reach the service
  }

  /** backoff doubles with each attempt. Half of it is random, so that clients that failed together do not come back together. */
  backoff(made: number): number {
    const pause = Math.min(FIRST_PAUSE * 2 ** Math.min(made - 1, 16), this.#maxWaitMs)
    return Math.round(pause / 2 + Math.random() * (pause / 2))
  }

  /** request makes the call once. An answer that says no is thrown. */
  async #request(what: Call, signal: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = { ...this.#headers, ...what.headers }
    if (what.body !== undefined) headers['content-type'] ??= 'application/json'
    const response = await this.#fetch(this.#base + what.path, {
      method: what.method,
      headers,
      ...(what.body === undefined ? {} : { body: what.body }),
      redirect: 'manual', // so that the key goes to no other address
      signal,
    })
    if (!response.ok) throw new GriotError(response.status, response.headers, await text(response))
    return response
  }
}

/** at returns a path with an id in it, which must be there and no step up: the path would be another operation's. */
export function at(before: string, name: string, id: string, after = ''): string {
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) throw new ArgumentError(name, `${name} is empty, or no id`)
  return before + encodeURIComponent(id) + after
}

/** query writes the parameters that are there; an object's members become name[member]. */
export function query(parameters: object = {}): string {
  const q = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || value === null || value === '') continue
    if (value instanceof Date) q.set(name, value.toISOString())
    else if (typeof value === 'object') for (const [member, inner] of Object.entries(value)) q.set(`${name}[${member}]`, String(inner))
    else q.set(name, String(value))
  }
  const written = q.toString()
  return written && `?${written}`
}

/** newKey returns a random idempotency key. */
export function newKey(): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  return 'griot-ts-' + Array.from(crypto.getRandomValues(new Uint8Array(26)), (b) => alphabet[b & 31]).join('')
}

/** text reads an answer to its end. What is longer than any answer of the service breaks the try. */
async function text(response: Response): Promise<string> {
  if (!response.body) return ''
  const decoder = new TextDecoder()
  let read = 0
  let out = ''
  const reader = response.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return out + decoder.decode()
    read += value.byteLength
    if (read > MAX_ANSWER) {
      await reader.cancel()
      throw new Error('the answer is too long')
    }
    out += decoder.decode(value, { stream: true })
  }
}

/** parse reads a JSON object. */
function parse(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** inPage says whether this runs in a browser. A page that names itself there needs a preflight, which is refused. */
function inPage(): boolean {
  return !(globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node
}

/** positive returns a setting or its default; a timer takes no more than 31 bits. */
function positive(value: number | undefined, otherwise: number): number {
  return value !== undefined && value > 0 ? Math.min(value, 0x7fffffff) : otherwise
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
