import type { MessageStatus, Schemas } from './types.js'

interface Common {
  /** The same as the header `webhook-id`: drop what you have had. */
  eventId: string
  /** When it happened: ISO 8601, UTC with milliseconds. */
  timestamp: string
}

/** MessageStatusEvent is a step of a message. */
export interface MessageStatusEvent extends Common {
  event: 'message.status'
  messageId: string
  notifMessageId: string
  providerMessageId: string | null
  channel: Schemas['Channel']
  to: string
  /** Spelled as in {@link MessageStatus}: `parse` and `verify` turn the event's lowercase into it. */
  status: MessageStatus
  previousStatus: MessageStatus
  /** Grows with each step of a message: a smaller one is older news, whenever it arrives. */
  sequence: number
  /** How often gateways were called so far. */
  attempt: number
  fallbackFrom: string | null
  error: { code: string; message: string; providerCode: string | null; retryable: boolean } | null
  senderId: string | null
  groupId: string | null
  projectId: string | null
  idempotencyKey: string | null
  /** What was sent as `metadata`. */
  metadata: Record<string, string> | null
  sandbox: boolean
}

/** MessageReceivedEvent is what a person wrote. */
export interface MessageReceivedEvent extends Common {
  event: 'message.received'
  messageId: string
  /** The number with a plus sign, or the WhatsApp ID if WhatsApp hides the number. For SMS, a sender without its country as it came. */
  from: string
  /** The WhatsApp ID. Absent if it isn't reported. */
  fromId?: string
  /** The WhatsApp username, without @. Absent if the person has none. */
  fromUsername?: string
  /** As the person calls themselves. */
  displayName: string | null
  to: string
  channel: Schemas['Channel']
  type: string
  text: string
  /** For `Client.media`, which takes the live key of an account with the inbox. */
  mediaUrl: string | null
  mediaMissing: 'too_large' | 'account_full' | 'unavailable' | (string & {}) | null
  mimeType: string | null
  fileName: string | null
  /** The button, row, or quick reply that was pressed; its id is the one that you sent. */
  choice: { id: string | null; title: string } | null
  /** What a form (a WhatsApp flow) was filled in with. */
  response: Record<string, unknown> | null
  /** Our id of the message that it answers. */
  replyTo: string | null
  /** The provider's own agent, such as Meta's Business Agent, has the conversation. Absent otherwise. */
  standby?: true
}

/** MessageEditedEvent is a message that its author has edited. The attachment is the same as before. */
export interface MessageEditedEvent extends Common {
  event: 'message.edited'
  /** As in {@link MessageReceivedEvent}, like the fields below. */
  messageId: string
  from: string
  fromId?: string
  fromUsername?: string
  to: string
  channel: Schemas['Channel']
  type: string
  /** The new text or caption. */
  text: string
}

/** MessageDeletedEvent is a message that its author has deleted for everyone. */
export interface MessageDeletedEvent extends Common {
  event: 'message.deleted'
  /** As in {@link MessageReceivedEvent}, like the fields below. */
  messageId: string
  from: string
  fromId?: string
  fromUsername?: string
  to: string
  channel: Schemas['Channel']
  type: string
}

/** NumberChangedEvent says that a person has another number, or another WhatsApp ID. What isn't known is null. */
export interface NumberChangedEvent extends Common {
  event: 'contact.number_changed'
  /** With a plus sign. */
  oldNumber: string | null
  newNumber: string | null
  /** The WhatsApp ID. */
  oldId: string | null
  newId: string | null
  /** The account's number that got the report. */
  to: string
  channel: Schemas['Channel']
}

/** SenderStatusEvent says that the connection of one of the account's senders has changed. */
export interface SenderStatusEvent extends Common {
  event: 'sender.status'
  senderId: string
  channel: Schemas['Channel']
  address: string
  state: Schemas['SenderItem']['state'] | (string & {})
  previousState: Schemas['SenderItem']['state'] | (string & {})
  reason: string | null
  /** When the state is expected to end. */
  until: string | null
}

/** PingEvent says that somebody tries the endpoint. */
export interface PingEvent extends Common {
  event: 'webhook.ping'
  /** At the endpoint of a tenant. */
  tenantId?: string
}

interface LoginCommon extends Common {
  tenantId: string
  clientId: string
  loginKeyId: string
  mode: 'LIVE' | 'TEST'
}

/** LoginEvent is a step of a login. `phone` is masked. */
export interface LoginEvent extends LoginCommon {
  event: 'login.verified' | 'login.canceled' | 'login.phone_conflict'
  phone?: string
  /** Only in login.verified: why the number was known although WhatsApp hid it. */
  numberSource?: 'paired' | 'shared' | (string & {})
}

/** LoginCompletedEvent says that a login's code was exchanged. */
export interface LoginCompletedEvent extends LoginCommon {
  event: 'login.completed'
  /** Without a plus. */
  phone_e164: string
  /** The token's `sub`. */
  subject: string
  /** The token's `jti`. */
  tokenId: string
  amr: string[]
}

/** LoginRevokedEvent says that a token is worth nothing any more: end the session that you made of it. */
export interface LoginRevokedEvent extends LoginCommon {
  event: 'login.revoked'
  phone?: string
  /** The token's `jti`. */
  tokenId: string
  reason: 'canceled_by_user' | 'code_replayed' | 'revoked_by_client' | 'signed_out' | 'number_detached' | 'number_changed' | (string & {})
}

/**
 * PersonNumberChangedEvent says that a person who signs in has another number. The subject stays with the number until
 * the tenant moves the person. Both numbers are equal if the person has the number of the profile again.
 */
export interface PersonNumberChangedEvent extends Common {
  event: 'person.number_changed'
  tenantId: string
  mode: 'LIVE'
  /** The `sub` of the person's tokens. */
  subject: string
  /** The number of the profile, without a plus. */
  phone_e164: string
  /** The number that the person has now, without a plus. */
  new_phone_e164: string
}

/** Event is what an endpoint gets; a newer service may have others, so a switch over `event` needs a default. */
export type Event =
  | MessageStatusEvent
  | MessageReceivedEvent
  | MessageEditedEvent
  | MessageDeletedEvent
  | NumberChangedEvent
  | SenderStatusEvent
  | PingEvent
  | LoginEvent
  | LoginCompletedEvent
  | LoginRevokedEvent
  | PersonNumberChangedEvent
