import type { components as auth } from './generated/auth.js'
import type { components as messaging } from './generated/messaging.js'

/** The code of an answer that is not a Griot's: a proxy's page, for example. */
export const UNEXPECTED_ANSWER = 'unexpected_answer'

/** ErrorCode is a stable code; `/docs/errors` of the service explains each. A newer service may have others. */
export type ErrorCode =
  | messaging['schemas']['ErrorCode']
  | auth['schemas']['ErrorCode']
  | typeof UNEXPECTED_ANSWER
  | (string & {})

/** GriotError is an answer that says no. Branch on `code`: it is stable. */
export class GriotError extends Error {
  override readonly name = 'GriotError'
  readonly code: ErrorCode
  /** The HTTP status. */
  readonly status: number
  /** The member that is to blame, if one is. */
  readonly field: string | undefined
  /** Names the exchange; quote it when you report a problem. */
  readonly requestId: string | undefined
  /** Explains the code. */
  readonly docsUrl: string | undefined
  /** How long to wait before another try; undefined: nothing was said. */
  readonly retryAfterMs: number | undefined
  /** The message that it is about, if it was stored. */
  readonly messageId: string | undefined
  /** The status of that message. */
  readonly messageStatus: messaging['schemas']['Status'] | undefined
  /** Why that message failed. */
  readonly reason: string | undefined
  /** With `quota_exceeded`: how much of the day's quota is used. */
  readonly messagesUsed: number | undefined
  /** With `quota_exceeded`: the day's quota. */
  readonly limit: number | undefined
  /** With `quota_exceeded`: where a larger plan can be had. */
  readonly upgradeUrl: string | undefined
  /** With `plan_required`: the smallest plan that has what was asked for. */
  readonly requiredPlan: string | undefined
  /** With `recipient_limit_reached`: how many messages one recipient may get in a day. */
  readonly recipientLimit: number | undefined
  readonly #body: string

  constructor(status: number, headers: Headers, body: string) {
    const b = membersOf(status < 300 ? '' : body)
    const code = b.text('code') ?? b.text('error_code')
    const message =
      code === undefined
        ? 'this is not the answer of a Griot: is the address right?'
        : (b.text('message') ?? b.text('error_description') ?? '')
    const field = b.text('field')
    const requestId = b.text('requestId') ?? b.text('request_id') ?? headers.get('x-request-id') ?? undefined
    super(
      `${code ?? UNEXPECTED_ANSWER} (HTTP ${status})` +
        (message && `: ${message}`) +
        (field === undefined ? '' : ` [${field}]`) +
        (requestId === undefined ? '' : ` (request ${requestId})`),
    )
    this.code = code ?? UNEXPECTED_ANSWER
    this.status = status
    this.field = field
    this.requestId = requestId
    this.docsUrl = b.text('docsUrl') ?? b.text('docs_url')
    this.retryAfterMs = retryAfterMs(headers)
    this.messageId = b.text('messageId')
    this.messageStatus = b.text('status') as GriotError['messageStatus']
    this.reason = b.text('reason')
    this.messagesUsed = b.number('messagesUsed')
    this.limit = b.number('limit')
    this.upgradeUrl = b.text('upgradeUrl')
    this.requiredPlan = b.text('requiredPlan')
    this.recipientLimit = b.number('recipientLimit')
    this.#body = body
  }

  /** The answer's body as it came. It may hold the recipient's number, so printing the error does not show it. */
  get body(): string {
    return this.#body
  }
}

/** UnansweredError is a call that got no answer: it is not known whether it had an effect. `cause` broke the last try. */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError'
  /** Of a send: under it, the same message can be sent again and goes out once. */
  readonly idempotencyKey: string | undefined
  /** How often the call was made. */
  readonly tries: number

  constructor(tries: number, cause: unknown, idempotencyKey?: string) {
    super(`no answer after ${tries} ${tries === 1 ? 'try' : 'tries'}: ${describe(cause)}`, { cause })
    this.tries = tries
    this.idempotencyKey = idempotencyKey
  }
}

/** ArgumentError is a call that was not made, because of one of its arguments. */
export class ArgumentError extends TypeError {
  override readonly name = 'ArgumentError'
  /** Which one, by its name on the wire. */
  readonly field: string

  constructor(field: string, problem: string) {
    super(problem)
    this.field = field
  }
}

/** isCode says whether an error is a {@link GriotError} with a code. */
export function isCode(error: unknown, code: ErrorCode): error is GriotError {
  return error instanceof GriotError && error.code === code
}

/** describe says what broke a try: fetch hides that behind "fetch failed". */
function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return 'aborted'
  const inner = cause.cause
  if (!(inner instanceof Error)) return cause.message
  const code = 'code' in inner && typeof inner.code === 'string' ? inner.code : ''
  return inner.message || code || cause.message
}

/** retryAfterMs reads whole seconds, as a Griot sends them. */
function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('retry-after') ?? ''
  return /^\d{1,9}$/.test(value) ? Number(value) * 1000 : undefined
}

/** membersOf reads the members of a JSON object, if it is one. */
function membersOf(body: string) {
  let members: Record<string, unknown> = {}
  try {
    const parsed: unknown = JSON.parse(body)
    if (typeof parsed === 'object' && parsed !== null) members = parsed as Record<string, unknown>
  } catch {
    // A proxy's page.
  }
  return {
    text(name: string): string | undefined {
      const value = members[name]
      return typeof value === 'string' && value !== '' ? value : undefined
    },
    number(name: string): number | undefined {
      const value = members[name]
      return typeof value === 'number' ? value : undefined
    },
  }
}
