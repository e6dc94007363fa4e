import type { CallOptions, Caller } from './call.js'
import { GriotError } from './errors.js'

const SILENCE_MS = 60_000 // the stream sends something more often
const MAX_LINE = 4 << 20

/** ListenOptions change how {@link Client.listen} works; none begins with what happens now. */
export interface ListenOptions extends CallOptions {
  /** The id of the last event that was received: it goes on behind it. */
  after?: string
  /** Is called with the secret that signs the events, and with each new one. */
  onSecret?: (secret: string) => void
  /** Is called when the connection is lost, before it is made again. */
  onLost?: (error: unknown) => void
}

/** StreamEvent is an event as it would go to the account's endpoint. */
export interface StreamEvent {
  eventId: string
  type: string
  /** The package's `webhook` entry reads it. */
  body: string
  /** What signs it, for whom it is passed on to. */
  secret: string
}

/** follow yields an account's events as they happen. A connection that is lost is made again, and goes on behind the last event. */
export async function* follow(caller: Caller, o: ListenOptions): AsyncGenerator<StreamEvent, void, undefined> {
  let after = o.after ?? ''
  let secret = ''
  let lost = 0 // streams since something was received
  for (;;) {
    try {
      for await (const { name, data } of messages(caller, after, o.signal)) {
        lost = 0
        if (name === 'hello') {
          if (data.secret !== undefined && data.secret !== secret) o.onSecret?.(data.secret)
          secret = data.secret ?? ''
        } else if (name === 'event' && data.eventId !== undefined) {
          after = data.eventId
          yield { eventId: data.eventId, type: data.type ?? '', body: data.body ?? '', secret }
        }
      }
    } catch (error) {
      o.signal?.throwIfAborted()
      if (error instanceof GriotError && error.status < 500 && error.status !== 429) throw error
      lost++
      o.onLost?.(error)
      await caller.sleep(caller.backoff(lost), o.signal)
    }
  }
}

interface Data {
  secret?: string
  eventId?: string
  type?: string
  body?: string
}

/** messages yields the server-sent events of one stream. Each has its data in one line. */
async function* messages(caller: Caller, after: string, signal: AbortSignal | undefined): AsyncGenerator<{ name: string; data: Data }, never, undefined> {
  const headers: Record<string, string> = { accept: 'text/event-stream' }
  if (after) headers['last-event-id'] = after
  const response = await caller.open({ method: 'GET', path: '/api/webhooks/stream', headers, signal })
  if (!response.body) throw new Error('the stream has no body')
  const reader = response.body.getReader()
  try {
    const decoder = new TextDecoder()
    let rest = ''
    let name = ''
    for (;;) {
      const { done, value } = await within(SILENCE_MS, reader.read())
      if (done) throw new Error('the stream has ended')
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > MAX_LINE) throw new Error('a line of the stream is too long')
      for (const line of lines) {
        const { field, text } = fieldOf(line)
        if (field === 'event') name = text
        else if (field === 'data') yield { name, data: JSON.parse(text) as Data }
      }
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}

/** fieldOf splits a line of server-sent events. */
function fieldOf(line: string): { field: string; text: string } {
  const trimmed = line.endsWith('\r') ? line.slice(0, -1) : line
  const colon = trimmed.indexOf(':')
  if (colon < 0) return { field: trimmed, text: '' }
  return { field: trimmed.slice(0, colon), text: trimmed.slice(colon + 1).replace(/^ /, '') }
}

/** within rejects when the promise takes longer. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the stream is silent')), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
