import { at, type CallOptions, query } from './call.js'
import { Inbox } from './inbox.js'
import { pages } from './service.js'
import type {
  Channel, OptOut, OptOutFilter, OptOutPage, OptOutResult, PingResult, ResendResult, ResentEvents, SenderDetail, SenderPage, StreamSecret,
  WebhookChange, WebhookEvent, WebhookEventDetail, WebhookEventFilter, WebhookEventPage, WebhookResult, WebhookSecret,
} from './types.js'

const EVENTS = '/api/webhooks/events'

/** Account is the account's senders, opt-outs, and webhooks. They take a live key. */
export abstract class Account extends Inbox {
  /** Lists the account's senders in the order in which they are tried, then the platform's. */
  async senders(o: CallOptions = {}): Promise<SenderPage> {
    return this.get('/api/senders', o)
  }

  /** One sender, with what waits for it and the latest message that failed by it. */
  async sender(senderId: string, o: CallOptions = {}): Promise<SenderDetail> {
    return this.get(at('/api/senders/', 'id', senderId), o)
  }

  /** Has a sender send nothing until it is resumed. What was accepted for it waits. */
  async pauseSender(senderId: string, o: CallOptions = {}): Promise<SenderDetail> {
    return this.post(at('/api/senders/', 'id', senderId, '/pause'), undefined, o)
  }

  /** Has a paused sender send again, what has waited for it first. */
  async resumeSender(senderId: string, o: CallOptions = {}): Promise<SenderDetail> {
    return this.post(at('/api/senders/', 'id', senderId, '/resume'), undefined, o)
  }

  /** Lists who wants no more messages. With `address` or `q`, a page may be short or empty and not the last. */
  async optOuts(filter: OptOutFilter = {}, o: CallOptions = {}): Promise<OptOutPage> {
    return this.get('/api/opt-outs' + query(filter), o)
  }

  /** All opt-outs that {@link optOuts} would list, page by page. */
  async *allOptOuts(filter: OptOutFilter = {}, o: CallOptions = {}): AsyncGenerator<OptOut, void, undefined> {
    yield* pages(filter, (f) => this.optOuts(f, o), (page) => page.optOuts)
  }

  /** Has a recipient get no more messages on a channel. One that has opted out already stays as it is. */
  async addOptOut(channel: Channel, address: string, o: CallOptions = {}): Promise<OptOutResult> {
    return this.post('/api/opt-outs', { channel, address }, o)
  }

  /** Lets a recipient get messages again. Do so only when the person has asked for it. */
  async removeOptOut(optOutId: string, o: CallOptions = {}): Promise<void> {
    await this.caller.json({ method: 'DELETE', path: at('/api/opt-outs/', 'id', optOutId), gone: 'opt_out_not_found', ...o })
  }

  /** How the account's endpoint does; `webhook` is null when there is none. */
  async webhook(o: CallOptions = {}): Promise<WebhookResult> {
    return this.get('/api/webhooks', o)
  }

  /**
   * Sets the URL of the account's endpoint, or removes the endpoint with null. The operator must have enabled this.
   * A new secret is only in this answer, so it is not asked again when its answer is lost: use {@link rotateWebhookSecret}.
   */
  async setWebhook(url: string | null, o: CallOptions = {}): Promise<WebhookChange> {
    return this.put('/api/webhooks', { url }, o, { once: true })
  }

  /** Replaces the secret that signs the account's events. The previous one also signs for 24 hours. */
  async rotateWebhookSecret(o: CallOptions = {}): Promise<WebhookSecret> {
    return this.post('/api/webhooks/rotate-secret', undefined, o)
  }

  /** Switches the endpoint on again, if an operator has not switched it off. */
  async enableWebhook(o: CallOptions = {}): Promise<WebhookResult> {
    return this.post('/api/webhooks/enable', undefined, o)
  }

  /** Lists the account's events, the newest first. With `delivery`, a page may be short or empty and not the last. */
  async webhookEvents(filter: WebhookEventFilter = {}, o: CallOptions = {}): Promise<WebhookEventPage> {
    return this.get(EVENTS + query(filter), o)
  }

  /** All events that {@link webhookEvents} would list, page by page. */
  async *allWebhookEvents(filter: WebhookEventFilter = {}, o: CallOptions = {}): AsyncGenerator<WebhookEvent, void, undefined> {
    yield* pages(filter, (f) => this.webhookEvents(f, o), (page) => page.events)
  }

  /** One event, with what is sent and each try. */
  async webhookEvent(eventId: string, o: CallOptions = {}): Promise<WebhookEventDetail> {
    return this.get(at(EVENTS + '/', 'eventId', eventId), o)
  }

  /** Delivers an event again, under the same id. It is not asked again when its answer is lost. */
  async resendWebhookEvent(eventId: string, o: CallOptions = {}): Promise<ResendResult> {
    return this.post(at(EVENTS + '/', 'eventId', eventId, '/resend'), undefined, o, { once: true })
  }

  /** Delivers again what was given up, of the events since a time. */
  async resendFailedWebhookEvents(since: string | Date, o: CallOptions = {}): Promise<ResentEvents> {
    return this.post('/api/webhooks/resend-failed', { since }, o)
  }

  /** Sends the endpoint a `webhook.ping`. It is not asked again when its answer is lost. */
  async pingWebhook(o: CallOptions = {}): Promise<PingResult> {
    return this.post('/api/webhooks/ping', undefined, o, { once: true })
  }

  /** Replaces the secret that signs the events of streams. Open streams get the new one at once. */
  async rotateStreamSecret(o: CallOptions = {}): Promise<StreamSecret> {
    return this.post('/api/webhooks/stream/rotate-secret', undefined, o)
  }
}
