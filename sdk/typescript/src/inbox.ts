import { at, type CallOptions, query } from './call.js'
import { Messages } from './messages.js'
import { pages } from './service.js'
import type {
  Conversation, ConversationMessagePage, ConversationPage, FoundMessage, FoundPage, InboxFilter, InboxMessage, InboxRevision, Media,
  ReadMark, Reply, Result,
} from './types.js'

const CONVERSATIONS = '/api/inbox/conversations'
const MEDIA = '/api/media/'

/** Inbox is what people write. It takes the live key of an account whose plan has it. */
export abstract class Inbox extends Messages {
  /** Lists the conversations, the newest first. */
  async conversations(filter: InboxFilter = {}, o: CallOptions = {}): Promise<ConversationPage> {
    return this.get(CONVERSATIONS + query(filter), o)
  }

  /** All conversations that {@link conversations} would list, page by page. */
  async *allConversations(filter: InboxFilter = {}, o: CallOptions = {}): AsyncGenerator<Conversation, void, undefined> {
    yield* pages(filter, (f) => this.conversations(f, o), (page) => page.conversations)
  }

  /** Lists the messages of a conversation, the newest first, and marks none as read. The filter has no `q` here. */
  async conversationMessages(conversationId: string, filter: InboxFilter = {}, o: CallOptions = {}): Promise<ConversationMessagePage> {
    const { limit, cursor } = filter
    return this.get(at(CONVERSATIONS + '/', 'id', conversationId, '/messages') + query({ limit, cursor }), o)
  }

  /** All messages that {@link conversationMessages} would list, page by page. */
  async *allConversationMessages(conversationId: string, filter: InboxFilter = {}, o: CallOptions = {}): AsyncGenerator<InboxMessage, void, undefined> {
    yield* pages(filter, (f) => this.conversationMessages(conversationId, f, o), (page) => page.messages)
  }

  /** Finds the messages whose text, file name, or pressed button has `q`. A page may be empty and not the last. */
  async searchInbox(filter: InboxFilter, o: CallOptions = {}): Promise<FoundPage> {
    return this.get('/api/inbox/messages' + query(filter), o)
  }

  /** All messages that {@link searchInbox} would find, page by page. */
  async *allSearchInbox(filter: InboxFilter, o: CallOptions = {}): AsyncGenerator<FoundMessage, void, undefined> {
    yield* pages(filter, (f) => this.searchInbox(f, o), (page) => page.messages)
  }

  /** What to ask every few seconds: when `revision` is another one, the lists have changed. */
  async inboxRevision(o: CallOptions = {}): Promise<InboxRevision> {
    return this.get('/api/inbox/revision', o)
  }

  /** Sets a conversation's count of unread messages to 0. Where the gateway can, the contact's phone shows it. */
  async markRead(conversationId: string, o: CallOptions = {}): Promise<ReadMark> {
    return this.post(at(CONVERSATIONS + '/', 'id', conversationId, '/read'), undefined, o)
  }

  /** Marks the latest message of a conversation's contact as unread. The contact does not get to know it. */
  async markUnread(conversationId: string, o: CallOptions = {}): Promise<ReadMark> {
    return this.post(at(CONVERSATIONS + '/', 'id', conversationId, '/unread'), undefined, o)
  }

  /** Sends a text on WhatsApp, once, from the number that the contact wrote to last. It is a message as `send` sends it. */
  async reply(conversationId: string, reply: Reply, o: CallOptions = {}): Promise<Result> {
    return this.accept(at(CONVERSATIONS + '/', 'id', conversationId, '/reply'), reply, o)
  }

  /**
   * Opens an attachment: the id is `mediaUrl` of a message of the inbox, or of the event `message.received`. Attachments
   * at other addresses, which a gateway keeps itself, are not the service's.
   */
  async media(id: string, o: CallOptions = {}): Promise<Media> {
    const path = at(MEDIA, 'id', typeof id === 'string' && id.includes(MEDIA) ? id.slice(id.indexOf(MEDIA) + MEDIA.length) : id)
    const response = await this.caller.open({ method: 'GET', path, headers: { accept: '*/*' }, ...o })
    const size = response.headers.get('content-length')
    return {
      body: response.body ?? new Blob([]).stream(),
      contentType: response.headers.get('content-type') ?? '',
      fileName: fileNameOf(response.headers.get('content-disposition') ?? ''),
      size: size === null ? undefined : Number(size),
      requestId: response.headers.get('x-request-id') ?? '',
    }
  }
}

/** fileNameOf reads the name that a Content-Disposition gives, the one in UTF-8 before the other. */
function fileNameOf(disposition: string): string | undefined {
  const encoded = /;\s*filename\*=utf-8''([^;\s]+)/i.exec(disposition)?.[1]
  if (encoded !== undefined) {
    try {
      return decodeURIComponent(encoded)
    } catch {
      // The other one, then.
    }
  }
  const plain = /;\s*filename=(?:"((?:[^"\\]|\\.)*)"|([^;\s"]+))/i.exec(disposition)
  return plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2]
}
