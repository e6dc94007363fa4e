import type { Event } from './events.js'

export type * from './events.js'

/** WebhookError says why a request is not to be believed. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly code: 'invalid_secret' | 'missing_header' | 'timestamp_skew' | 'invalid_signature' | 'invalid_event'

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
  const keys = (typeof secret === 'string' ? [secret] : secret).map(keyOf)
  if (keys.length === 0) throw new WebhookError('invalid_secret', 'there is no secret')
  const id = headerOf(headers, 'webhook-id')
  const stamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature').split(' ')
  const at = /^\d{1,12}$/.test(stamp) ? Number(stamp) * 1000 : NaN
  if (!(Math.abs((o.now ?? Date.now)() - at) <= (o.toleranceMs ?? TOLERANCE_MS))) {
    throw new WebhookError('timestamp_skew', 'the request is too old or too new: is the clock right?')
  }
  const raw = typeof body === 'string' ? new TextEncoder().encode(body) : body instanceof Uint8Array ? body : new Uint8Array(body)
  const head = new TextEncoder().encode(`${id}.${stamp}.`)
  const signed = new Uint8Array(head.length + raw.length)
  signed.set(head)
  signed.set(raw, head.length)
  for (const key of keys) {
    const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
    for (const signature of signatures) {
      const value = signature.startsWith('v1,') ? bytesOf(signature.slice(3)) : undefined
      if (value && (await crypto.subtle.verify('HMAC', imported, value, signed))) return parse(raw)
    }
  }
  throw new WebhookError('invalid_signature', 'the secret does not sign this request')
}

/** parse reads the body of an event that is believed already, such as one of `Client.listen`. */
export function parse(body: string | Uint8Array): Event {
  try {
    const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body)
    const event = JSON.parse(text) as Event
    if (typeof event.event === 'string' && typeof event.eventId === 'string') return event
  } catch {
    // Not JSON, or null.
  }
  throw new WebhookError('invalid_event', 'the body is no event')
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, string | string[] | undefined>)[name]
  const text = Array.isArray(value) ? value.join(' ') : value
  if (!text) throw new WebhookError('missing_header', `${name} is missing`)
  return text
}

/** keyOf reads a secret, as it was shown. */
function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const key = secret.startsWith('whsec_') ? bytesOf(secret.slice('whsec_'.length)) : undefined
  if (!key?.length) throw new WebhookError('invalid_secret', 'the secret is not one: it begins with whsec_')
  return key
}

/** bytesOf reads base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))
  } catch {
    return undefined
  }
}
