import type { components, operations } from './generated/messaging.js'

/** Schemas are all the objects of the messaging API, made from its OpenAPI document. */
export type Schemas = components['schemas']

/** Operations are all the operations of the messaging API, made from its OpenAPI document. */
export type Operations = operations

type Content<R> = R extends { content: { 'application/json': infer T } } ? T : never

/** Answer is what an operation answers with, and the id of the exchange; quote it when you report a problem. */
export type Answer<T> = T & { requestId: string }

/** AnswerOf is the {@link Answer} of an operation. */
export type AnswerOf<O extends keyof operations> = Answer<
  Content<operations[O]['responses'][Extract<keyof operations[O]['responses'], 200 | 201 | 202>]>
>

/** QueryOf is the query of an operation. */
export type QueryOf<O extends keyof operations> = NonNullable<operations[O]['parameters']['query']>

type BodyOf<O extends keyof operations> = operations[O] extends { requestBody: { content: { 'application/json': infer B } } }
  ? B
  : never

/** Times may be dates too. */
type WithDates<T, K extends keyof T> = Omit<T, K> & { [P in K]?: T[P] | Date }

export type Channel = Schemas['Channel']
export type MessageStatus = Schemas['Status']

/** Message is what to send to whom. */
export type Message = WithDates<Omit<Schemas['SendRequest'], 'template' | 'buttons'>, 'scheduledAt' | 'expiresAt'>

/** Result is the state of a message when the service answered, and the key under which it was sent. */
export type Result = Answer<Schemas['SendResult']> & { idempotencyKey: string }

/** Preview is what would happen to a message. */
export type Preview = Answer<Schemas['DryRun']>

/** Batch is up to 100 messages. */
export type Batch = Omit<BodyOf<'sendBatch'>, 'messages'> & { messages: Message[] }

/** BatchResult is what became of a batch. It has the key under which it was sent, unless its messages have their own. */
export type BatchResult = Answer<Schemas['BatchResult']> & { idempotencyKey?: string }
export type BatchItem = Schemas['BatchItem']

export type Status = AnswerOf<'getMessageStatus'>
export type Cancellation = AnswerOf<'cancelMessage'>

/** LogFilter says which messages to list; up to four members of `metadata`. */
export type LogFilter = WithDates<QueryOf<'listMessages'>, 'since' | 'until'>
export type LogPage = AnswerOf<'listMessages'>
export type LogItem = Schemas['LogItem']

export type CodeRequest = Omit<Schemas['CodeRequest'], 'channel'> & Partial<Pick<Schemas['CodeRequest'], 'channel'>>
export type Challenge = Answer<Schemas['Challenge']>

/** Guess is what a person typed: for a challenge, or for the latest code of a number. */
export type Guess = BodyOf<'verifyCode'>

export type Analytics = AnswerOf<'getAnalytics'>
export type Stats = AnswerOf<'getStats'>
export type StatsFilter = WithDates<QueryOf<'getStats'>, 'from' | 'to'>
export type CodeStats = AnswerOf<'getOTPStats'>
export type PresetPage = AnswerOf<'listPresets'>
export type GroupPage = AnswerOf<'listGroups'>
export type Group = Schemas['Group']

/** KeyInfo is whose a key is, and what it opens. */
export type KeyInfo = AnswerOf<'describeKey'>
export type Health = AnswerOf<'getHealth'>

/** InboxFilter says which part of the inbox to list; `q` is part of a number or a name. */
export type InboxFilter = QueryOf<'listConversations'>
export type ConversationPage = AnswerOf<'listConversations'>
export type Conversation = Schemas['Conversation']
export type ConversationMessagePage = AnswerOf<'listConversationMessages'>
export type InboxMessage = Schemas['InboxMessage']
export type FoundPage = AnswerOf<'searchInboxMessages'>
export type FoundMessage = FoundPage['messages'][number]
export type InboxRevision = AnswerOf<'getInboxRevision'>
export type ReadMark = AnswerOf<'markConversationUnread'>

/** Reply is a text for the contact of a conversation. */
export type Reply = BodyOf<'replyToConversation'>

/** Media is an attachment. Read its body, or cancel it. */
export interface Media {
  body: ReadableStream<Uint8Array>
  contentType: string
  /** undefined: none was given. */
  fileName: string | undefined
  /** In bytes; undefined: unknown. */
  size: number | undefined
  requestId: string
}

export type SenderPage = AnswerOf<'listSenders'>
export type Sender = Schemas['SenderItem']
export type SenderDetail = AnswerOf<'getSender'>

export type OptOut = Schemas['OptOut']
export type OptOutFilter = QueryOf<'listOptOuts'>
export type OptOutPage = AnswerOf<'listOptOuts'>
export type OptOutResult = AnswerOf<'addOptOut'>

export type WebhookResult = AnswerOf<'getWebhook'>
export type WebhookChange = AnswerOf<'setWebhook'>
export type WebhookSecret = AnswerOf<'rotateWebhookSecret'>
export type WebhookEventFilter = QueryOf<'listWebhookEvents'>
export type WebhookEventPage = AnswerOf<'listWebhookEvents'>
export type WebhookEvent = Schemas['EventItem']
export type WebhookEventDetail = AnswerOf<'getWebhookEvent'>
export type ResendResult = AnswerOf<'resendWebhookEvent'>
export type ResentEvents = AnswerOf<'resendFailedWebhookEvents'>
export type PingResult = AnswerOf<'pingWebhook'>
export type StreamSecret = AnswerOf<'rotateStreamSecret'>
