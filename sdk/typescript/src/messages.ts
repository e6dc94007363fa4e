import { at, type CallOptions, newKey, query } from './call.js'
import { pages, Service } from './service.js'
import type {
  Analytics, Batch, BatchResult, Cancellation, Challenge, CodeRequest, CodeStats, GroupPage, Guess, Health, KeyInfo, LogFilter, LogItem,
  LogPage, Message, MessageStatus, PresetPage, Preview, Result, Stats, StatsFilter, Status,
} from './types.js'

/** Messages sends messages and codes, and follows them. */
export abstract class Messages extends Service {
  /**
   * Sends one message, once: what the service cannot confirm is asked again under the message's idempotency key. The
   * message is stored before this resolves. A message that no gateway would take is a GriotError with the code
   * `provider_error` and the `messageId`; `message_failed` says the same of an earlier try.
   */
  async send(message: Message, o: CallOptions = {}): Promise<Result> {
    return this.accept('/api/send', message, o)
  }

  /** Checks a message as {@link send} would, and returns what would happen to it. Nothing is stored, sent, or counted. */
  async preview(message: Message, o: CallOptions = {}): Promise<Preview> {
    const idempotencyKey = message.idempotencyKey || newKey() // for a service that takes it for a real one
    const result = await this.post<Preview>('/api/send', { ...message, dryRun: true, idempotencyKey }, o, { idempotencyKey })
    if (!result.dryRun) throw new Error('the service knows no dry runs: it has taken the message')
    return result
  }

  /**
   * Sends up to 100 messages, each once, as {@link send} does. An error says that the batch as a whole was refused or
   * got no answer; what became of each message is in the result.
   */
  async sendBatch(batch: Batch, o: CallOptions = {}): Promise<BatchResult> {
    const made = withKeys(batch)
    const key = made.idempotencyKey ? { idempotencyKey: made.idempotencyKey } : {}
    const result = await this.post<BatchResult>('/api/send/batch', made, o, key)
    return { ...result, ...key }
  }

  /** The state of a message, by its messageId or its notifMessageId. */
  async status(messageId: string, o: CallOptions = {}): Promise<Status> {
    return this.get(at('/api/status/', 'messageId', messageId), o)
  }

  /** Calls back a message that is SCHEDULED or QUEUED. To cancel twice is the same as once. */
  async cancel(messageId: string, o: CallOptions = {}): Promise<Cancellation> {
    return this.post(at('/api/messages/', 'messageId', messageId, '/cancel'), undefined, o)
  }

  /** Lists the latest messages, the newest first. With a filter, a page may be short or empty and not the last: that is the one whose `nextCursor` is null. */
  async logs(filter: LogFilter = {}, o: CallOptions = {}): Promise<LogPage> {
    return this.get('/api/svc-logs' + query(filter), o)
  }

  /** All messages that {@link logs} would list, page by page. */
  async *allLogs(filter: LogFilter = {}, o: CallOptions = {}): AsyncGenerator<LogItem, void, undefined> {
    yield* pages(filter, (f) => this.logs(f, o), (page) => page.logs)
  }

  /** Sends a one-time code, once. `otp_rate_limited` is the error's code when a number has asked three times in ten minutes. */
  async sendCode(request: CodeRequest, o: CallOptions = {}): Promise<Challenge> {
    const idempotencyKey = request.idempotencyKey || newKey()
    const result = await this.post<Challenge>('/api/otp/send', { ...request, idempotencyKey }, o, { idempotencyKey })
    if (!request.idempotencyKey) delete result.deduplicated
    return result
  }

  /**
   * Resolves once, for the right code. A wrong one is a GriotError with the code `invalid_code`, `expired`,
   * `too_many_attempts`, or `not_found`. A guess counts, so one whose answer was lost is not repeated: it ends as an
   * UnansweredError, and the person asks for another code.
   */
  async verifyCode(guess: Guess, o: CallOptions = {}): Promise<void> {
    await this.post('/api/otp/verify', guess, o, { once: true })
  }

  /** Counts what happened to the newest messages of the account: 50 to 500, or 200. A project's key has no access. */
  async analytics(sample?: number, o: CallOptions = {}): Promise<Analytics> {
    return this.get('/api/svc-analytics' + query({ sample }), o)
  }

  /** Counts the account's messages in a time, in steps and whole hours. Percentiles are accurate to 20 %. A project's key has no access. */
  async stats(filter: StatsFilter = {}, o: CallOptions = {}): Promise<Stats> {
    return this.get('/api/stats' + query(filter), o)
  }

  /** Counts the one-time codes of the last 24 hours by country: where they went, and how many came back. */
  async codeStats(o: CallOptions = {}): Promise<CodeStats> {
    return this.get('/api/otp/stats', o)
  }

  /** Lists the presets, with their variables and texts. */
  async presets(o: CallOptions = {}): Promise<PresetPage> {
    return this.get('/api/presets', o)
  }

  /** Lists the WhatsApp groups that the account's senders belong to. A project's key has no access. */
  async groups(o: CallOptions = {}): Promise<GroupPage> {
    return this.get('/api/partner/whatsapp/groups', o)
  }

  /** Whose the client's key is, and what it opens. It works with any key. */
  async describeKey(o: CallOptions = {}): Promise<KeyInfo> {
    return this.get('/api/key', o)
  }

  /** Asks whether the service works: whether it is there, and reaches its storage. */
  async health(o: CallOptions = {}): Promise<Health> {
    return this.get('/healthz', o)
  }
}

/** withKeys gives the batch a key, or each message one where some have their own: the two don't go together. */
function withKeys(batch: Batch): Batch {
  if (batch.idempotencyKey) return batch
  const { idempotencyKey: _, ...made } = batch
  if (!batch.messages.some((m) => m.idempotencyKey)) return { ...made, idempotencyKey: newKey() }
  return { ...made, messages: batch.messages.map((m) => ({ ...m, idempotencyKey: m.idempotencyKey || newKey() })) }
}

/** isOpen says whether a message is still on its way to a gateway. */
export function isOpen(status: MessageStatus): boolean {
  return status === 'SCHEDULED' || status === 'QUEUED' || status === 'SENDING'
}

/** hasFailed says whether a message has ended without getting there, as far as is known. */
export function hasFailed(status: MessageStatus): boolean {
  return status === 'FAILED' || status === 'EXPIRED'
}
