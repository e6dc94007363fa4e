import type { Event } from './events.js'
import type { MessageStatus } from './types.js'

export type * from './events.js'

/** WebhookError says why a request is not to be believed. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly code:
    | 'header_missing'
    | 'timestamp_malformed'
    | 'timestamp_skew'
    | 'signature_mismatch'
    | 'body_not_raw'
    | 'body_malformed'
    | 'secret_malformed'

  constructor(code: WebhookError['code'], problem: string) {
    super(problem)
    this.code = code
  }
}

/** WebhookHeaders are a request's: a `Headers`, or an object whose names are in small letters, as Node's. */
export type WebhookHeaders = { get(name: string): string | null } | Record<string, string | string[] | undefined>

/** VerifyOptions change what is believed. */
export interface VerifyOptions {
  /** How far the timestamp may be from now, either way. Default: five minutes. */
  toleranceMs?: number
  /** The time, in Unix milliseconds; for tests. */
  now?: () => number
}

const TOLERANCE_MS = 5 * 60_000

/**
 * verify returns the event of a request that the endpoint's secret signs, over the raw bytes of the body; or rejects with
 * a {@link WebhookError}. While a secret is replaced, give both. A delivery is repeated when its answer gets lost: drop
 * an `eventId` that you have had.
 */
export async function verify(
  secret: string | readonly string[],
  headers: WebhookHeaders,
  body: string | Uint8Array | ArrayBuffer,
  o: VerifyOptions = {},
): Promise<Event> {
  const keys = await Promise.all((typeof secret === 'string' ? [secret] : secret).filter((s) => s !== '').map(keyOf))
  if (keys.length === 0) throw new WebhookError('secret_malformed', 'there is no secret')
  const id = headerOf(headers, 'webhook-id')
  const stamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature').split(/,?\s+/) // several headers are joined by a comma
  if (!/^\d{1,12}$/.test(stamp)) throw new WebhookError('timestamp_malformed', 'webhook-timestamp is no number of seconds')
  if (!(Math.abs((o.now ?? Date.now)() - Number(stamp) * 1000) <= (o.toleranceMs ?? TOLERANCE_MS))) {
    throw new WebhookError('timestamp_skew', 'the request is too old or too new: is the clock right?')
  }
  const raw = rawOf(body)
  const signed = signedOf(id, stamp, raw)
  for (const key of keys) {
    for (const signature of signatures) {
      const value = signature.startsWith('v1,') ? bytesOf(signature.slice(3)) : undefined
      if (value && (await crypto.subtle.verify('HMAC', key, value, signed))) return parse(raw)
    }
  }
  throw new WebhookError('signature_mismatch', "the secret does not sign this request: check that it is the endpoint's, and that the body is unchanged")
}

/**
 * sign returns the headers that sign a body, as a Griot does: for tests of an endpoint, and for passing on what
 * `Client.listen` brings.
 */
export async function sign(secret: string, eventId: string, body: string | Uint8Array | ArrayBuffer, o: Pick<VerifyOptions, 'now'> = {}): Promise<Record<string, string>> {
  const stamp = String(Math.floor((o.now ?? Date.now)() / 1000))
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', await keyOf(secret), signedOf(eventId, stamp, rawOf(body))))
  return { 'webhook-id': eventId, 'webhook-timestamp': stamp, 'webhook-signature': `v1,${btoa(String.fromCharCode(...signature))}` }
}

/** parse reads the body of an event that is believed already, such as one of `Client.listen`. */
export function parse(body: string | Uint8Array): Event {
  try {
    const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body)
    const event = JSON.parse(text) as Event
    if (typeof event.event === 'string' && event.event && typeof event.eventId === 'string' && event.eventId) return spelled(event)
  } catch {
    // Not JSON, or null.
  }
  throw new WebhookError('body_malformed', 'the body is no event')
}

/** spelled writes an event's statuses as the API's responses have them. */
function spelled(event: Event): Event {
  if (event.event === 'message.status') {
    for (const field of ['status', 'previousStatus'] as const) {
      if (typeof event[field] === 'string') event[field] = event[field].toUpperCase() as MessageStatus
    }
  }
  return event
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, string | string[] | undefined>)[name]
  const text = Array.isArray(value) ? value.join(' ') : value
  if (!text) throw new WebhookError('header_missing', `${name} is missing`)
  return text
}

/** keyOf reads a secret, as it was shown. */
async function keyOf(secret: string): Promise<CryptoKey> {
  const key = bytesOf(secret.replace(/^whsec_/, ''))
  if (!key?.length) throw new WebhookError('secret_malformed', 'the secret is not one such as whsec_…')
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
}

/** rawOf returns the bytes of a body. A body that a framework has parsed is refused, because its bytes are lost. */
function rawOf(body: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]') return new Uint8Array(body)
  throw new WebhookError('body_not_raw', "the body isn't text or bytes: give verify the raw body, before a JSON parser reads it (Express: express.raw({ type: 'application/json' }))")
}

/** signedOf is what a signature is of. */
function signedOf(id: string, stamp: string, raw: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${id}.${stamp}.`)
  const signed = new Uint8Array(head.length + raw.length)
  signed.set(head)
  signed.set(raw, head.length)
  return signed
}

/** bytesOf reads base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))
  } catch {
    return undefined
  }
}
