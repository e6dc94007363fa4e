// Made from openapi/messaging.yaml by `npm run generate`; do not edit.

export interface paths {
    "/api/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message
         * @description Stores a message, counts it toward the day's quota, and waits up to three seconds for the gateway. If the client disconnects, the message isn't
         *     canceled.
         */
        post: operations["sendMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/send/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send up to 100 messages
         * @description Accepts the items in order, in one transaction, and then delivers them like single messages. The response to a well-formed batch is 200 with one result per item.
         *     Without `continueOnError`, the first rejected item ends the batch. Earlier items remain accepted, and later items are `skipped`. An item that fails later at its gateway doesn't end the batch.
         *
         *     If the batch has an idempotency key, each item without its own key gets `KEY:0`, `KEY:1`, …, by its position. If an item has a different key, even a malformed one, the keys conflict
         *     (`idempotency_mismatch`), and nothing is sent. If the batch has no key, the items' own keys apply.
         */
        post: operations["sendBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/status/{messageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a message's status
         * @description Returns a message by its `messageId` or `notifMessageId`. A project key sees only the messages of its project, and a test key sees only simulated
         *     messages. Other messages don't exist for these keys. A signed-in user sees the messages of the account. A developer sees the messages of their
         *     projects.
         */
        get: operations["getMessageStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the profile and the account's state
         * @description Returns the data for the dashboard. Requires a browser session, not a key. A member gets the plan, the day's usage, and the senders. Only the owner
         *     also gets the key, the webhook, and the latest messages.
         */
        get: operations["getProfile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/whatsapp/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List WhatsApp groups
         * @description Returns the groups that the account's own WhatsApp senders belong to, each once, sorted by name. Use a group's `id` as `groupId` in `POST /api/send`. All connected
         *     gateways are called at the same time and have ten seconds to respond. A connected gateway without support for groups returns none. If some gateways fail, the groups of the others
         *     are listed with `incomplete: true`. If all gateways fail, the response is 502.
         *
         *     With a test key or the header `X-Svc-Sandbox: 1`, the response contains one simulated group and no gateway is called. Project keys have no access.
         */
        get: operations["listGroups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/otp/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a one-time code
         * @description Creates a code of uniformly random digits and sends it with the preset `otp`. No response contains the code. If `app` is an https origin, the text ends with the line that
         *     lets a browser pass the code to the page (WebOTP). Earlier codes stay valid until they expire.
         *
         *     An account can make three requests per number in ten minutes. Rejected and failed requests count. Malformed requests and repetitions under an idempotency key don't.
         *     A repetition returns the same challenge until it expires. Project keys have no access. In the sandbox, the challenge is simulated, and its code consists of `length` zeros. If the whole service is in the sandbox and the request doesn't ask for it, no code can be verified.
         */
        post: operations["sendCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/otp/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a one-time code
         * @description Checks a code of the challenge `challengeId`, or of the account's latest unexpired challenge for the number `to`. The correct code works once. Five wrong codes lock the challenge.
         *     Project keys have no access.
         *
         *     Simulated and real challenges are separate. With a test key, `sandbox`, or `X-Svc-Sandbox: 1`, the request applies to simulated challenges. Otherwise, it applies to real challenges. Challenges of the other kind return `not_found`.
         */
        post: operations["verifyCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/svc-analytics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get delivery statistics
         * @description Returns counts over the account's newest messages. SANDBOX messages are counted only in `sampleSize` and `byStatus`, because no channel delivered them
         *     and they would distort the rates. Rates are shares from 0 to 1, or null if the divisor is zero. The sample of a test key contains only simulated
         *     messages. `messagesUsed` and `limit` always apply to the account. Project keys have no access.
         */
        get: operations["getAnalytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/svc-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List messages
         * @description Returns the messages of the account or, with a project key, of its project, newest first. A signed-in developer must name one of their projects. A
         *     viewer doesn't see the texts of conversations. A test key sees only simulated messages. The content of sensitive messages isn't included. With a
         *     filter, a page contains the matches among the next 5,000 messages. It can be short or empty and still have a `nextCursor`. Here and elsewhere, an
         *     empty parameter counts as absent, and a parameter that contains only spaces is rejected.
         */
        get: operations["listMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/svc-logs.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export messages as CSV
         * @description Exports messages as a UTF-8 file with a byte order mark, newest first, with the filters of the list. Available to the owner, who must have entered an
         *     email code within the last 15 minutes. The file doesn't contain message content. Numbers have their calling code in brackets, such as `(+223) 70112233`, so that
         *     spreadsheets keep them as text. In cells that start with one of `= + - @`, a tab, or a carriage return, an apostrophe comes first, so that spreadsheets
         *     don't interpret the cell as a formula. Each export is recorded in the audit log.
         */
        get: operations["exportMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/inbox/conversations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List conversations
         * @description Returns conversations, newest first. `q` filters the conversations that each page scans, so a page can be empty and still have a `nextCursor`. If a
         *     conversation gets a new message while you read pages, it moves to the top. `revision` shows such changes.
         */
        get: operations["listConversations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/inbox/conversations/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a conversation's messages
         * @description Returns the messages of a conversation, newest first. The request doesn't mark them as read.
         */
        get: operations["listConversationMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/inbox/conversations/{id}/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mark a conversation as read
         * @description Sets the number of unread messages to 0. If it is already 0, nothing changes, including the revision. If the gateway supports it, the contact's phone
         *     soon shows that the messages were read.
         */
        post: operations["markConversationRead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/inbox/conversations/{id}/unread": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mark a conversation as unread
         * @description Marks the contact's latest message as unread. If a message is already unread, or the contact's messages were deleted, nothing changes. The contact
         *     isn't notified.
         */
        post: operations["markConversationUnread"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/inbox/conversations/{id}/reply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reply to a conversation
         * @description Sends a text over WhatsApp, from the number that the contact wrote to last. The reply has the same quota, idempotency keys, and responses as a message
         *     of `POST /api/send`.
         */
        post: operations["replyToConversation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/inbox/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search messages of all conversations
         * @description Returns the messages whose text, file name, or pressed button contains `q`, newest first. Case and accents are ignored. Each page scans up to 1,000
         *     messages, so a page can be empty and still have a `nextCursor`.
         */
        get: operations["searchInboxMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an attachment
         * @description Returns a file that a person attached to a message. `mediaUrl` in the inbox and in the event `message.received` is its URL. The file is stored as long
         *     as its message. Images, audio, and videos are served for inline display, and all other files as downloads. Range requests are supported.
         */
        get: operations["getMedia"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/inbox/revision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the inbox's revision
         * @description Returns the inbox's revision. Poll every few seconds, and read the lists again if `revision` has changed. It changes with everything that the inbox
         *     shows: incoming and outgoing messages, their statuses, read marks, and deletions. While `saturated` is true, also read the lists from time to time.
         */
        get: operations["getInboxRevision"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mcp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call the assistant endpoint (MCP)
         * @description Accepts one JSON-RPC message per request and returns one response, without a session or a stream (Streamable HTTP, protocol versions 2025-06-18,
         *     2025-11-25, and 2026-07-28). A request is one of 2026-07-28 if `params._meta` names this version. Tools: `list_conversations`, `read_conversation`, `reply`, `mark_read`, and those that
         *     the owner turned on for the key ([more tools](/docs/assistant#more-tools)). The account's live key must be in `Authorization`. Other ways
         *     aren't accepted. The `Idempotency-Key` header has no effect, because `reply` and `send_message` have an argument for it. With the header
         *     `X-Svc-Sandbox: 1` (or `true`), a reply or a message is only simulated.
         */
        post: operations["callAssistant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/messages/{messageId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a message
         * @description Cancels a SCHEDULED or QUEUED message, unless another channel might already have it. Requires an account's key or its owner's session. For a test key,
         *     real messages don't exist. The unit of the quota is refunded to the day that it was charged to. You can repeat the request safely.
         */
        post: operations["cancelMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/senders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List senders
         * @description Returns the account's own senders in the order in which Griot tries them, and then the platform's senders. `state` is the connection state that the
         *     gateway reports. It is also `disconnected` while messages fail because of the sender or its gateway. `health` is based on messages: those that a
         *     gateway accepted, and attempts that failed because of the sender and not because of the message. It covers only deliveries of the responding process
         *     since its start. Requires a live key or the owner's session.
         */
        get: operations["listSenders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/senders/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a sender
         * @description Returns one of the account's senders or of the platform's senders, with its queued messages and its latest failed message. A sender of another account
         *     is reported as not found. Requires a live key or the owner's session.
         */
        get: operations["getSender"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/senders/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a sender
         * @description Stops a sender on every node within two seconds, until it is resumed. New messages use another sender of the account. If there is none, they are
         *     rejected with `sender_paused`. Messages that were already accepted for the sender stay queued. They are sent after the sender is resumed, unless they
         *     expire first. A gateway call that is in progress isn't canceled. A paused sender still receives messages. If the sender is already paused, the start
         *     of the pause doesn't change. The platform's senders can't be paused (`forbidden`). Requires a live key or the owner's session.
         */
        post: operations["pauseSender"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/senders/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a sender
         * @description Resumes a sender. Its queued messages are sent first. Requires a live key or the owner's session.
         */
        post: operations["resumeSender"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/senders/{id}/pair": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start linking a number
         * @description Links a sender's number to a phone. The gateway must support linking, such as `griot-whatsapp`. The person scans a QR code with the phone (`qr`) or
         *     enters a code on it (`code`). If a pairing of the number is in progress with the same method, it continues. If it uses the other method, it is
         *     canceled. `GET /api/senders/{id}/pair/events` streams the progress. The pairing ends automatically if no one scans within a few minutes. After the
         *     number is linked, the owner gets an email. Available to the owner, with a recent code, but never to a key. It works only for the account's own
         *     senders, because the operator manages the platform's senders (`forbidden`).
         */
        post: operations["startPairing"];
        /**
         * Cancel linking a number
         * @description Ends the pairing in progress. If there is none, the response shows the result of the last pairing. Available to the owner, with a recent code.
         */
        delete: operations["cancelPairing"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/senders/{id}/pair/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream the linking of a number
         * @description Streams server-sent events named `pairing`, whose data is a [Pairing](#/components/schemas/Pairing): one immediately, and one for each change. A QR
         *     code is replaced about every 20 seconds. The stream ends after the pairing, when the session ends, or when its code is no longer recent. Any node can
         *     serve it. An account can have three open streams. Available to the owner, with a recent code. Don't store the response.
         */
        get: operations["streamPairing"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the webhook endpoint's state
         * @description Returns the webhook endpoint and its delivery state. The operator sets the URL and the secret, or lets accounts set their own. Requires a live key or the owner's session.
         */
        get: operations["getWebhook"];
        /**
         * Set the webhook endpoint's URL
         * @description Sets the URL and enables the endpoint, or removes the endpoint. Pending events are delivered to the new URL. An endpoint that the operator disabled
         *     doesn't change. The first URL of an account creates the secret that signs its events. Only this response contains it. This operation exists only if
         *     the operator has enabled it (`webhooks.accounts_set_url`). Requires a live key or the owner's session.
         */
        put: operations["setWebhook"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the webhook endpoint's secret
         * @description Replaces the secret that signs the account's events. The previous secret also signs for 24 hours. Only this response contains the new secret. This
         *     operation exists only if the operator has enabled it (`webhooks.accounts_set_url`). Requires a live key or the owner's session.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook events
         * @description Returns events, newest first. Events are kept for 30 days. With `delivery`, a page contains the matches among the next 5,000 events. It can be short
         *     or empty and still have a `nextCursor`. Requires a live key or the owner's session.
         */
        get: operations["listWebhookEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/events/{eventId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook event
         * @description Returns an event with its delivery attempts, latest first, at most 100. Requires a live key or the owner's session.
         */
        get: operations["getWebhookEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/events/{eventId}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend a webhook event
         * @description Sends an event again immediately, under the same ID and regardless of its delivery state. The earlier attempts are kept. Requires a live key or the
         *     owner's session.
         */
        post: operations["resendWebhookEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/resend-failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend failed webhook events
         * @description Sends events again if they happened at or after a given time and all their attempts failed. Pending events aren't affected. Requires a live key or the
         *     owner's session.
         */
        post: operations["resendFailedWebhookEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description Sends a `webhook.ping` event, which is delivered like all events. Requires a live key or the owner's session.
         */
        post: operations["pingWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable the webhook endpoint
         * @description Enables the endpoint and delivers pending events. An endpoint that is already enabled doesn't change, and neither does an endpoint that the operator
         *     disabled. The URL doesn't change. Requires a live key or the owner's session.
         */
        post: operations["enableWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream events
         * @description Streams server-sent events for `griot listen`. The first is `hello`, whose data has the `secret` that signs the events that the listener forwards.
         *     Another `hello` follows when the secret is rotated. Then there is an `event` for each event, whose data has `eventId`, `type`, and `body`, the text to
         *     sign and forward. The stream is independent of the deliveries to the endpoint and also works for accounts without one. A live key gets all events. A
         *     test key gets the events of sandbox messages, signed with another secret. The stream ends within two seconds after its key is revoked. An account can
         *     have five listeners. Pages of the dashboard don't count.
         */
        get: operations["listenToWebhookEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/stream/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the stream's secret
         * @description Replaces the secrets of live keys' and test keys' streams, and returns the new secret of live keys' streams. Open streams get it immediately. Requires
         *     a live key or the owner's session.
         */
        post: operations["rotateStreamSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the session
         * @description Returns the signed-in user and the accounts that the user can switch to.
         */
        get: operations["getSession"];
        put?: never;
        /**
         * Request a sign-in code
         * @description Sends a six-digit code by email if the address belongs to an owner, a member, or an invited person. For an unknown address, the response is the same.
         *     A code works once, for ten minutes and five attempts, in the browser that requested it (the cookie `svc_browser`). It stays valid when another code is
         *     sent, and an attempt counts for each valid code in that browser. An address gets at most five codes per hour for all browsers in which it hasn't
         *     signed in before, and five for each browser in which it has. After that, the response is 429 `rate_limited`. Only pages of this service can call this
         *     endpoint.
         */
        post: operations["askForCode"];
        /**
         * Sign out
         * @description Ends the session immediately. No copy of its cookie works afterward.
         */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        /**
         * Switch to another account
         * @description Switches the session to another account, for people who belong to several.
         */
        patch: operations["chooseAccount"];
        trace?: never;
    };
    "/api/session/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a code
         * @description Exchanges a code for a session of twelve hours, in the browser that requested the code. The response is the same for a code that is wrong, used, or
         *     expired, that had too many attempts, or that another browser requested, and for an address without a code. Only pages of this service can call this
         *     endpoint.
         */
        post: operations["signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/invitation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation
         * @description Accepts an invitation. It works once, for the invited address, within seven days. You can prove the address in two ways:
         *
         *     - A session with a code of the last 15 minutes, sent to `POST /api/session/verify`. A session opened with WhatsApp needs such a code first.
         *     - `code`, the code in the invitation's email, without a session or with a session of any age. It works once, for 24 hours and five attempts, and doesn't count toward the address's sign-in codes. It opens a session.
         *
         *     The session uses that account from then on. Only pages of this service can call this endpoint.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List projects
         * @description Returns the projects of the account. A developer gets only their own projects.
         */
        get: operations["listProjects"];
        put?: never;
        /**
         * Create a project
         * @description Creates a project. Available to the owner and to developers, who then own it. Projects share the account's quota.
         */
        post: operations["createProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a project
         * @description Deletes a project and revokes its keys. Its messages stay in the account. Available to the owner, and to developers for their own projects.
         */
        delete: operations["deleteProject"];
        options?: never;
        head?: never;
        /**
         * Rename a project
         * @description Renames a project. Available to the owner, and to developers for their own projects.
         */
        patch: operations["renameProject"];
        trace?: never;
    };
    "/api/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List keys
         * @description Returns all keys to the owner, and to a member the keys that they created. The response never contains the secret keys.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Create a key
         * @description Creates a key. The owner can create keys of any kind, and a member can create project keys. Existing keys continue to work, so you can switch to the
         *     new key before you revoke the old one.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate a key
         * @description Creates a key with the same rights and name. The old key works for `graceSeconds` longer and then ends automatically. With 0, it ends immediately, on
         *     other nodes within 2 seconds. To end it earlier, revoke it.
         */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a key
         * @description Revokes a key, immediately on the node that responds and within 2 seconds on other nodes. If the key is already revoked, nothing changes.
         */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        /**
         * Set a key's assistant tools
         * @description Replaces the groups of tools that a live key has at the [assistant endpoint](/docs/assistant), immediately on the node that responds and within 2 seconds
         *     on other nodes. `send` lets an assistant send to anyone who has written to the account. Only the owner can change a key. A key can't change itself.
         */
        patch: operations["changeKey"];
        trace?: never;
    };
    "/api/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List members and invitations
         * @description Returns the members and the invitations of the account. Available to the owner.
         */
        get: operations["listMembers"];
        put?: never;
        /**
         * Invite a member
         * @description Sends an invitation by email. It is valid for seven days and only for that address, and it invalidates earlier invitations to the address. Available
         *     to the owner.
         */
        post: operations["inviteMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/members/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description Removes a member. In the same step, the project keys that they created are revoked and their sessions end. Available to the owner.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        /**
         * Update a member
         * @description Updates a member. Omitted fields stay unchanged. The member's keys that the new role or projects don't allow are revoked: all keys of a viewer, and
         *     the keys of removed projects. Available to the owner.
         */
        patch: operations["changeMember"];
        trace?: never;
    };
    "/api/invitations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an invitation
         * @description Revokes a pending invitation. Available to the owner.
         */
        delete: operations["revokeInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invitations/{id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend an invitation
         * @description Sends an invitation again with a new link, which is valid for seven days. The previous link stops working. Available to the owner.
         */
        post: operations["resendInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/opt-outs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List opt-outs
         * @description Returns opt-outs, sorted by channel, scope, and address. `channel=whatsapp` includes those with the scope `marketing`. With `address` or `q`, a page contains the matches among the next 5,000 opt-outs. It can be short or
         *     empty and still have a `nextCursor`. Requires a live key or the owner's session.
         */
        get: operations["listOptOuts"];
        put?: never;
        /**
         * Add an opt-out
         * @description Adds an opt-out. Pending messages to the address on the channel, including scheduled ones, end as FAILED with `recipient_opted_out`. With `auto`, the
         *     next channel is used. One-time codes are still sent. The response is 201, or 200 if the address has already opted out. In that case, the opt-out
         *     doesn't change. Requires a live key or the owner's session.
         */
        post: operations["addOptOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/opt-outs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove an opt-out
         * @description Removes an opt-out. Do this only if the person asked for it, because they replied STOP and aren't notified of the removal. Requires a live key or the
         *     owner's session.
         */
        delete: operations["removeOptOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/people/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Export a person's data
         * @description Exports the data of a person as a file, which is streamed while Griot reads the data. It contains messages to and from the person, the conversation,
         *     opt-outs, one-time codes (without the code), groups that received messages with the person as `to`, webhook events, and audit events. It includes at
         *     most the latest 10,000 messages and the latest 10,000 events, and `complete` shows whether these are all. If an export can't be finished, the
         *     connection is aborted. Each export is recorded in the audit log, without the address. If a person has several numbers and addresses, export each one.
         *     Available to the owner, who must have entered an email code within the last 15 minutes.
         */
        post: operations["exportPerson"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/people/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erase a person's data
         * @description Erases the data of a person. Scheduled and queued messages to the person are canceled. Message content and the address are erased from messages, the
         *     inbox, webhook events, one-time codes, and the audit log. A pseudonym, which is a keyed hash, replaces the address. Counts don't change, and a person
         *     who opted out still gets no messages. If the erasure takes longer than a few seconds, it continues in the background, even after a crash. The response
         *     is then 202, and the same request returns the progress. The erasure doesn't cover backups, data that endpoints and providers have already received, or
         *     messages to other people. A hash of idempotency keys is kept. If a person has several numbers and addresses, erase each one. Available to the owner,
         *     who must have entered an email code within the last 15 minutes.
         */
        post: operations["erasePerson"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get statistics by hour or day
         * @description Counts all messages of the account, including deleted ones. Partial hours at `from` and `to` are counted as whole hours. Hourly counts are kept for 35
         *     days. If `from` is earlier, `complete` is false, and steps before `countedFrom` are empty. Daily counts are kept as long as the account. For periods
         *     without hourly counts, `from` and `to` are rounded to whole days. Simulated messages are excluded, except that a test key sees only these. Requires a
         *     live or test key, or a session. A developer must name one of their projects.
         */
        get: operations["getStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/otp/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get statistics of one-time codes
         * @description Returns statistics of the last 24 hours by country, the country with the most codes first, and the blocked prefixes. Requires a live or test key
         *     (which sees only simulated codes), or the session of an owner or viewer.
         */
        get: operations["getOTPStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an account
         * @description Creates an account on the Free plan and switches the session to it. Available to a signed-in user who doesn't have their own account, if the service's
         *     `signup` setting allows it.
         */
        post: operations["createAccount"];
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update the account
         * @description Updates the account. Omitted fields stay unchanged. Available to the owner.
         */
        patch: operations["changeAccount"];
        trace?: never;
    };
    "/api/account/transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Transfer the account to a member
         * @description Transfers the account to a member, who becomes the owner immediately and is notified by email. The previous owner becomes a member with `role`, as a
         *     developer of all projects. Keys continue to work. The keys that the new owner had created as a member become the account's own. Available to the
         *     owner, with a recent code.
         */
        post: operations["transferAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close the account
         * @description Closes the account. `name` must repeat the account's name. Immediately, its keys and invitations are revoked, all its sessions end, new messages are
         *     rejected, and pending messages are canceled. Its data is kept for 30 days and then erased. During this time, the operator can reopen the account.
         *     Available to the owner, with a recent code.
         */
        post: operations["closeAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the key's account
         * @description Returns the kind of the key, the account that it sends from, the day's usage, and the features that it can use. Available to any key. For a signed-in
         *     user, call `GET /api/me`.
         */
        get: operations["describeKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/presets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List presets
         * @description Returns the presets. `{{name}}` stands for a variable. Text between `[[` and `]]` is omitted if a variable in it is missing. Requires any key or a
         *     session.
         */
        get: operations["listPresets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List alerts
         * @description Returns the current alerts. An alert exists if 80 % or all of the day's quota is used, if one of the account's senders can't send (and isn't paused),
         *     if the webhook endpoint is disabled, or if a payment failed. Only the owner sees the last two. Each alert is emailed to the owner once. If an alert
         *     recurs after it was resolved, it is emailed again, at most once an hour for the same sender or payment, and not for the quota of the same day.
         *     Requires a session.
         */
        get: operations["listAlerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit events
         * @description Returns audit events, newest first: sign-ins, keys, projects, members, senders, webhooks, and changes by the operator to the account. Events are kept
         *     for 400 days. With `action` or `actor`, a page contains the matches among the next 5,000 events. It can be short or empty and still have a
         *     `nextCursor`. Available to the owner.
         */
        get: operations["listAuditEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get plans, usage, and invoices
         * @description Returns the plans, the usage, and the invoices. If `provider` is `stripe`, prices and invoices come from the provider. If it doesn't respond, they are
         *     missing, and `providerReachable` is false. If `provider` is `manual`, an operator sets plans, and `contact` is the address for questions. Each request
         *     reads the subscription from the provider, as an event does. Amounts are in the currency's smallest unit. Available to the owner.
         */
        get: operations["showBilling"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/checkout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open a checkout
         * @description Returns in `url` a page of the payment provider: to subscribe, to confirm the change of a subscription, or, with `plan: free`, to cancel it. The plan
         *     doesn't change until it is confirmed there. It then changes immediately. Repeated requests return the same page. Available to the owner.
         */
        post: operations["openCheckout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/portal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open the billing portal
         * @description Returns a page of the payment provider to manage cards, addresses, invoices, and the end of the subscription. Available to the owner.
         */
        post: operations["openBillingPortal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/billing/stripe/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive a Stripe event
         * @description Receives an event from Stripe, which must have Stripe's signature. Griot doesn't use the content of the event. Instead, it reads the customer's
         *     current state from Stripe. The response is the same for an event that was already received and for an event about an unknown customer.
         */
        post: operations["receiveStripeEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the service's health
         * @description Reports whether the service can read and write its storage, for monitors and load balancers.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.yaml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the OpenAPI document
         * @description Returns the document that the reference pages are generated from, for client generators and other tools.
         */
        get: operations["getDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/terms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the terms of use
         * @description Shows the operator's terms of use.
         */
        get: operations["getTerms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/privacy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the privacy notice
         * @description Shows the operator's privacy notice.
         */
        get: operations["getPrivacy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the error catalog
         * @description Lists each code with its status, its meaning, and its solution. The link in an error leads to the entry of its code.
         */
        get: operations["getErrorsPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the table of contents of the documentation
         * @description Lists the parts and pages of the documentation, or, with `q`, the sections that match.
         */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/{page}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a documentation page
         * @description Shows a page in English. The navigation is in the person's language.
         */
        get: operations["getDocsPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/reference": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the API reference
         * @description Lists all operations by tag, and all named objects.
         */
        get: operations["getReference"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/reference/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show an API reference page
         * @description Shows an operation with its credentials, parameters, responses, and examples, or an object with its fields.
         */
        get: operations["getReferencePage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/static/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a file for the pages
         * @description Returns a file, compressed if `Accept-Encoding` allows gzip. The URLs in pages contain the release's hash and can be cached permanently.
         */
        get: operations["getStaticFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A person who doesn't want messages on a channel. */
        OptOut: {
            /** @description The ID with which you remove the opt-out. */
            id: string;
            channel: components["schemas"]["Channel"];
            /**
             * @description Present if the person refuses only marketing messages, in the settings of WhatsApp. All other messages are sent.
             * @constant
             */
            scope?: "marketing";
            /** @description A number or an email address. For an erased person, the pseudonym. */
            address: string;
            /**
             * @description The reason for the opt-out: the person asked for it, the provider refused a message because the person opted out there, the mailbox doesn't exist, the email was marked as spam, or someone in the account added it.
             * @enum {string}
             */
            source: "said" | "provider" | "bounced" | "complained" | "added";
            /**
             * Format: date-time
             * @description The time of the opt-out.
             */
            since: string;
        };
        /** @description The progress of the erasure of a person. */
        Erasure: {
            id: string;
            /** @description The pseudonym that replaces the address. */
            pseudonym: string;
            /**
             * @description Whether the erasure is in progress or finished.
             * @enum {string}
             */
            status: "running" | "done";
            /** @description The number of messages to the person. */
            messages: number;
            /** @description The number of these messages that were scheduled or queued and are now canceled. */
            canceled: number;
            /** @description The number of messages from the person. */
            received: number;
            /** @description The number of webhook events about the person. */
            events: number;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description The time at which the erasure finished. Null while it is in progress.
             */
            finishedAt: string | null;
        };
        /** @description A change in the account. */
        AuditEvent: {
            /** @description The event's ID. IDs are in chronological order. */
            id: string;
            /** Format: date-time */
            at: string;
            /** @description The actor who made the change. */
            actor: {
                /**
                 * @description The type of the actor. `operator` is the operator of the service, and `system` is the service itself.
                 * @enum {string}
                 */
                type: "owner" | "member" | "key" | "operator" | "system";
                /** @description The ID of a member or a key. */
                id: string | null;
                /** @description The email address of an owner or a member. */
                email: string | null;
            };
            /** @description The action, such as `key.created`. Further actions might be added. */
            action: string;
            /** @description The ID or the name of the changed object. */
            target: string | null;
            /** @description Details of the change. They never contain a secret. */
            details: {
                [key: string]: string;
            };
            /** @description The network that the request came from, as a /24 or a /48. Null if it isn't known. */
            address: string | null;
        };
        /** @description A problem that needs attention. */
        AlertItem: {
            /**
             * @description The kind of the problem.
             * @enum {string}
             */
            kind: "quota_near" | "quota_used" | "sender_down" | "webhook_disabled" | "billing_failed";
            /** @description The time at which the problem started. Null if it isn't stored yet. */
            openedAt: components["schemas"]["TimeOrNull"];
            /** @description The time at which the owner was emailed. Null if that hasn't happened yet. */
            mailedAt: components["schemas"]["TimeOrNull"];
            /** @description Details of `quota_near` and `quota_used`. */
            quota: null | {
                /** @description The day's usage. */
                used: number;
                /** @description The day's quota. */
                limit: number;
            };
            /** @description Details of `sender_down`. */
            sender: null | {
                id: string;
                channel: components["schemas"]["Channel"];
                address: string;
                /** @enum {string} */
                state: "disconnected" | "restricted" | "logged_out" | "banned" | "outdated";
                /** @description The reason for the state, as in the sender. */
                reason: string | null;
                /** @description The time at which the state is expected to end, as in the sender. */
                until: components["schemas"]["TimeOrNull"];
            };
            /** @description Details of `webhook_disabled`. */
            webhook: null | {
                disabledAt: components["schemas"]["TimeOrNull"];
                /** @description The reason: `gone`, `failing`, or `operator`. */
                reason: string;
            };
            /** @description Details of `billing_failed`. */
            billing: null | {
                /** @description The status that the payment provider reports. */
                status: string;
            };
        };
        /** @description A sender and its state. */
        SenderItem: {
            id: string;
            channel: components["schemas"]["Channel"];
            /** @description A number or an email address. */
            address: string;
            /** @description The name of the sender's gateway. */
            gateway: string;
            /** @description Whether the sender belongs to the platform and is available to every account. */
            platform: boolean;
            /**
             * @description The connection state. It is also `disconnected` while messages fail because of the sender.
             * @enum {string}
             */
            state: "disconnected" | "pairing" | "connecting" | "connected" | "restricted" | "logged_out" | "banned" | "outdated";
            /** @description The reason for the state, as a code in snake_case. It comes from the gateway ([protocol](/docs/gateway-protocol)) or from the failures that caused `disconnected`. Null if no reason is known. */
            reason: string | null;
            /** @description The time at which the state, such as a restriction, is expected to end. Null if it isn't known. */
            until: components["schemas"]["TimeOrNull"];
            /** @description The start time of the state. Null until the state has lasted for some seconds. */
            since: components["schemas"]["TimeOrNull"];
            /** @description The time at which the account paused the sender. Null if it isn't paused. */
            pausedAt: components["schemas"]["TimeOrNull"];
            health: {
                /** @description The time at which its gateway last accepted a message. */
                lastAcknowledgedAt: components["schemas"]["TimeOrNull"];
                /** @description The time of the last attempt that failed because of the sender or its gateway. */
                lastFailureAt: components["schemas"]["TimeOrNull"];
                /** @description The number of such failures since a message was last accepted. */
                consecutiveFailures: number;
                /** @description The end of the current pause after repeated failures, during which messages stay queued. Null if there is no such pause. */
                restingUntil: components["schemas"]["TimeOrNull"];
            };
            /**
             * @description The limits of a new sender, which starts slowly. The sender can send a limited number of messages today (UTC) and twice as many tomorrow. Null if
             *     there is no limit.
             */
            warmUp: null | {
                /** @description Today's limit. */
                limit: number;
                /** @description The part of today's limit that is used. */
                used: number;
                /**
                 * Format: date-time
                 * @description The time at which the limit ends.
                 */
                endsAt: string;
            };
        };
        /** @description The progress of linking a number to a phone. */
        Pairing: {
            /**
             * @description The state of the pairing. `waiting` means that a person must scan or enter the displayed code.
             * @enum {string}
             */
            state: "none" | "starting" | "waiting" | "paired" | "failed";
            /** @description The content of the QR code for the phone to scan. Null unless the state is `waiting` and the method is `qr`. */
            qr: string | null;
            /** @description The code to enter on the phone. Null unless the state is `waiting` and the method is `code`. */
            code: string | null;
            /** @description The time at which the code is replaced or ends. Null if it isn't known. */
            expiresAt: components["schemas"]["TimeOrNull"];
            /** @description The reason for the failure: `expired`, `wrong_number` (another number was linked, and then unlinked), `passkey_required` (WhatsApp requires a passkey, which only its own applications can provide), `passkey_failed` (the same, but the request can't be read, or WhatsApp refuses the passkey), `cancelled`, `already_paired`, `provider_failed`, `interrupted` (the gateway was restarted), `gateway_unavailable`, `sender_removed`, or a reason of the gateway. */
            reason: string | null;
        };
        /** @description An ID of 26 characters in Crockford's base32. */
        Id26: string;
        /** @description The message's ID. It starts with `msg_`, or with `sb_` if the message was simulated. */
        MessageId: string;
        /** @description The ID of the message's delivery. */
        NotifMessageId: string;
        /** @description The event's ID, which is also the `webhook-id` of its delivery. It is the same for every attempt. */
        EventId: string;
        /**
         * @description The delivery state of an event. `failed` means that all attempts failed. You can send the event again. `not_sent` means that the account had no
         *     endpoint at the time of the event, and only a listener was connected.
         * @enum {string}
         */
        Delivery: "pending" | "delivered" | "failed" | "not_sent";
        /** @description An event for delivery to the endpoint. */
        EventItem: {
            eventId: components["schemas"]["EventId"];
            /** @description The event type: message.status, message.received, message.edited, message.deleted, contact.number_changed, sender.status, or webhook.ping. Further types might be added. */
            type: string;
            createdAt: components["schemas"]["Time"];
            delivery: components["schemas"]["Delivery"];
            /** @description The number of failed attempts in the retry schedule. */
            failedTries: number;
            nextTryAt: components["schemas"]["TimeOrNull"];
            deliveredAt: components["schemas"]["TimeOrNull"];
            failedAt: components["schemas"]["TimeOrNull"];
        };
        /** @description An attempt to deliver an event. */
        Attempt: {
            at: components["schemas"]["Time"];
            /** @description The status code of the response. Null if there was no response. */
            statusCode: number | null;
            /** @description The response time in milliseconds. */
            latencyMs: number;
            /** @description The error. Null if the event was delivered. */
            error: ("address_refused" | "no_such_host" | "no_connection" | "tls" | "timeout" | "connection_lost" | "redirect" | "gone" | "status") | null;
            /** @description The first KiB of the response. */
            answer: string;
        };
        /** @description The webhook endpoint and its delivery state. */
        Webhook: {
            /**
             * Format: uri
             * @description The URL that receives events.
             */
            url: string;
            /** @description Whether the endpoint is enabled. While it is false, events stay pending. */
            enabled: boolean;
            disabledAt: components["schemas"]["TimeOrNull"];
            /** @description The reason that the endpoint is disabled: it responded with 410, it failed for five days, or an operator disabled it. */
            disabledReason: ("gone" | "failing" | "operator") | null;
            pausedUntil: components["schemas"]["TimeOrNull"];
            failingSince: components["schemas"]["TimeOrNull"];
            lastSuccessAt: components["schemas"]["TimeOrNull"];
            lastFailureAt: components["schemas"]["TimeOrNull"];
            /** @description The status code of the latest response. */
            lastStatusCode: number | null;
            /** @description The number of pending events. 1001 means more than 1,000. */
            pending: number;
            /** @description Whether message.status events are sent for messages that were read. */
            readReceipts: boolean;
            previousSecretUntil: components["schemas"]["TimeOrNull"];
        };
        /**
         * @description The requested channel. `auto` tries WhatsApp, a backup number for it, SMS, and, if the request has an email address, email. The response contains the
         *     channel that was used.
         * @enum {string}
         */
        RequestedChannel: "whatsapp" | "sms" | "email" | "auto";
        /**
         * @description The channel of a message.
         * @enum {string}
         */
        Channel: "whatsapp" | "sms" | "email";
        /**
         * @description The status of a message. QUEUED and SENDING messages are in progress. QUEUED means that the message is waiting for its turn or a retry, and no gateway
         *     call is in progress. SENDING means that the message is being submitted to a gateway, or that the result of the submission isn't known. SENT means that
         *     a gateway accepted the message. DELIVERED means that the recipient's device or mailbox has it. READ means that it was opened. SENT, DELIVERED, or READ
         *     can be skipped. FAILED and EXPIRED are final, but a late receipt can still change them to DELIVERED or READ. SANDBOX means that the message was never
         *     sent. SCHEDULED means that the message is waiting for its time. CANCELED means that it was canceled before it was submitted.
         * @enum {string}
         */
        Status: "SCHEDULED" | "QUEUED" | "SENDING" | "SENT" | "FAILED" | "EXPIRED" | "DELIVERED" | "READ" | "CANCELED" | "SANDBOX";
        /**
         * Format: date-time
         * @description A time in UTC with milliseconds.
         */
        Time: string;
        /**
         * Format: date-time
         * @description A time in UTC with milliseconds. Null if it hasn't happened yet.
         */
        TimeOrNull: string | null;
        /** @description An idempotency key of 1 to 255 printable Unicode characters. */
        IdempotencyKey: string;
        /** @description The ignored and doubtful parts of the request, at most the first twenty. Absent if there are none. */
        Warnings: components["schemas"]["Warning"][];
        /** @description A field of the request that was ignored, or whose value is doubtful. */
        Warning: {
            /**
             * @description The reason: the field doesn't exist; it has no effect together with another field (`message` with `preset`); or `to` is a number with another length than the numbers of its calling code.
             * @enum {string}
             */
            code: "unknown_member" | "ignored_member" | "unknown_length";
            /** @description The position of the field. A name is cut after 64 characters. */
            field: string;
            /** @description A sentence for people. */
            message: string;
        };
        /**
         * @description Your own data for a message: at most 16 texts with 4,096 bytes in total, including their names. A name must start with a letter, a digit, or an
         *     underscore.
         * @example {
         *       "order": "2041"
         *     }
         */
        Metadata: {
            [key: string]: string;
        };
        /** @description The `metadata` of the request. Null if there was none, and for sensitive messages. */
        MetadataOrNull: components["schemas"]["Metadata"] | null;
        /** @description The body of every error. The fields after `docsUrl` are present only in the errors that refer to them. */
        Error: {
            /** @constant */
            success: false;
            error: components["schemas"]["ErrorCode"];
            code: components["schemas"]["ErrorCode"];
            /** @description A sentence for people. It never repeats submitted values. */
            message: string;
            requestId: components["schemas"]["Id26"];
            /**
             * Format: uri
             * @description The URL of the explanation of this code.
             */
            docsUrl: string;
            /** @description The same as `message`, in responses with 401, 404, and 405, for OAuth libraries. */
            error_description?: string;
            /** @description The field or parameter that caused the error. */
            field?: string;
            /** @description The number of messages that count toward today's quota. */
            messagesUsed?: number;
            /** @description The day's quota. */
            limit?: number | null;
            /**
             * Format: uri
             * @description The URL at which a larger plan is available.
             */
            upgradeUrl?: string;
            /**
             * @description The smallest plan that includes the requested feature.
             * @constant
             */
            requiredPlan?: "pro";
            /** @description The maximum number of messages that one recipient can get from the account per day. */
            recipientLimit?: number;
            messageId?: components["schemas"]["MessageId"];
            notifMessageId?: components["schemas"]["NotifMessageId"];
            channel?: components["schemas"]["Channel"];
            /** @description A phone number with its plus sign, an email address, or a WhatsApp ID. */
            to?: string;
            status?: components["schemas"]["Status"];
            /**
             * @description Always false, because the code wasn't verified.
             * @constant
             */
            valid?: false;
            /** @description Griot's code for the failure of the message, as in its status. */
            reason?: string;
        };
        /**
         * @description A stable error code. A code never changes its meaning and is never reused.
         * @enum {string}
         */
        ErrorCode: "invalid_request" | "invalid_json" | "invalid_phone" | "number_required" | "invalid_email" | "invalid_channel" | "invalid_preset" | "missing_variable" | "sensitive_not_allowed" | "invalid_cursor" | "media_not_supported" | "invalid_idempotency_key" | "idempotency_mismatch" | "batch_too_large" | "unauthorized" | "forbidden" | "message_not_found" | "sender_not_found" | "not_found" | "method_not_allowed" | "message_failed" | "gateway_not_connected" | "sender_paused" | "pairing_unsupported" | "gateway_unavailable" | "recipient_opted_out" | "marketing_stopped" | "not_cancelable" | "payload_too_large" | "unsupported_media_type" | "quota_exceeded" | "recipient_limit_reached" | "rate_limited" | "internal" | "provider_error" | "overloaded" | "storage_unavailable" | "sign_in_failed" | "session_required" | "recent_code_required" | "opt_out_not_found" | "origin_mismatch" | "account_required" | "invitation_foreign" | "project_not_found" | "key_not_found" | "member_not_found" | "invitation_not_found" | "account_not_found" | "already_member" | "account_closed" | "account_suspended" | "subscription_active" | "owns_another_account" | "key_inactive" | "invitation_used" | "too_many_items" | "invitation_expired" | "live_key_required" | "plan_required" | "conversation_not_found" | "event_not_found" | "webhook_not_configured" | "invalid_code" | "expired" | "too_many_attempts" | "idempotency_key_used" | "otp_rate_limited" | "otp_blocked" | "invalid_plan" | "invalid_signature" | "invalid_event" | "mode_mismatch" | "already_on_plan" | "no_subscription" | "billing_manual" | "billing_unavailable";
        /** @description A message to send. A field that is null counts as omitted. */
        SendRequest: {
            /** @description The recipient: a phone number of 8 to 15 digits. Without a leading plus sign, it must have a length that numbers of its calling code have. With `whatsapp` and `auto`, it can be a WhatsApp ID, such as ML.9001 or 123456789@lid: `auto` then leaves out SMS. For `email`, a plain address such as name@example.com, whose domain contains a dot. */
            to: string;
            channel: components["schemas"]["RequestedChannel"];
            /** @description The text. Required, except with `preset`, which replaces it, and for an email that has `html`. At most 4,096 characters on WhatsApp, 1,530 by SMS (ten segments), and 200,000 by email. */
            message?: string | null;
            /** @description The HTML body of an email. If `message` is present, it is the text body. Other channels ignore this field. */
            html?: string | null;
            /** @description The subject of an email. Defaults to a general subject in the account's language. Other channels ignore this field. */
            subject?: string | null;
            /** @description Whether to check the request and respond as usual without sending anything. */
            sandbox?: boolean | null;
            /** @description The sender to use, if the account has several. */
            senderId?: string | null;
            /** @description The idempotency key, as in the header `Idempotency-Key`. */
            idempotencyKey?: components["schemas"]["IdempotencyKey"] | null;
            /**
             * @deprecated
             * @description This field is accepted and ignored.
             */
            template?: string | null;
            /**
             * @deprecated
             * @description This field is accepted and ignored.
             */
            buttons?: unknown[] | null;
            /** @description Whether the message contains a code or a recovery link. Its content is sealed until the message is final and is then erased. No history, status, or event contains it. A sensitive message expires after five minutes. */
            sensitive?: boolean | null;
            /** @description Whether to send `message.status` events for a simulated message. With `false`, they aren't sent. */
            sandboxWebhooks?: boolean | null;
            /** @description A prepared text that replaces `message`, in French or English. It fits one SMS segment if its variables have at most 74 characters in total. `otp` makes the message sensitive. */
            preset?: ("otp" | "order_confirmed" | "order_shipped" | "delivery_out" | "appointment_reminder" | "payment_received") | null;
            /**
             * @description The variables for the preset's text, each at most 120 characters, `url` at most 2,048. Required: `code` (otp); `orderId` (order_confirmed,
             *     order_shipped, delivery_out); `date` (appointment_reminder); `amount` (payment_received). Optional, if the preset's text contains them: `app`,
             *     `minutes`, `name`, `amount`, `url`, `carrier`, `trackingNumber`, `window`, `driverPhone`, `time`, `place`, `with`, `reference`, and `date`. `locale`
             *     selects `fr` (the default) or `en`. The text has the limits of `message`. A dry run returns its number of segments.
             */
            presetVariables?: {
                [key: string]: string;
            } | null;
            /** @description The https URL of an image, a video, an audio file, or a document of at most 16 MB, for WhatsApp. The file is fetched once, with at most five redirects, and its bytes determine its type. Its name is taken from Content-Disposition, or from the last part of the URL. The port must be 443, or 1024 or higher. Private addresses and hosts without a dot are rejected immediately. Names that resolve to private addresses are rejected when the file is fetched. The text is sent as its caption. Not for sensitive messages. */
            mediaUrl?: string | null;
            /** @description The caption of the file at mediaUrl. If `message` is also present, the caption follows it on a separate line. */
            caption?: string | null;
            /**
             * @description The time to send the message, in ISO 8601, extended or basic: a calendar date, alone or with a time, whose seconds and minutes can be omitted. It is in UTC if it has no offset. A future time, at most a year ahead, schedules the message. A past time sends it immediately. Not for sensitive messages.
             * @example 2026-06-01T08:00:00Z
             */
            scheduledAt?: string | null;
            /**
             * @description The time after which Griot stops trying, in ISO 8601. It must be after the time at which the message is due, by at most seven days. Defaults to 24 hours, 72 hours for email, and five minutes for sensitive messages, which it can only shorten.
             * @example 2026-06-01T09:00:00Z
             */
            expiresAt?: string | null;
            /**
             * @description The retry policy on each channel for attempts that didn't submit the message. `true` means three attempts in total, the second after one second. The
             *     delay then doubles each time. Defaults to one attempt.
             */
            retry?: boolean | components["schemas"]["RetryPolicy"] | null;
            /**
             * @description The ID of a WhatsApp group that the sender belongs to, from `GET /api/partner/whatsapp/groups`. The message is sent to the group, and `to` is only for your records. Not for sensitive messages.
             * @example 120363000000000001@g.us
             */
            groupId?: string | null;
            /** @description The metadata to store with the message. You can search for it with `GET /api/svc-logs`, and it is included in the message's status and events. Don't use it for secrets. It isn't stored for sensitive messages. */
            metadata?: components["schemas"]["Metadata"] | null;
            /** @description Whether to check the request and return the route, the size, and the remaining quota without storing or sending anything. Only for single sends. */
            dryRun?: boolean | null;
            /** @description The recipient's email address, for the channel `auto`. It is tried (as text) if neither WhatsApp nor SMS works. */
            email?: string | null;
            /** @description The format of the message on WhatsApp, if the gateway supports it: a template or an interactive part, but not both. `message` is still required. It is used on channels without such formats, and histories show it. */
            whatsapp?: components["schemas"]["WhatsAppForms"] | null;
            /** @description The number of seconds after which the next channel is tried, for the channel `auto`. It applies if the message hasn't been delivered and the gateway reports deliveries. Without this field, the next channel is tried only after a failure. */
            fallbackAfter?: number | null;
        };
        /** @description The number of attempts and the delay before the second one. */
        RetryPolicy: {
            /** @description The total number of attempts. Defaults to three. */
            maxAttempts?: number | null;
            /** @description The delay before the second attempt, in milliseconds. It doubles before each further attempt. Defaults to 1,000. */
            delayMs?: number | null;
        };
        /** @description The format of a message on WhatsApp. */
        WhatsAppForms: {
            /** @description A template that Meta has approved. */
            template?: components["schemas"]["WhatsAppTemplate"] | null;
            /** @description Buttons, a list, or a link below the text. */
            interactive?: components["schemas"]["WhatsAppInteractive"] | null;
        };
        /** @description A template that Meta has approved, with the values for its placeholders. `mediaUrl` is the image, video, or document of its header. */
        WhatsAppTemplate: {
            /**
             * @description The approved name of the template.
             * @example order_shipped
             */
            name: string;
            /**
             * @description The approved language of the template.
             * @example fr
             */
            language: string;
            /**
             * @description The category that Meta approved. Griot doesn't send it to Meta. A `marketing` template isn't sent to people who refuse marketing messages. If it is missing, the category that WhatsApp reported last for this template counts.
             * @enum {string}
             */
            category?: "marketing" | "utility" | "authentication";
            /** @description The value for the placeholder of a text header. Not with `mediaUrl`. */
            header?: string;
            /** @description The name of the placeholder for `header`, if the placeholders have names. Required with `named`, and rejected with `body`. */
            headerName?: string;
            /** @description The values for `{{1}}`, `{{2}}`, and so on. Each is one line with at most four consecutive spaces. */
            body?: string[];
            /** @description The values by name. Use it instead of `body` if the placeholders have names. */
            named?: {
                [key: string]: string;
            };
            /** @description The values for placeholders of the template's buttons. */
            buttons?: components["schemas"]["WhatsAppTemplateButton"][];
        };
        /** @description The value for the placeholder of a template's button. */
        WhatsAppTemplateButton: {
            /** @description The position of the button. 0 is the first button. */
            index: number;
            /**
             * @description The type of the button.
             * @enum {string}
             */
            type: "url" | "quick_reply" | "copy_code";
            /** @description The end of the address, what comes back when it is pressed, or the code to copy. */
            value: string;
        };
        /**
         * @description The content below the text: one of `buttons`, `list`, and `link`. If a person selects an option, you receive it as a message. `mediaUrl` is shown
         *     above buttons and links, whose text has at most 1,024 characters. Not for groups.
         */
        WhatsAppInteractive: {
            /** @description A line above the text. Not with `mediaUrl`. */
            header?: string;
            /** @description A line below the text. */
            footer?: string;
            /** @description The reply buttons. */
            buttons?: components["schemas"]["WhatsAppButton"][];
            /** @description A list to choose from. */
            list?: components["schemas"]["WhatsAppList"] | null;
            /** @description A button that opens a page. */
            link?: components["schemas"]["WhatsAppLink"] | null;
        };
        /** @description A button below a message. */
        WhatsAppButton: {
            /** @description The ID that you receive when the button is pressed. It must be unique in the message. */
            id: string;
            /** @description The label of the button. */
            title: string;
        };
        /** @description A list that opens from a button below a message. */
        WhatsAppList: {
            /** @description The label of the button that opens the list. */
            button: string;
            /** @description The sections, with at most ten rows in total. */
            sections: components["schemas"]["WhatsAppSection"][];
        };
        /** @description A group of rows in a list, with a title. */
        WhatsAppSection: {
            /** @description The title of the section. Required if there are several sections. */
            title?: string;
            /** @description The rows of the section. */
            rows: components["schemas"]["WhatsAppRow"][];
        };
        /** @description An option in a list. */
        WhatsAppRow: {
            /** @description The ID that you receive when the row is selected. It must be unique in the message. */
            id: string;
            /** @description The title of the row. */
            title: string;
            /** @description A smaller line below the title. */
            description?: string;
        };
        /** @description A button that opens a page. */
        WhatsAppLink: {
            /** @description The label of the button. */
            title: string;
            /**
             * Format: uri
             * @description The https or http URL.
             */
            url: string;
        };
        /** @description A phone number in E.164 format, with or without its plus sign. */
        PhoneNumber: string;
        /** @description The ID by which WhatsApp identifies a person whose number it hides: a business-scoped user ID, such as ML.9001, or a LID, such as 123456789@lid. Upper and lower case differ. */
        WhatsAppID: string;
        /** @description The expected result of the request. Nothing was stored or sent. */
        DryRun: {
            /** @constant */
            success: true;
            /** @constant */
            dryRun: true;
            channel: components["schemas"]["Channel"];
            /** @description A phone number with its plus sign, an email address, or a WhatsApp ID. */
            to: string;
            /** @description Whether the message would only be simulated. */
            sandbox: boolean;
            /** @description The number of characters in the text. */
            characters: number;
            /** @description The number of SMS segments of the text. Null if no step of the route uses SMS. */
            segments: number | null;
            /** @description The encoding of the text for SMS. A single character outside the GSM alphabet requires UCS-2, with 70 characters per segment instead of 160. */
            encoding: ("GSM-7" | "UCS-2" | "Latin-1") | null;
            /** @description The senders in the order in which Griot would try them, based on their current connections. Empty in the sandbox. */
            route: components["schemas"]["RouteStep"][];
            /** @description The number of messages that count toward today's quota. */
            messagesUsed: number;
            /** @description The day's quota. Null if there is none. */
            limit: number | null;
            /** @description The remaining quota of today. Null if there is none. */
            remaining: number | null;
            warnings?: components["schemas"]["Warnings"];
        };
        /** @description A sender that Griot would try. */
        RouteStep: {
            channel: components["schemas"]["Channel"];
            /** @description The sender's `id`. */
            senderId: string;
            /** @description The sender's number or address. */
            from: string;
        };
        /** @description The current result of a message. */
        SendResult: {
            /** @constant */
            success: true;
            messageId: components["schemas"]["MessageId"];
            notifMessageId: components["schemas"]["NotifMessageId"];
            channel: components["schemas"]["Channel"];
            /** @description A phone number with its plus sign, an email address, or a WhatsApp ID. */
            to: string;
            status: components["schemas"]["Status"];
            /** @description The number of messages that count toward today's quota. */
            messagesUsed: number;
            /** @description The day's quota. Null if there is none. */
            limit: number | null;
            /**
             * @description Present if the message had already been accepted under this key.
             * @constant
             */
            deduplicated?: true;
            /**
             * @description Present if the earlier request with this key had different content.
             * @constant
             */
            payloadMismatch?: true;
            warnings?: components["schemas"]["Warnings"];
        };
        /** @description A request for a one-time code. A field that is null counts as omitted. Unlike other endpoints, this one rejects fields that aren't described here. */
        CodeRequest: {
            to: components["schemas"]["PhoneNumber"];
            /** @description The channel. Defaults to `auto`, which tries WhatsApp, a backup sender for it, and then SMS. The response contains the channel that was used. */
            channel?: ("auto" | "whatsapp" | "sms") | null;
            /** @description The application that the code is for, as shown in the text: a name, an https origin such as https://shop.example, or its host in lowercase letters. It can contain only printable characters. */
            app?: string | null;
            /** @description The language of the text. Defaults to `fr`. */
            locale?: ("fr" | "en") | null;
            /** @description The number of digits. Defaults to six. */
            length?: number | null;
            /** @description The lifetime of the code in seconds. Defaults to five minutes. */
            ttlSeconds?: number | null;
            /** @description Whether to create a challenge without sending anything. Its code is all zeros. */
            sandbox?: boolean | null;
            /** @description The idempotency key, as in the header `Idempotency-Key`. */
            idempotencyKey?: components["schemas"]["IdempotencyKey"] | null;
        };
        /** @description A one-time code that was sent. */
        Challenge: {
            /** @constant */
            success: true;
            /** @description The challenge's ID, for `/api/otp/verify`. */
            challengeId: string;
            /**
             * Format: int64
             * @description The time at which the code expires, in Unix milliseconds.
             */
            expiresAt: number;
            /**
             * @description The channel that was used.
             * @enum {string}
             */
            channel: "whatsapp" | "sms";
            messageId: components["schemas"]["MessageId"];
            /** @description The number of messages that count toward today's quota. */
            messagesUsed: number;
            /** @description The day's quota. Null if there is none. */
            limit: number | null;
            /**
             * @description Present if the challenge had already been created under this key.
             * @constant
             */
            deduplicated?: true;
            /**
             * @description Present if the earlier request with this key was different.
             * @constant
             */
            payloadMismatch?: true;
            warnings?: components["schemas"]["Warnings"];
        };
        /** @description The current results of the messages of a batch. */
        BatchResult: {
            /** @description Whether all items succeeded. */
            success: boolean;
            /** @description The number of messages in the request. */
            total: number;
            /** @description The number of stored messages. */
            accepted: number;
            /** @description The number of messages that weren't stored or that failed. */
            failed: number;
            /** @description The number of messages that were skipped because an earlier one failed. */
            skipped: number;
            /** @description The results, in the order of the request. */
            results: components["schemas"]["BatchItem"][];
            /** @description The number of messages that count toward today's quota. */
            messagesUsed: number;
            /** @description The day's quota. Null if there is none. */
            limit: number | null;
            warnings?: components["schemas"]["Warnings"];
        };
        /** @description The result of one message of a batch, with the fields of a result or of an error. */
        BatchItem: {
            /** @description The item's position in the request, from 0. */
            index: number;
            /** @description Whether the message is stored and hasn't failed. */
            success: boolean;
            /** @description The status code that `/api/send` would have returned. 424 for a skipped item. */
            httpStatus: number;
            messageId?: components["schemas"]["MessageId"];
            notifMessageId?: components["schemas"]["NotifMessageId"];
            status?: components["schemas"]["Status"];
            channel?: components["schemas"]["Channel"];
            /** @description A phone number with its plus sign, an email address, or a WhatsApp ID. */
            to?: string;
            /** @constant */
            deduplicated?: true;
            /** @constant */
            payloadMismatch?: true;
            /** @description The error code, as in an error. */
            error?: components["schemas"]["ErrorCode"] | "skipped";
            /** @description The error code, as in an error. */
            code?: components["schemas"]["ErrorCode"] | "skipped";
            /** @description A sentence for people. */
            message?: string;
            /** @description The field that caused the error. */
            field?: string;
            warnings?: components["schemas"]["Warnings"];
        };
        /** @description A WhatsApp group. */
        Group: {
            /** @description The group's ID, for `groupId`. */
            id: string;
            /** @description The name that the group's members see. */
            name: string;
            /** @description The number of participants. */
            participants: number;
            /** @description Whether one of the account's senders is an administrator of the group. */
            isAdmin: boolean;
        };
        /** @description A share. Null if the divisor is zero. */
        Rate: number | null;
        /** @description Percentiles in milliseconds. Each is the value that this percentage of the messages didn't exceed. Null if there are no messages. */
        Percentiles: {
            p50: number | null;
            p95: number | null;
            p99: number | null;
        };
        /**
         * @description The counts of a channel. A message that was read also counts as delivered, and a delivered message also counts as sent. Failed counts FAILED and
         *     EXPIRED messages.
         */
        ChannelCounts: {
            /** @description The number of all messages on the channel. */
            total: number;
            /** @description The number of messages that a gateway accepted. */
            sent: number;
            /** @description The number of messages that reached the recipient's device or mailbox. */
            delivered: number;
            /** @description The number of messages that were opened. */
            read: number;
            /** @description The number of FAILED or EXPIRED messages. */
            failed: number;
        };
        /** @description Counts over the newest messages. */
        Analytics: {
            /** @constant */
            success: true;
            /** @description The number of counted messages. */
            sampleSize: number;
            /** @description The time at which the oldest of them was accepted. */
            from: components["schemas"]["TimeOrNull"];
            /** @description The time at which the newest of them was accepted. */
            to: components["schemas"]["TimeOrNull"];
            /** @description The number of messages with each status. */
            byStatus: {
                SCHEDULED: number;
                QUEUED: number;
                SENDING: number;
                SENT: number;
                FAILED: number;
                EXPIRED: number;
                DELIVERED: number;
                READ: number;
                CANCELED: number;
                SANDBOX: number;
            };
            /** @description The counts of each channel. */
            byChannel: {
                whatsapp: components["schemas"]["ChannelCounts"];
                sms: components["schemas"]["ChannelCounts"];
                email: components["schemas"]["ChannelCounts"];
            };
            /** @description The share of delivered messages among those that a gateway accepted. */
            deliveryRate: components["schemas"]["Rate"];
            /** @description The share of read messages among those that were delivered. Only WhatsApp reports it. */
            readRate: components["schemas"]["Rate"];
            /** @description The share of FAILED or EXPIRED messages among those that a gateway accepted or that failed or expired. */
            failureRate: components["schemas"]["Rate"];
            /** @description The share of messages that were tried on a second channel or with a second sender, among all messages. */
            fallbackRate: components["schemas"]["Rate"];
            /** @description The time from `createdAt` (for scheduled messages, from `scheduledAt`) until a gateway accepted the message and until it was delivered. */
            latencyMs: {
                sent: components["schemas"]["Percentiles"];
                delivered: components["schemas"]["Percentiles"];
            };
            /** @description The reasons for failed messages, most frequent first. */
            topErrors: {
                code: string;
                count: number;
            }[];
            /** @description The counts by UTC day of acceptance, oldest first. */
            byDay: {
                /** Format: date */
                date: string;
                total: number;
                delivered: number;
                failed: number;
            }[];
            /** @description The number of messages that count toward today's quota. */
            messagesUsed: number;
            /** @description The day's quota. Null if there is none. */
            limit: number | null;
        };
        /** @description A message in a list. */
        LogItem: {
            messageId: components["schemas"]["MessageId"];
            notifMessageId: components["schemas"]["NotifMessageId"];
            channel: components["schemas"]["Channel"];
            requestedChannel: components["schemas"]["RequestedChannel"];
            /** @description A phone number with its plus sign, an email address, or a WhatsApp ID. */
            to: string;
            status: components["schemas"]["Status"];
            /**
             * @description The type of the message, which shows whether it has an attachment.
             * @enum {string}
             */
            type: "text" | "media";
            /** @description The start of the text. Null for sensitive messages. */
            preview: string | null;
            /** @description The subject of an email. */
            subject: string | null;
            /**
             * @description The source of the message. `notice` is a message from the service to the account itself.
             * @enum {string}
             */
            source: "api" | "batch" | "otp" | "inbox" | "mcp" | "cli" | "dashboard" | "notice";
            /** @description Whether the message was only simulated. */
            sandbox: boolean;
            /** @description The project whose key sent the message. Null for the account itself. */
            projectId: string | null;
            /** @description The sender of the message. */
            senderId: string | null;
            /** @description The WhatsApp group that the message was sent to. */
            groupId: string | null;
            /** @description The reason for the failure. */
            errorCode: string | null;
            /** @description The number of times that a gateway was called to deliver the message. */
            attempts: number;
            metadata: components["schemas"]["MetadataOrNull"];
            createdAt: components["schemas"]["Time"];
            sentAt: components["schemas"]["TimeOrNull"];
            deliveredAt: components["schemas"]["TimeOrNull"];
        };
        /** @description The messages exchanged with one person. */
        Conversation: {
            id: string;
            /** @description The contact's number, as in `from` of the event `message.received`. Null if WhatsApp hides it. `contactId` is then present. */
            contactPhone: string | null;
            /** @description The contact's WhatsApp ID, to which messages can be sent. Null if the gateway doesn't report it. */
            contactId: components["schemas"]["WhatsAppID"] | null;
            /** @description The contact's WhatsApp username, without @. It can change at any time and doesn't identify a person. Null for none. */
            contactUsername: string | null;
            /** @description The name that the contact uses. */
            contactName: string | null;
            /**
             * Format: int64
             * @description The time in Unix milliseconds.
             */
            lastMessageAt: number;
            /** @description The start of the newest message. For an attachment without a caption, its name, or its type in brackets. `[deleted]` if the contact deleted it. */
            lastPreview: string | null;
            /** @description The number of unread messages from the contact. */
            unreadCount: number;
        };
        /** @description A message in the inbox. Missing values are null. */
        InboxMessage: {
            /** @description The message's ID. For an outgoing message, its `messageId`. */
            id: string;
            /**
             * @description The direction. `in` means that the contact wrote the message, and `out` means that the account did.
             * @enum {string}
             */
            direction: "in" | "out";
            /**
             * @description The type of the message. `unavailable` means that the gateway doesn't have its content, which can come later.
             * @enum {string}
             */
            type: "text" | "image" | "video" | "audio" | "document" | "sticker" | "location" | "contacts" | "reaction" | "unsupported" | "unavailable";
            /** @description The readable content: the text, a caption, the coordinates, name, and address of a place, the names and numbers of contacts, or the emoji of a reaction. */
            content: string | null;
            /** @description The URL of an attachment: at `/api/media/{id}`, or at a gateway that stores it itself. */
            mediaUrl: string | null;
            /** @description The reason that the attachment is missing, although one was sent. */
            mediaMissing: ("pending" | "too_large" | "account_full" | "unavailable") | null;
            /** @description The media type of the attachment. */
            mimeType: string | null;
            /** @description The file name of the attachment. */
            fileName: string | null;
            /** @description The status of an outgoing message. */
            status: components["schemas"]["Status"] | null;
            /** @description The button or row that the contact selected. `content` is its title. */
            choice: components["schemas"]["PressedChoice"] | null;
            /** @description The values that the contact entered in a form (a flow). */
            response: {
                [key: string]: unknown;
            } | null;
            /** @description Griot's ID of the message that this one replies to: one that the account sent, or an earlier one from the contact. Null if it isn't a reply, or if that message is no longer known. */
            replyTo: string | null;
            /**
             * Format: int64
             * @description The time in Unix milliseconds.
             */
            at: number;
            /**
             * Format: int64
             * @description The time at which the contact last edited the message, in Unix milliseconds. Null if it was never edited.
             */
            editedAt: number | null;
            /**
             * Format: int64
             * @description The time at which the contact deleted the message, in Unix milliseconds. Its content and attachment are then deleted. Null if it isn't deleted.
             */
            deletedAt: number | null;
            /** @description True if the provider's own agent, such as Meta's Business Agent, had the conversation when the message arrived. Absent otherwise. */
            standby?: boolean;
            /** @description True if the owner of a linked number wrote the message on the phone. It then has the direction `out`, no status, and no attachment. Absent otherwise. */
            fromPhone?: boolean;
        };
        /** @description A button or a row that was selected. */
        PressedChoice: {
            /** @description The ID that it was sent with. Null if the gateway doesn't report it. */
            id: string | null;
            /** @description The title of the button or row. */
            title: string;
        };
        /** @description The cursor of the next page. Null on the last page. */
        NextCursor: string | null;
        /** @description The revision, which changes with everything that the inbox shows. Compare it only for equality. */
        Revision: string;
        /** @description A mark that identifies the account. It is always the same and isn't the account's ID. */
        AccountMark: string;
        /** @description The result of a tool. */
        ToolResult: {
            /** @description One text. `read_attachment` adds the file. */
            content: ({
                /** @constant */
                type: "text";
                /** @description The response body that the HTTP interface would return. For tools that read, a warning line precedes it. */
                text: string;
            } | {
                /** @enum {string} */
                type: "image" | "audio";
                /** @description The file, in Base64. */
                data: string;
                mimeType: string;
            } | {
                /** @constant */
                type: "resource";
                /** @description Another file. */
                resource: {
                    /** @description The address of the file. */
                    uri: string;
                    mimeType: string;
                    /** @description The file, in Base64. */
                    blob: string;
                };
            })[];
            /** @constant */
            isError?: true;
            resultType?: components["schemas"]["ResultType"];
            _meta?: components["schemas"]["ResultMeta"];
        };
        /**
         * @description In 2026-07-28. Absent in the other versions.
         * @constant
         */
        ResultType: "complete";
        /** @description The program that responds, in 2026-07-28. Absent in the other versions. */
        ResultMeta: {
            "io.modelcontextprotocol/serverInfo": components["schemas"]["ServerInfo"];
        };
        /** @description The program that responds, with its version. */
        ServerInfo: {
            name: string;
            title: string;
            version: string;
        };
        /** @description How long a client can cache the result, in milliseconds. In 2026-07-28; absent in the other versions. */
        TTL: number;
        /**
         * @description Whose cache can have the result. In 2026-07-28; absent in the other versions.
         * @constant
         */
        CacheScope: "private";
        /** @description The features of the endpoint. */
        AssistantCapabilities: {
            tools: Record<string, never>;
        };
        /** @description The versions and features of the assistant endpoint, in 2026-07-28. */
        Discovered: {
            resultType: components["schemas"]["ResultType"];
            /** @description The supported versions, newest first. */
            supportedVersions: string[];
            capabilities: components["schemas"]["AssistantCapabilities"];
            instructions: string;
            ttlMs: components["schemas"]["TTL"];
            cacheScope: components["schemas"]["CacheScope"];
            _meta: components["schemas"]["ResultMeta"];
        };
        /** @description The available tools. */
        ToolList: {
            tools: {
                name: string;
                title: string;
                description: string;
                inputSchema: Record<string, never>;
                annotations: Record<string, never>;
            }[];
            resultType?: components["schemas"]["ResultType"];
            ttlMs?: components["schemas"]["TTL"];
            cacheScope?: components["schemas"]["CacheScope"];
            _meta?: components["schemas"]["ResultMeta"];
        };
        /** @description The identity and capabilities of the assistant endpoint. */
        Initialized: {
            /** @enum {string} */
            protocolVersion: "2025-06-18" | "2025-11-25";
            capabilities: components["schemas"]["AssistantCapabilities"];
            serverInfo: components["schemas"]["ServerInfo"];
            instructions: string;
        };
        /** @description A JSON-RPC error response. */
        RPCFailure: {
            /** @constant */
            jsonrpc: "2.0";
            /** @description The ID of the request. Null if it couldn't be read. */
            id: string | number | null;
            error: components["schemas"]["RPCError"];
        };
        /** @description The error of a JSON-RPC call. */
        RPCError: {
            /** @enum {integer} */
            code: -32700 | -32600 | -32601 | -32602 | -32022 | -32020;
            /** @description A sentence for people. */
            message: string;
            data?: {
                supported: string[];
                requested: string;
            };
        };
        /** @description A message and its events. */
        MessageStatus: {
            /** @constant */
            success: true;
            messageId: components["schemas"]["MessageId"];
            notifMessageId: components["schemas"]["NotifMessageId"];
            /** @description The gateway's ID of the message. */
            providerMessageId: string | null;
            channel: components["schemas"]["Channel"];
            requestedChannel: components["schemas"]["RequestedChannel"];
            /** @description A phone number with its plus sign, an email address, or a WhatsApp ID. */
            to: string;
            status: components["schemas"]["Status"];
            createdAt: components["schemas"]["Time"];
            scheduledAt: components["schemas"]["TimeOrNull"];
            sentAt: components["schemas"]["TimeOrNull"];
            deliveredAt: components["schemas"]["TimeOrNull"];
            readAt: components["schemas"]["TimeOrNull"];
            failedAt: components["schemas"]["TimeOrNull"];
            expiresAt: components["schemas"]["Time"];
            /** @description The number of times that a gateway was called to deliver the message. */
            attempts: number;
            /** @description The sender of the message. */
            senderId: string | null;
            /** @description The WhatsApp group that the message was sent to. */
            groupId: string | null;
            /** @description The project whose key sent the message. Null for the account itself. */
            projectId: string | null;
            /** @description Whether the message was only simulated. */
            sandbox: boolean;
            /** @description Whether the message is sensitive. No response contains the content of a sensitive message. */
            sensitive: boolean;
            metadata: components["schemas"]["MetadataOrNull"];
            /** @description What the provider has reported about the price of the message. Null if it has reported nothing. */
            pricing: {
                /** @description Whether the provider charges for the message. WhatsApp charges only for delivered messages. */
                billable: boolean;
                /** @description The provider's word for the category, such as `utility` or `service`. */
                category: string | null;
            } | null;
            /** @description The reason for the failure. Null if the message didn't fail. */
            error: components["schemas"]["DeliveryError"] | null;
            /** @description The events of the message, oldest first. */
            events: components["schemas"]["TimelineEntry"][];
        };
        /** @description A step of a message. */
        TimelineEntry: {
            status: components["schemas"]["Status"];
            at: components["schemas"]["Time"];
            channel: components["schemas"]["Channel"];
            /** @description The sender of the message. */
            senderId: string | null;
            /** @description The error that caused this step. */
            error: components["schemas"]["DeliveryError"] | null;
            /** @description A short reason, such as a retry or a change of channel. */
            note: string | null;
        };
        /** @description The reason that a message failed. */
        DeliveryError: {
            /** @description Griot's error code. */
            code: string;
            /** @description A sentence for people. */
            message: string;
            /** @description The gateway's error code. */
            providerCode: string | null;
            /** @description Whether the same message might succeed later. */
            retryable: boolean;
        };
        /** @description A response without further data. */
        Done: {
            /** @constant */
            success: true;
        };
        /** @description The session of a signed-in user. */
        Session: {
            /** @constant */
            success: true;
            /**
             * Format: email
             * @description The email address of the signed-in user.
             */
            email: string;
            expiresAt: components["schemas"]["Time"];
            /** @description The time at which the user last entered an email code. Null if never. Changes to keys and members require a code from the last 15 minutes. */
            codeAt: components["schemas"]["TimeOrNull"];
            /** @description The account that the session uses. Null if the address doesn't belong to an account. */
            accountId: string | null;
            /** @description The accounts that the address belongs to, its own account first. */
            accounts: {
                id: string;
                name: string;
                role: components["schemas"]["Role"];
            }[];
        };
        /**
         * @description The role of a user. An owner can do everything. A developer has projects, the keys that they create in them, and their logs. A viewer can read logs and statistics.
         * @enum {string}
         */
        Role: "owner" | "developer" | "viewer";
        /** @description A part of the account, with its own keys and messages. */
        Project: {
            id: string;
            /** @description The name, for people. */
            name: string;
            createdAt: components["schemas"]["Time"];
        };
        /** @description A key without its secret. */
        Key: {
            id: string;
            /**
             * @description The kind of the key, which determines its rights.
             * @enum {string}
             */
            kind: "live" | "test" | "project";
            /** @description The project of a project key. */
            projectId: string | null;
            /** @description The name, for people. */
            name: string | null;
            /** @description The first characters of the key. */
            prefix: string;
            /** @description The first characters of the key, followed by dots. */
            masked: string;
            /** @description The member who created the key. Null for the owner or an operator. */
            createdBy: string | null;
            createdAt: components["schemas"]["Time"];
            /** @description The time of the last use, to the minute. Null if the key has never been used. */
            lastUsedAt: components["schemas"]["TimeOrNull"];
            revokedAt: components["schemas"]["TimeOrNull"];
            /** @description The time at which the key ends automatically because it was replaced. Null if it doesn't end. */
            expiresAt: components["schemas"]["TimeOrNull"];
            assistantTools: components["schemas"]["AssistantTools"];
        };
        /** @description The groups of tools that a live key has at the [assistant endpoint](/docs/assistant), in addition to the four that every live key has. Empty for none, and for keys of other kinds. */
        AssistantTools: ("search" | "unread" | "attachments" | "status" | "send")[];
        /** @description A person who can use the account. */
        Member: {
            id: string;
            /**
             * Format: email
             * @description The email address with which the member signs in.
             */
            email: string;
            /**
             * @description The member's role.
             * @enum {string}
             */
            role: "developer" | "viewer";
            /** @description The IDs of a developer's projects. */
            projects: string[];
            joinedAt: components["schemas"]["Time"];
        };
        /** @description A person who was invited to become a member. */
        Invitation: {
            id: string;
            /**
             * Format: email
             * @description The invited email address.
             */
            email: string;
            /**
             * @description The role of the future member.
             * @enum {string}
             */
            role: "developer" | "viewer";
            /** @description The IDs of a developer's projects. Null for all projects that exist when the invitation is accepted. */
            projects: string[] | null;
            createdAt: components["schemas"]["Time"];
            expiresAt: components["schemas"]["Time"];
        };
        /** @description The account's plan, with its daily number of messages and its end. */
        AccountPlan: {
            /** @description The agreed plan. */
            name: string;
            /** @description The plan in effect: free after the agreed plan has expired, pro during a trial of it. */
            effective: string;
            /** @description The number of messages per UTC day. Null if there is no limit. */
            dailyLimit: number | null;
            expiresAt: components["schemas"]["TimeOrNull"];
            /** @description Whether a better plan is being tried. */
            trial: boolean;
            trialEndsAt: components["schemas"]["TimeOrNull"];
        };
        /** @description The usage of the day's quota. Days are in UTC. */
        DayUsage: {
            /**
             * Format: date
             * @description The day.
             */
            date: string;
            /** @description The number of messages that count toward the quota. */
            messagesUsed: number;
            /** @description The quota. Null if there is no limit. */
            limit: number | null;
            /** @description The remaining quota. Null if there is no limit. */
            remaining: number | null;
            resetAt: components["schemas"]["Time"];
        };
        /** @description The data of the billing page. */
        Billing: {
            /** @constant */
            success: true;
            /**
             * @description The payment provider.
             * @enum {string}
             */
            provider: "manual" | "stripe";
            /** @description The mode of the payment provider. In TEST mode, no real money is charged. Null without a payment provider. */
            mode: ("LIVE" | "TEST") | null;
            /** @description The contact for questions about plans: an email address or an https URL. */
            contact: string | null;
            plan: components["schemas"]["AccountPlan"];
            usage: components["schemas"]["DayUsage"];
            /** @description The account's subscription, as last reported by the provider. Null if there is none. */
            subscription: {
                /** @description The plan. Null if the price isn't for sale here. */
                plan: string | null;
                priceId: string | null;
                /** @description The status that the provider reports. `active` and `trialing` activate the plan. With any other status, such as `past_due`, the account is on the free plan until it pays. */
                status: string;
                renewsAt: components["schemas"]["TimeOrNull"];
                /** @description The end of the subscription. Null while it renews. */
                endsAt: components["schemas"]["TimeOrNull"];
                trialEndsAt: components["schemas"]["TimeOrNull"];
            } | null;
            /** @description The plans, smallest first. A plan without a daily limit is listed only if the account has it or it is for sale. */
            plans: {
                name: string;
                /** @description Whether the plan is in effect now. */
                current: boolean;
                /** @description The number of messages per UTC day. Null if there is no limit. */
                dailyLimit: number | null;
                /** @description The number of requests per second and key. Null if there is no limit. */
                rate: number | null;
                /** @description Whether the plan includes the inbox and the assistant endpoint. */
                inbox: boolean;
                /** @description The number of messages per recipient and day. Null if there is no limit. */
                recipientCap: number | null;
                /** @description The prices. Empty for a plan that isn't for sale. */
                prices: {
                    id: string;
                    /**
                     * Format: int64
                     * @description The amount in the currency's smallest unit.
                     */
                    amount: number;
                    /** @description The ISO 4217 code in lowercase letters. */
                    currency: string;
                    /** @enum {string} */
                    interval: "day" | "week" | "month" | "year";
                    intervalCount: number;
                }[];
            }[];
            /** @description The latest invoices, newest first. */
            invoices: {
                id: string;
                number: string | null;
                /** @enum {string} */
                status: "open" | "paid" | "uncollectible" | "void";
                /**
                 * Format: int64
                 * @description The amount in the currency's smallest unit.
                 */
                amount: number;
                currency: string;
                createdAt: components["schemas"]["Time"];
                /** Format: uri */
                url: string | null;
                /** Format: uri */
                pdfUrl: string | null;
            }[];
            actions: {
                /** @description Whether plans are for sale. */
                checkout: boolean;
                /** @description Whether the billing portal is available. */
                portal: boolean;
            };
            /** @description Whether prices and invoices are available. */
            providerReachable: boolean;
        };
        /** @description A page of the payment provider. */
        BillingPage: {
            /** @constant */
            success: true;
            /**
             * Format: uri
             * @description The URL of a page of the payment provider. It is a secret of the account.
             */
            url: string;
        };
        /** @description The signed-in user and the account that they use. */
        Profile: {
            /** @constant */
            success: true;
            developer: {
                /** @description The ID of the account or of a member. */
                id: string;
                name: string | null;
                /** Format: email */
                email: string;
                role: components["schemas"]["Role"];
                createdAt: components["schemas"]["TimeOrNull"];
            };
            account: {
                id: string;
                name: string;
            };
            /** @description The latest live key. Null if there is none, and for members. */
            apiKey: {
                /** @constant */
                kind: "live";
                prefix: string;
                masked: string;
                createdAt: components["schemas"]["Time"];
                lastUsedAt: components["schemas"]["TimeOrNull"];
            } | null;
            plan: components["schemas"]["AccountPlan"];
            usage: components["schemas"]["DayUsage"];
            /** @description The account's latest messages. Empty for members. */
            recentMessages: components["schemas"]["LogItem"][];
            /** @description The webhook endpoint. Null for members. Unknown values are null. */
            webhook: {
                /** Format: uri */
                url: string | null;
                enabled: boolean;
                secretMasked: string | null;
                lastDeliveryAt: components["schemas"]["TimeOrNull"];
                lastStatusCode: number | null;
                failingSince: components["schemas"]["TimeOrNull"];
                /** @description The number of pending events. 1001 means more than 1,000. */
                pending: number | null;
            } | null;
            senders: {
                id: string;
                channel: components["schemas"]["Channel"];
                address: string;
                /** @enum {string} */
                state: "disconnected" | "pairing" | "connecting" | "connected" | "restricted" | "logged_out" | "banned" | "outdated";
                /** @description The reason for the state, as in the sender. */
                reason: string | null;
                /** @description The time at which the state is expected to end, as in the sender. */
                until: components["schemas"]["TimeOrNull"];
            }[];
            features: {
                inbox: boolean;
                mcp: boolean;
            };
        };
    };
    responses: {
        /** @description The URL set a language or a theme (`lang`, `theme`). Griot stores the choice in a cookie and redirects to the same page without these parameters. */
        PageChosen: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                /**
                 * @description The page.
                 * @example ?
                 */
                Location: string;
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The caller's copy is current. */
        NotModified: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The URL or its query is malformed: `invalid_request`. */
        BadRequest: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": "invalid_request",
                 *       "code": "invalid_request",
                 *       "message": "limit must be 1 to 200.",
                 *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                 *       "docsUrl": "https://api.example.com/docs/errors#invalid_request"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The key is missing, unknown, or revoked, or the request has two different keys: `unauthorized`. */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                /**
                 * @description The authentication scheme to use.
                 * @example Bearer
                 */
                "WWW-Authenticate": string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": "unauthorized",
                 *       "code": "unauthorized",
                 *       "message": "The API key is missing, unknown, or revoked.",
                 *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                 *       "docsUrl": "https://api.example.com/docs/errors#unauthorized"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The key is valid but isn't allowed to do this: `forbidden`. Or the account is suspended: `account_suspended`. */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": "forbidden",
                 *       "code": "forbidden",
                 *       "message": "This type of key can't call this endpoint.",
                 *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                 *       "docsUrl": "https://api.example.com/docs/errors#forbidden"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The sender and its queued messages. */
        Sender: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": true,
                 *       "sender": {
                 *         "id": "snd_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                 *         "channel": "sms",
                 *         "address": "+22370000003",
                 *         "gateway": "sms",
                 *         "platform": false,
                 *         "state": "connected",
                 *         "reason": null,
                 *         "until": null,
                 *         "since": "2026-03-01T12:00:00.120Z",
                 *         "pausedAt": "2026-03-01T12:05:00.000Z",
                 *         "health": {
                 *           "lastAcknowledgedAt": "2026-03-01T12:04:00.480Z",
                 *           "lastFailureAt": null,
                 *           "consecutiveFailures": 0,
                 *           "restingUntil": null
                 *         },
                 *         "warmUp": null
                 *       },
                 *       "queue": {
                 *         "ready": 3,
                 *         "later": 12
                 *       },
                 *       "lastFailure": null,
                 *       "history": [
                 *         {
                 *           "state": "connected",
                 *           "reason": null,
                 *           "until": null,
                 *           "at": "2026-03-01T12:00:00.120Z"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @constant */
                    success: true;
                    sender: components["schemas"]["SenderItem"];
                    /** @description The numbers of queued messages, each counted up to 10,000. Null for the platform's senders. */
                    queue: null | {
                        /** @description The number of messages that are waiting for their turn. */
                        ready: number;
                        /** @description The number of messages that are waiting for their time: scheduled messages and retries. */
                        later: number;
                    };
                    /** @description The latest message that failed with this sender, among the account's latest messages. Null if there is none. */
                    lastFailure: null | {
                        messageId: components["schemas"]["MessageId"];
                        at: components["schemas"]["TimeOrNull"];
                        error: null | components["schemas"]["DeliveryError"];
                    };
                    /** @description The latest states of its connection that lasted for some seconds, newest first, at most 20. */
                    history: {
                        /** @enum {string} */
                        state: "disconnected" | "pairing" | "connecting" | "connected" | "restricted" | "logged_out" | "banned" | "outdated";
                        /** @description The reason for the state, as in the sender. */
                        reason: string | null;
                        /** @description The time at which the state is expected to end, as in the sender. */
                        until: components["schemas"]["TimeOrNull"];
                        /**
                         * Format: date-time
                         * @description The start time of the state.
                         */
                        at: string;
                    }[];
                };
            };
        };
        /** @description The account has no sender with this ID: `sender_not_found`. */
        SenderNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": "sender_not_found",
                 *       "code": "sender_not_found",
                 *       "message": "The account doesn't have this sender.",
                 *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                 *       "docsUrl": "https://api.example.com/docs/errors#sender_not_found"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The progress of the pairing. Don't store the response. */
        CurrentPairing: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": true,
                 *       "pairing": {
                 *         "state": "waiting",
                 *         "qr": null,
                 *         "code": "ABCD-EFGH",
                 *         "expiresAt": "2026-03-01T12:02:40.000Z",
                 *         "reason": null
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @constant */
                    success: true;
                    pairing: components["schemas"]["Pairing"];
                };
            };
        };
        /**
         * @description The request used a key (`session_required`) or didn't come from a page of this service (`origin_mismatch`). Or the signed-in user isn't the owner
         *     (`forbidden`), doesn't belong to an account (`account_required`), or hasn't entered an email code in the last 15 minutes (`recent_code_required`). Or
         *     the sender is the platform's (`forbidden`). Or the account is suspended: `account_suspended`.
         */
        PairingForbidden: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": "recent_code_required",
                 *       "code": "recent_code_required",
                 *       "message": "This request needs a code from an email of the last 15 minutes.",
                 *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                 *       "docsUrl": "https://api.example.com/docs/errors#recent_code_required"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The sender's gateway doesn't support linking numbers: `pairing_unsupported`. */
        PairingUnsupported: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": "pairing_unsupported",
                 *       "code": "pairing_unsupported",
                 *       "message": "The sender's gateway can't link numbers.",
                 *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                 *       "docsUrl": "https://api.example.com/docs/errors#pairing_unsupported"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The sender's gateway isn't available (`gateway_unavailable`), or the storage isn't available (`storage_unavailable`). */
        PairingUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": "gateway_unavailable",
                 *       "code": "gateway_unavailable",
                 *       "message": "The sender's gateway can't be reached, or refuses the service.",
                 *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                 *       "docsUrl": "https://api.example.com/docs/errors#gateway_unavailable"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description Only the account's owner can call this endpoint. The request used a project key or a test key (`live_key_required`). Or the signed-in user isn't the
         *     owner (`forbidden`) or doesn't belong to an account (`account_required`). Or a request for a change didn't come from a page of this service
         *     (`origin_mismatch`). Or the account is suspended: `account_suspended`.
         */
        OwnerForbidden: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": "live_key_required",
                 *       "code": "live_key_required",
                 *       "message": "This is for the account's owner. Project and test keys have no access.",
                 *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                 *       "docsUrl": "https://api.example.com/docs/errors#live_key_required"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description Only the owner can use the inbox, with a live key (`live_key_required`) and on a plan that includes it (`plan_required`, with the smallest such plan
         *     in `requiredPlan`). Or the account is suspended: `account_suspended`.
         */
        InboxForbidden: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request used a key, but only a signed-in user can call this endpoint: `session_required`. */
        SessionRequired: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": "session_required",
                 *       "code": "session_required",
                 *       "message": "This request needs a dashboard session. Keys have no access.",
                 *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                 *       "docsUrl": "https://api.example.com/docs/errors#session_required"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is too large: `payload_too_large`. */
        TooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": "payload_too_large",
                 *       "code": "payload_too_large",
                 *       "message": "The body is too large.",
                 *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                 *       "docsUrl": "https://api.example.com/docs/errors#payload_too_large"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body isn't JSON: `unsupported_media_type`. */
        MediaType: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": "unsupported_media_type",
                 *       "code": "unsupported_media_type",
                 *       "message": "The content type is not supported here.",
                 *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                 *       "docsUrl": "https://api.example.com/docs/errors#unsupported_media_type"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Nothing exists at this URL: `not_found`. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": "not_found",
                 *       "code": "not_found",
                 *       "message": "There is nothing at this address.",
                 *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                 *       "docsUrl": "https://api.example.com/docs/errors#not_found"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The operator hasn't enabled this: `method_not_allowed`. */
        SetByOperator: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                /**
                 * @description The methods of this URL.
                 * @example GET, HEAD
                 */
                Allow: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": "method_not_allowed",
                 *       "code": "method_not_allowed",
                 *       "message": "This address doesn't support the method.",
                 *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                 *       "docsUrl": "https://api.example.com/docs/errors#method_not_allowed"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The account has no endpoint to deliver to: `webhook_not_configured`. */
        NoEndpoint: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": "webhook_not_configured",
                 *       "code": "webhook_not_configured",
                 *       "message": "The account has no webhook endpoint.",
                 *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                 *       "docsUrl": "https://api.example.com/docs/errors#webhook_not_configured"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Too many requests: `rate_limited`. */
        TooManyRequests: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                "RateLimit-Limit": components["headers"]["RateLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": "rate_limited",
                 *       "code": "rate_limited",
                 *       "message": "Too many requests.",
                 *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                 *       "docsUrl": "https://api.example.com/docs/errors#rate_limited"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description An internal error occurred: `internal`. */
        Internal: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": "internal",
                 *       "code": "internal",
                 *       "message": "Something went wrong on our side.",
                 *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                 *       "docsUrl": "https://api.example.com/docs/errors#internal"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The storage isn't available, and nothing was accepted: `storage_unavailable`. */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": "storage_unavailable",
                 *       "code": "storage_unavailable",
                 *       "message": "The service can't reach its storage.",
                 *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                 *       "docsUrl": "https://api.example.com/docs/errors#storage_unavailable"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /**
         * @description The sender's ID.
         * @example snd_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
         */
        SenderId: string;
        /**
         * @description The language that the person chooses for all pages: `fr` or `en`. Other values are ignored.
         * @example en
         */
        Lang: string;
        /**
         * @description The theme that the person chooses for all pages: `light` or `dark`. Other values are ignored.
         * @example dark
         */
        Theme: string;
        /**
         * @description The event's `eventId`, which is also its `webhook-id`.
         * @example evt_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
         */
        EventId: components["schemas"]["EventId"];
    };
    requestBodies: never;
    headers: {
        /**
         * @description The ID of the request. Include it when you report a problem.
         * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
         */
        RequestId: components["schemas"]["Id26"];
        /**
         * @description The number of whole seconds to wait before you retry.
         * @example 5
         */
        RetryAfter: number;
        /**
         * @description The number of requests per second that the key's plan allows. Present if rates are limited.
         * @example 50
         */
        RateLimit: number;
        /**
         * @description The number of requests that are certain to pass now, at most `RateLimit-Limit`. After a pause, a burst of twice as many passes.
         * @example 49
         */
        RateLimitRemaining: number;
        /**
         * @description The number of seconds, rounded up, until the whole burst is available again.
         * @example 1
         */
        RateLimitReset: number;
        /**
         * @description The entity tag. Send it in `If-None-Match` to get 304 until the content changes.
         * @example "3q2-7wEjRWeJq83v"
         */
        ETag: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    sendMessage: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The key that makes the request safe to repeat. If the body also has `idempotencyKey`, both must be the same.
                 * @example order-2041-shipped
                 */
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /**
                 * @description Simulates the request if set to 1 or true, like `sandbox` in the body. 0 and false have no effect.
                 * @example 1
                 */
                "X-Svc-Sandbox"?: "0" | "1" | "true" | "false";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendRequest"];
            };
        };
        responses: {
            /** @description A gateway accepted the message (SENT), the message was simulated (SANDBOX), or a message was already accepted under the same key (`deduplicated`). */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendResult"] | components["schemas"]["DryRun"];
                };
            };
            /** @description The message is stored and in progress. The gateway hasn't responded yet (QUEUED), or the scheduled time hasn't been reached (SCHEDULED). */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "messageId": "msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "notifMessageId": "ntf_01J9ZK3V8QA1B2C3D4E5F6G7H8",
                     *       "channel": "sms",
                     *       "to": "+22370112233",
                     *       "status": "QUEUED",
                     *       "messagesUsed": 13,
                     *       "limit": 500
                     *     }
                     */
                    "application/json": components["schemas"]["SendResult"];
                };
            };
            /**
             * @description The request is invalid and nothing was stored: `invalid_json`, `invalid_request`, `invalid_channel`, `invalid_phone`, `number_required`, `invalid_email`,
             *     `invalid_preset`, `missing_variable`, `sensitive_not_allowed`, `media_not_supported`, `invalid_idempotency_key`, `idempotency_mismatch`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description The channel has no sender with this ID: `sender_not_found`. */
            404: components["responses"]["NotFound"];
            /**
             * @description The message of this key failed or expired (`message_failed`, with its `messageId`), or the key belongs to a message that this request can't repeat
             *     (`idempotency_key_used`). Or no gateway is available to deliver the message (`gateway_not_connected`), only paused senders are available
             *     (`sender_paused`), the recipient opted out of this channel (`recipient_opted_out`), or wants no marketing messages (`marketing_stopped`). In the
             *     last four cases, nothing was stored or charged.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "payload_too_large",
                     *       "code": "payload_too_large",
                     *       "message": "The body is too large.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#payload_too_large"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body isn't JSON: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "unsupported_media_type",
                     *       "code": "unsupported_media_type",
                     *       "message": "The content type is not supported here.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#unsupported_media_type"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The day's quota is used up (`quota_exceeded`, with `upgradeUrl` for a larger plan), or the recipient reached the daily limit
             *     (`recipient_limit_reached`). Or requests are sent too fast (`rate_limited`).
             */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            500: components["responses"]["Internal"];
            /**
             * @description No gateway accepted the message: `provider_error`. The message is stored as FAILED. If it wasn't submitted to a gateway, its unit of the quota is
             *     refunded.
             */
            502: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "provider_error",
                     *       "code": "provider_error",
                     *       "message": "The gateway refused the message or couldn't deliver it.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#provider_error",
                     *       "messageId": "msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "notifMessageId": "ntf_01J9ZK3V8QA1B2C3D4E5F6G7H8",
                     *       "channel": "sms",
                     *       "to": "+22370112233",
                     *       "status": "FAILED",
                     *       "reason": "recipient_unreachable",
                     *       "messagesUsed": 12,
                     *       "limit": 500
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing was accepted. Too many messages are in progress, `overloaded`, or the storage isn't available, `storage_unavailable`. */
            503: components["responses"]["Unavailable"];
        };
    };
    sendBatch: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The key that makes the batch safe to repeat. If the body also has `idempotencyKey`, both must be the same.
                 * @example orders-2026-03-01
                 */
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /**
                 * @description Simulates the batch if set to 1 or true. 0 and false have no effect.
                 * @example 1
                 */
                "X-Svc-Sandbox"?: "0" | "1" | "true" | "false";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "messages": [
                 *         {
                 *           "to": "+22370112233",
                 *           "channel": "sms",
                 *           "message": "Your order 2041 has left."
                 *         },
                 *         {
                 *           "to": "+22370112244",
                 *           "channel": "sms",
                 *           "message": "Your order 2042 has left."
                 *         }
                 *       ],
                 *       "idempotencyKey": "orders-2026-03-01"
                 *     }
                 */
                "application/json": {
                    /** @description The messages, each with the body of `/api/send`. An invalid item, of any JSON type, fails on its own and doesn't invalidate the batch. */
                    messages: components["schemas"]["SendRequest"][];
                    /** @description Whether to continue with the other items if an item is rejected at acceptance and not stored (for example, with 400 or 409). All items are accepted in one commit before a gateway is called. Therefore, an item that a gateway rejects later (502) never stops the batch, with or without this field. */
                    continueOnError?: boolean | null;
                    /** @description The idempotency key, as in the header `Idempotency-Key`. */
                    idempotencyKey?: components["schemas"]["IdempotencyKey"] | null;
                    /** @description Whether to simulate every message of the batch. */
                    sandbox?: boolean | null;
                };
            };
        };
        responses: {
            /** @description The result of each item. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "total": 3,
                     *       "accepted": 1,
                     *       "failed": 1,
                     *       "skipped": 1,
                     *       "results": [
                     *         {
                     *           "index": 0,
                     *           "success": true,
                     *           "httpStatus": 200,
                     *           "messageId": "msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *           "notifMessageId": "ntf_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *           "status": "SENT",
                     *           "channel": "sms",
                     *           "to": "+22370112233"
                     *         },
                     *         {
                     *           "index": 1,
                     *           "success": false,
                     *           "httpStatus": 400,
                     *           "error": "invalid_phone",
                     *           "code": "invalid_phone",
                     *           "message": "to must be an E.164 phone number.",
                     *           "field": "to"
                     *         },
                     *         {
                     *           "index": 2,
                     *           "success": false,
                     *           "httpStatus": 424,
                     *           "error": "skipped",
                     *           "code": "skipped",
                     *           "message": "An item before this one was refused."
                     *         }
                     *       ],
                     *       "messagesUsed": 13,
                     *       "limit": 500
                     *     }
                     */
                    "application/json": components["schemas"]["BatchResult"];
                };
            };
            /** @description The batch is invalid and nothing was sent: `invalid_json`, `invalid_request`, `batch_too_large`, `invalid_idempotency_key`, `idempotency_mismatch`. */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description The body is too large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "payload_too_large",
                     *       "code": "payload_too_large",
                     *       "message": "The body is too large.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#payload_too_large"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body isn't JSON: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "unsupported_media_type",
                     *       "code": "unsupported_media_type",
                     *       "message": "The content type is not supported here.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#unsupported_media_type"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            /** @description Nothing was accepted. Too many messages are in progress, `overloaded`, or the storage isn't available, `storage_unavailable`. */
            503: components["responses"]["Unavailable"];
        };
    };
    getMessageStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The message's `messageId` or `notifMessageId`.
                 * @example msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                messageId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The message and its events, oldest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageStatus"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description The message doesn't exist, or this key can't see it: `message_not_found`. */
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getProfile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The profile. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "developer": {
                     *         "id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *         "name": "Boutique Awa",
                     *         "email": "awa@example.com",
                     *         "role": "owner",
                     *         "createdAt": "2026-01-01T12:00:00.120Z"
                     *       },
                     *       "account": {
                     *         "id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *         "name": "Boutique Awa"
                     *       },
                     *       "apiKey": {
                     *         "kind": "live",
                     *         "prefix": "svc_live_4fT9a",
                     *         "masked": "svc_live_4fT9a••••••••",
                     *         "createdAt": "2026-01-01T12:00:00.120Z",
                     *         "lastUsedAt": "2026-03-01T12:04:00.000Z"
                     *       },
                     *       "plan": {
                     *         "name": "starter",
                     *         "effective": "pro",
                     *         "dailyLimit": 5000,
                     *         "expiresAt": null,
                     *         "trial": true,
                     *         "trialEndsAt": "2026-03-14T00:00:00.000Z"
                     *       },
                     *       "usage": {
                     *         "date": "2026-03-01",
                     *         "messagesUsed": 12,
                     *         "limit": 5000,
                     *         "remaining": 4988,
                     *         "resetAt": "2026-03-02T00:00:00.000Z"
                     *       },
                     *       "recentMessages": [],
                     *       "webhook": {
                     *         "url": "https://boutique.example/hooks",
                     *         "enabled": true,
                     *         "secretMasked": "whsec_••••••••",
                     *         "lastDeliveryAt": "2026-03-01T12:04:00.120Z",
                     *         "lastStatusCode": 204,
                     *         "failingSince": null,
                     *         "pending": 0
                     *       },
                     *       "senders": [
                     *         {
                     *           "id": "snd_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *           "channel": "sms",
                     *           "address": "+22370000003",
                     *           "state": "connected",
                     *           "reason": null,
                     *           "until": null
                     *         }
                     *       ],
                     *       "features": {
                     *         "inbox": true,
                     *         "mcp": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Profile"];
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`), or the signed-in user doesn't belong to an account (`account_required`). Or the account is suspended:
             *     `account_suspended`.
             */
            403: components["responses"]["SessionRequired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listGroups: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Calls no gateway if set to 1 or true.
                 * @example 1
                 */
                "X-Svc-Sandbox"?: "0" | "1" | "true" | "false";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The groups. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "count": 1,
                     *       "groups": [
                     *         {
                     *           "id": "120363000000000001@g.us",
                     *           "name": "Livraisons",
                     *           "participants": 4,
                     *           "isAdmin": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        groups: components["schemas"]["Group"][];
                        /** @description The number of items in the response. */
                        count: number;
                        /**
                         * @description Present if a gateway couldn't list its groups, so other groups might exist.
                         * @constant
                         */
                        incomplete?: true;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description None of the account's WhatsApp senders is connected: `gateway_not_connected`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "gateway_not_connected",
                     *       "code": "gateway_not_connected",
                     *       "message": "No gateway is connected for this channel. Nothing was stored or charged.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#gateway_not_connected"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            /** @description Every gateway failed or timed out: `provider_error`. */
            502: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "provider_error",
                     *       "code": "provider_error",
                     *       "message": "No gateway listed its groups.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#provider_error"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
        };
    };
    sendCode: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The key that makes the request safe to repeat. If the body also has `idempotencyKey`, both must be the same.
                 * @example login-8812
                 */
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /**
                 * @description Simulates the request if set to 1 or true, like `sandbox` in the body. 0 and false have no effect.
                 * @example 1
                 */
                "X-Svc-Sandbox"?: "0" | "1" | "true" | "false";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CodeRequest"];
            };
        };
        responses: {
            /** @description A gateway accepted the code, the code was simulated, or a code was already sent under the same key (`deduplicated`). */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Challenge"];
                };
            };
            /** @description The code is stored and in progress. The gateway hasn't responded yet. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "challengeId": "otp_7J9ZK3V8Q5W6X7Y8Z9A0B1C2DX",
                     *       "expiresAt": 1772366700120,
                     *       "channel": "sms",
                     *       "messageId": "msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "messagesUsed": 12,
                     *       "limit": 500
                     *     }
                     */
                    "application/json": components["schemas"]["Challenge"];
                };
            };
            /**
             * @description The request is invalid, nothing was sent, and the request doesn't count: `invalid_json`, `invalid_request`, `invalid_channel`, `invalid_phone`, `number_required`,
             *     `invalid_idempotency_key`, `idempotency_mismatch`. A field that codes don't support, such as scheduledAt or retry, also returns `invalid_request`.
             */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /**
             * @description The key belongs to another message, to a code of another project, to a simulated code, or to an expired code (`idempotency_key_used`). Its message
             *     failed or expired (`message_failed`). Or no gateway is available to deliver the code (`gateway_not_connected`).
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "idempotency_key_used",
                     *       "code": "idempotency_key_used",
                     *       "message": "This idempotency key belongs to another message, or to a code that has expired.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#idempotency_key_used"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "payload_too_large",
                     *       "code": "payload_too_large",
                     *       "message": "The body is too large.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#payload_too_large"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body isn't JSON: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "unsupported_media_type",
                     *       "code": "unsupported_media_type",
                     *       "message": "The content type is not supported here.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#unsupported_media_type"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description Three requests were made for this number in ten minutes (`otp_rate_limited`), or codes to similar numbers are blocked (`otp_blocked`). The day's quota
             *     is used up (`quota_exceeded`), or the recipient reached the daily limit (`recipient_limit_reached`). Or requests are sent too fast (`rate_limited`).
             */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            500: components["responses"]["Internal"];
            /** @description No gateway accepted the code: `provider_error`. Its challenge is void. If the code wasn't submitted to a gateway, its unit of the quota is refunded. */
            502: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "provider_error",
                     *       "code": "provider_error",
                     *       "message": "The gateway refused the message or couldn't deliver it.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#provider_error",
                     *       "messageId": "msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "notifMessageId": "ntf_01J9ZK3V8QA1B2C3D4E5F6G7H8",
                     *       "channel": "sms",
                     *       "to": "+22370112233",
                     *       "status": "FAILED",
                     *       "reason": "recipient_unreachable",
                     *       "messagesUsed": 12,
                     *       "limit": 500
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing was accepted. Too many messages are in progress, `overloaded`, or the storage isn't available, `storage_unavailable`. */
            503: components["responses"]["Unavailable"];
        };
    };
    verifyCode: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Selects simulated challenges if set to 1 or true, like `sandbox` in the body. 0 and false have no effect.
                 * @example 1
                 */
                "X-Svc-Sandbox"?: "0" | "1" | "true" | "false";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The challenge ID from the response of `/api/otp/send`. */
                    challengeId?: string | null;
                    /** @description The phone number. Use it instead of the challenge. */
                    to?: string | null;
                    /** @description The code that the person entered, as a string, because codes can start with zeros. */
                    code: string;
                    /** @description Whether to check a simulated challenge. Its code is all zeros. */
                    sandbox?: boolean | null;
                };
            };
        };
        responses: {
            /** @description The code is correct and is now used. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "valid": true
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        valid: true;
                    };
                };
            };
            /**
             * @description The code wasn't verified. It is wrong (`invalid_code`, including the fifth time). The challenge has expired (`expired`) or is locked after five wrong
             *     codes (`too_many_attempts`). Or the challenge is missing, used, void, or of the other kind, simulated or real (`not_found`). Or the request is
             *     invalid: `invalid_json`, `invalid_request`, `invalid_phone`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description The body is too large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "payload_too_large",
                     *       "code": "payload_too_large",
                     *       "message": "The body is too large.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#payload_too_large"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body isn't JSON: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "unsupported_media_type",
                     *       "code": "unsupported_media_type",
                     *       "message": "The content type is not supported here.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#unsupported_media_type"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getAnalytics: {
        parameters: {
            query?: {
                /**
                 * @description The number of messages to count.
                 * @example 100
                 */
                sample?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "sampleSize": 4,
                     *       "from": "2026-03-01T12:00:00.120Z",
                     *       "to": "2026-03-02T08:30:00.000Z",
                     *       "byStatus": {
                     *         "SCHEDULED": 0,
                     *         "QUEUED": 0,
                     *         "SENDING": 0,
                     *         "SENT": 0,
                     *         "FAILED": 1,
                     *         "EXPIRED": 0,
                     *         "DELIVERED": 2,
                     *         "READ": 0,
                     *         "CANCELED": 0,
                     *         "SANDBOX": 1
                     *       },
                     *       "byChannel": {
                     *         "whatsapp": {
                     *           "total": 0,
                     *           "sent": 0,
                     *           "delivered": 0,
                     *           "read": 0,
                     *           "failed": 0
                     *         },
                     *         "sms": {
                     *           "total": 3,
                     *           "sent": 2,
                     *           "delivered": 2,
                     *           "read": 0,
                     *           "failed": 1
                     *         },
                     *         "email": {
                     *           "total": 0,
                     *           "sent": 0,
                     *           "delivered": 0,
                     *           "read": 0,
                     *           "failed": 0
                     *         }
                     *       },
                     *       "deliveryRate": 1,
                     *       "readRate": 0,
                     *       "failureRate": 0.3333,
                     *       "fallbackRate": 0,
                     *       "latencyMs": {
                     *         "sent": {
                     *           "p50": 210,
                     *           "p95": 480,
                     *           "p99": 480
                     *         },
                     *         "delivered": {
                     *           "p50": 1911,
                     *           "p95": 2400,
                     *           "p99": 2400
                     *         }
                     *       },
                     *       "topErrors": [
                     *         {
                     *           "code": "recipient_unreachable",
                     *           "count": 1
                     *         }
                     *       ],
                     *       "byDay": [
                     *         {
                     *           "date": "2026-03-01",
                     *           "total": 2,
                     *           "delivered": 1,
                     *           "failed": 1
                     *         },
                     *         {
                     *           "date": "2026-03-02",
                     *           "total": 1,
                     *           "delivered": 1,
                     *           "failed": 0
                     *         }
                     *       ],
                     *       "messagesUsed": 1,
                     *       "limit": 500
                     *     }
                     */
                    "application/json": components["schemas"]["Analytics"];
                };
            };
            /** @description sample is invalid: `invalid_request`. */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listMessages: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of items to return.
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description The `nextCursor` of the previous page.
                 * @example MTc3MjYyNTYwMDAwMG1zZ18wMUtKV0JHN0cwTkdKN1YyNVYxUjNLR040Nw
                 */
                cursor?: string;
                /**
                 * @description The status of the messages to return.
                 * @example FAILED
                 */
                status?: components["schemas"]["Status"];
                /**
                 * @description The channel of the messages to return.
                 * @example sms
                 */
                channel?: components["schemas"]["Channel"];
                /**
                 * @description The recipient's number, with or without its plus sign, email address, or WhatsApp ID.
                 * @example 22370112233
                 */
                to?: string;
                /**
                 * @description The earliest time of acceptance, in ISO 8601.
                 * @example 2026-03-01T00:00:00Z
                 */
                since?: string;
                /**
                 * @description A search text: the exact ID, or a part of the number, address, text, or subject. Case is ignored, on SQLite only for letters without accents.
                 * @example order 2041
                 */
                q?: string;
                /**
                 * @description The sender of the messages to return.
                 * @example snd_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                senderId?: string;
                /**
                 * @description The code of the latest failure.
                 * @example not_on_whatsapp
                 */
                errorCode?: string;
                /**
                 * @description The source of the messages to return.
                 * @example api
                 */
                source?: "api" | "batch" | "otp" | "inbox" | "mcp" | "cli" | "dashboard" | "notice";
                /**
                 * @description The end of the acceptance period, in ISO 8601. A time is exclusive. A date includes its whole day, in UTC.
                 * @example 2026-04-01T00:00:00Z
                 */
                until?: string;
                /**
                 * @description The metadata that the messages must have: `metadata[order]=2041`, at most four at the same time.
                 * @example {
                 *       "order": "2041"
                 *     }
                 */
                metadata?: {
                    [key: string]: string;
                };
                /**
                 * @description The project of the messages to return.
                 * @example 01J9ZH00000000000000000000
                 */
                projectId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of messages. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "count": 1,
                     *       "nextCursor": null,
                     *       "logs": [
                     *         {
                     *           "messageId": "msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *           "notifMessageId": "ntf_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *           "channel": "sms",
                     *           "requestedChannel": "sms",
                     *           "to": "+22370112233",
                     *           "status": "DELIVERED",
                     *           "type": "text",
                     *           "preview": "Your order 2041 has left.",
                     *           "subject": null,
                     *           "source": "api",
                     *           "sandbox": false,
                     *           "projectId": null,
                     *           "senderId": "snd_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *           "groupId": null,
                     *           "errorCode": null,
                     *           "attempts": 1,
                     *           "metadata": {
                     *             "order": "2041"
                     *           },
                     *           "createdAt": "2026-03-01T12:00:00.120Z",
                     *           "sentAt": "2026-03-01T12:00:00.480Z",
                     *           "deliveredAt": "2026-03-01T12:00:02.031Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        logs: components["schemas"]["LogItem"][];
                        /** @description The number of items on this page. */
                        count: number;
                        /** @description The cursor of the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description A parameter is invalid: `invalid_request`, `invalid_channel`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description The signed-in user doesn't belong to an account: `account_required`. Or the account is suspended: `account_suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The project doesn't exist, or the caller can't see it: `project_not_found`. */
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    exportMessages: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of messages.
                 * @example 1000
                 */
                limit?: number;
                /**
                 * @description The `X-Next-Cursor` of the previous file.
                 * @example MTc3MjYyNTYwMDAwMG1zZ18wMUtKV0JHN0cwTkdKN1YyNVYxUjNLR040Nw
                 */
                cursor?: string;
                /**
                 * @description The status of the messages to return.
                 * @example FAILED
                 */
                status?: components["schemas"]["Status"];
                /**
                 * @description The channel of the messages to return.
                 * @example sms
                 */
                channel?: components["schemas"]["Channel"];
                /**
                 * @description The recipient's number, with or without its plus sign, email address, or WhatsApp ID.
                 * @example 22370112233
                 */
                to?: string;
                /**
                 * @description The earliest time of acceptance, in ISO 8601.
                 * @example 2026-03-01T00:00:00Z
                 */
                since?: string;
                /**
                 * @description A search text: the exact ID, or a part of the number, address, text, or subject. Case is ignored, on SQLite only for letters without accents.
                 * @example order 2041
                 */
                q?: string;
                /**
                 * @description The sender of the messages to return.
                 * @example snd_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                senderId?: string;
                /**
                 * @description The code of the latest failure.
                 * @example not_on_whatsapp
                 */
                errorCode?: string;
                /**
                 * @description The source of the messages to return.
                 * @example api
                 */
                source?: "api" | "batch" | "otp" | "inbox" | "mcp" | "cli" | "dashboard" | "notice";
                /**
                 * @description The end of the acceptance period, in ISO 8601. A time is exclusive. A date includes its whole day, in UTC.
                 * @example 2026-04-01T00:00:00Z
                 */
                until?: string;
                /**
                 * @description The metadata that the messages must have: `metadata[order]=2041`, at most four at the same time.
                 * @example {
                 *       "order": "2041"
                 *     }
                 */
                metadata?: {
                    [key: string]: string;
                };
                /**
                 * @description The project of the messages to return.
                 * @example 01J9ZH00000000000000000000
                 */
                projectId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /**
                     * @description The header that makes the response a download.
                     * @example attachment; filename="griot-logs.csv"
                     */
                    "Content-Disposition": string;
                    /**
                     * @description The cursor of the next file. Absent if there are no more messages.
                     * @example MTc3MjYyNTYwMDAwMG1zZ18wMUtKV0JHN0cwTkdKN1YyNVYxUjNLR040Nw
                     */
                    "X-Next-Cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example messageId,createdAt */
                    "text/csv": string;
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`). Or the signed-in user doesn't belong to an account (`account_required`), has a role that doesn't allow
             *     this (`forbidden`), or hasn't entered an email code within the last 15 minutes (`recent_code_required`). Or the account is suspended:
             *     `account_suspended`.
             */
            403: components["responses"]["SessionRequired"];
            /** @description The project doesn't exist: `project_not_found`. */
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listConversations: {
        parameters: {
            query?: {
                /**
                 * @description The `nextCursor` of the previous page, with the same `q`.
                 * @example AQAAAZyo0rR4Y252XzAxSjlaSzNWOFE1VzZYN1k4WjlBMEIxQzJEAAAAAAAAAAAAAAAA
                 */
                cursor?: string;
                /**
                 * @description The maximum number of items to return.
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description A part of a phone number, a name, a WhatsApp ID, or a WhatsApp username. Case and accents are ignored.
                 * @example awa
                 */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of conversations. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "conversations": [
                     *         {
                     *           "id": "cnv_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *           "contactPhone": "+22376000001",
                     *           "contactId": "ML.9001",
                     *           "contactUsername": null,
                     *           "contactName": "Awa",
                     *           "lastMessageAt": 1772366400120,
                     *           "lastPreview": "Is my order on its way?",
                     *           "unreadCount": 2
                     *         }
                     *       ],
                     *       "nextCursor": null,
                     *       "revision": "7mWq0b2XkZ5yVdEoTn1u",
                     *       "account": "acc_9fXc2LrB0aQwEtYuIoPs"
                     *     }
                     */
                    "application/json": {
                        conversations: components["schemas"]["Conversation"][];
                        nextCursor: components["schemas"]["NextCursor"];
                        revision: components["schemas"]["Revision"];
                        account: components["schemas"]["AccountMark"];
                    };
                };
            };
            /** @description A parameter is invalid: `invalid_request`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InboxForbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listConversationMessages: {
        parameters: {
            query?: {
                /**
                 * @description The `nextCursor` of the previous page.
                 * @example AQAAAZyo0rR4bXNnXzAxSjlaSzNWOFE1VzZYN1k4WjlBMEIxQzJEAAAAAAAAAAAAAAAA
                 */
                cursor?: string;
                /**
                 * @description The maximum number of items to return.
                 * @example 20
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The conversation's ID.
                 * @example cnv_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of messages. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "conversation": {
                     *         "id": "cnv_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *         "contactPhone": "+22376000001",
                     *         "contactId": "ML.9001",
                     *         "contactUsername": null,
                     *         "contactName": "Awa",
                     *         "lastMessageAt": 1772366400120,
                     *         "lastPreview": "Is my order on its way?",
                     *         "unreadCount": 2
                     *       },
                     *       "messages": [
                     *         {
                     *           "id": "msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *           "direction": "in",
                     *           "type": "image",
                     *           "content": "Is this mine?",
                     *           "mediaUrl": "https://api.example.com/api/media/med_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *           "mediaMissing": null,
                     *           "mimeType": "image/jpeg",
                     *           "fileName": null,
                     *           "status": null,
                     *           "choice": null,
                     *           "response": null,
                     *           "replyTo": "msg_01J9ZK3V8QA1B2C3D4E5F6G7H8",
                     *           "at": 1772366400120,
                     *           "editedAt": null,
                     *           "deletedAt": null
                     *         },
                     *         {
                     *           "id": "msg_01J9ZK3V8QA1B2C3D4E5F6G7H8",
                     *           "direction": "out",
                     *           "type": "text",
                     *           "content": "Your order 2041 has left.",
                     *           "mediaUrl": null,
                     *           "mediaMissing": null,
                     *           "mimeType": null,
                     *           "fileName": null,
                     *           "status": "DELIVERED",
                     *           "choice": null,
                     *           "response": null,
                     *           "replyTo": null,
                     *           "at": 1772366300000,
                     *           "editedAt": null,
                     *           "deletedAt": null
                     *         }
                     *       ],
                     *       "nextCursor": null,
                     *       "revision": "7mWq0b2XkZ5yVdEoTn1u",
                     *       "account": "acc_9fXc2LrB0aQwEtYuIoPs"
                     *     }
                     */
                    "application/json": {
                        conversation: components["schemas"]["Conversation"];
                        messages: components["schemas"]["InboxMessage"][];
                        nextCursor: components["schemas"]["NextCursor"];
                        revision: components["schemas"]["Revision"];
                        account: components["schemas"]["AccountMark"];
                    };
                };
            };
            /** @description A parameter is invalid: `invalid_request`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InboxForbidden"];
            /** @description The conversation doesn't exist or doesn't belong to this account: `conversation_not_found`. */
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    markConversationRead: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The conversation's ID.
                 * @example cnv_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The conversation is marked as read. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "unreadCount": 0,
                     *       "previousRevision": "7mWq0b2XkZ5yVdEoTn1u",
                     *       "revision": "Zr4pLs8HtCfGj3Ka6NbM",
                     *       "account": "acc_9fXc2LrB0aQwEtYuIoPs"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        /** @constant */
                        unreadCount: 0;
                        previousRevision: components["schemas"]["Revision"];
                        revision: components["schemas"]["Revision"];
                        account: components["schemas"]["AccountMark"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InboxForbidden"];
            /** @description The conversation doesn't exist or doesn't belong to this account: `conversation_not_found`. */
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    markConversationUnread: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The conversation's ID.
                 * @example cnv_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The conversation is marked as unread, with this number of messages. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "unreadCount": 1,
                     *       "previousRevision": "7mWq0b2XkZ5yVdEoTn1u",
                     *       "revision": "Zr4pLs8HtCfGj3Ka6NbM",
                     *       "account": "acc_9fXc2LrB0aQwEtYuIoPs"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        /** @description The number of unread messages after the change. */
                        unreadCount: number;
                        previousRevision: components["schemas"]["Revision"];
                        revision: components["schemas"]["Revision"];
                        account: components["schemas"]["AccountMark"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InboxForbidden"];
            /** @description The conversation doesn't exist or doesn't belong to this account: `conversation_not_found`. */
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    replyToConversation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The key that makes the reply safe to repeat. If the body also has `idempotencyKey`, both must be the same.
                 * @example answer-2041
                 */
                "Idempotency-Key"?: components["schemas"]["IdempotencyKey"];
                /**
                 * @description Simulates the reply if set to 1 or true, like `sandbox` in the body.
                 * @example 1
                 */
                "X-Svc-Sandbox"?: "0" | "1" | "true" | "false";
            };
            path: {
                /**
                 * @description The conversation's ID.
                 * @example cnv_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "It is on its way, Awa."
                 *     }
                 */
                "application/json": {
                    /** @description The text. It can't consist only of whitespace. */
                    text: string;
                    /**
                     * @description The ID of a message in this conversation. If the gateway supports it, the contact's phone shows this message above the reply.
                     * @example msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                     */
                    replyTo?: string | null;
                    /** @description The idempotency key, as in the header `Idempotency-Key`. */
                    idempotencyKey?: components["schemas"]["IdempotencyKey"] | null;
                    /** @description Whether to simulate the reply. A simulated reply doesn't appear in the conversation. */
                    sandbox?: boolean | null;
                };
            };
        };
        responses: {
            /** @description A gateway accepted the reply (SENT), the reply was simulated (SANDBOX), or a reply was already accepted under the same key (`deduplicated`). */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendResult"];
                };
            };
            /** @description The reply is stored and in progress. The gateway hasn't responded yet (QUEUED). */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "messageId": "msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "notifMessageId": "ntf_01J9ZK3V8QA1B2C3D4E5F6G7H8",
                     *       "channel": "whatsapp",
                     *       "to": "+22370112233",
                     *       "status": "QUEUED",
                     *       "messagesUsed": 13,
                     *       "limit": 500
                     *     }
                     */
                    "application/json": components["schemas"]["SendResult"];
                };
            };
            /** @description The request is invalid and nothing was stored: `invalid_json`, `invalid_request`, `invalid_idempotency_key`, `idempotency_mismatch`. */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InboxForbidden"];
            /** @description The conversation doesn't exist or doesn't belong to this account (`conversation_not_found`). */
            404: components["responses"]["NotFound"];
            /**
             * @description The message of this key failed or expired (`message_failed`, with its `messageId`), or the key belongs to a message that this request can't repeat
             *     (`idempotency_key_used`). Or no gateway is available to deliver the message (`gateway_not_connected`), only paused senders are available
             *     (`sender_paused`), the recipient opted out of this channel (`recipient_opted_out`), or wants no marketing messages (`marketing_stopped`). In the
             *     last four cases, nothing was stored or charged.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "payload_too_large",
                     *       "code": "payload_too_large",
                     *       "message": "The body is too large.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#payload_too_large"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body isn't JSON: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "unsupported_media_type",
                     *       "code": "unsupported_media_type",
                     *       "message": "The content type is not supported here.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#unsupported_media_type"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The day's quota is used up (`quota_exceeded`, with `upgradeUrl` for a larger plan), or the recipient reached the daily limit
             *     (`recipient_limit_reached`). Or requests are sent too fast (`rate_limited`).
             */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            500: components["responses"]["Internal"];
            /**
             * @description No gateway accepted the message: `provider_error`. The message is stored as FAILED. If it wasn't submitted to a gateway, its unit of the quota is
             *     refunded.
             */
            502: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "provider_error",
                     *       "code": "provider_error",
                     *       "message": "The gateway refused the message or couldn't deliver it.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#provider_error",
                     *       "messageId": "msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "notifMessageId": "ntf_01J9ZK3V8QA1B2C3D4E5F6G7H8",
                     *       "channel": "sms",
                     *       "to": "+22370112233",
                     *       "status": "FAILED",
                     *       "reason": "recipient_unreachable",
                     *       "messagesUsed": 12,
                     *       "limit": 500
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing was accepted. Too many messages are in progress, `overloaded`, or the storage isn't available, `storage_unavailable`. */
            503: components["responses"]["Unavailable"];
        };
    };
    searchInboxMessages: {
        parameters: {
            query: {
                /**
                 * @description The search text.
                 * @example order
                 */
                q: string;
                /**
                 * @description The `nextCursor` of the previous page, with the same `q`.
                 * @example AQAAAZyo0rR4bXNnXzAxSjlaSzNWOFE1VzZYN1k4WjlBMEIxQzJEAAAAAAAAAAAAAAAA
                 */
                cursor?: string;
                /**
                 * @description The maximum number of items to return.
                 * @example 20
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of messages, each with its conversation. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "messages": [
                     *         {
                     *           "conversation": {
                     *             "id": "cnv_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *             "contactPhone": "+22376000001",
                     *             "contactId": "ML.9001",
                     *             "contactUsername": null,
                     *             "contactName": "Awa",
                     *             "lastMessageAt": 1772366400120,
                     *             "lastPreview": "Is my order on its way?",
                     *             "unreadCount": 2
                     *           },
                     *           "message": {
                     *             "id": "msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *             "direction": "in",
                     *             "type": "text",
                     *             "content": "Is my order on its way?",
                     *             "mediaUrl": null,
                     *             "mediaMissing": null,
                     *             "mimeType": null,
                     *             "fileName": null,
                     *             "status": null,
                     *             "choice": null,
                     *             "response": null,
                     *             "replyTo": null,
                     *             "at": 1772366400120,
                     *             "editedAt": null,
                     *             "deletedAt": null
                     *           }
                     *         }
                     *       ],
                     *       "nextCursor": null,
                     *       "revision": "7mWq0b2XkZ5yVdEoTn1u",
                     *       "account": "acc_9fXc2LrB0aQwEtYuIoPs"
                     *     }
                     */
                    "application/json": {
                        messages: {
                            conversation: components["schemas"]["Conversation"];
                            message: components["schemas"]["InboxMessage"];
                        }[];
                        nextCursor: components["schemas"]["NextCursor"];
                        revision: components["schemas"]["Revision"];
                        account: components["schemas"]["AccountMark"];
                    };
                };
            };
            /** @description A parameter is invalid: `invalid_request`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InboxForbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getMedia: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID in the message's `mediaUrl`.
                 * @example med_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The attachment. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description The part of the attachment that `Range` requested. */
            206: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description The attachment matches `If-None-Match`. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InboxForbidden"];
            404: components["responses"]["NotFound"];
            /** @description The range is outside the attachment. */
            416: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getInboxRevision: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of the whole inbox. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "revision": "7mWq0b2XkZ5yVdEoTn1u",
                     *       "saturated": false,
                     *       "unreadTotal": 2,
                     *       "unreadCapped": false,
                     *       "account": "acc_9fXc2LrB0aQwEtYuIoPs"
                     *     }
                     */
                    "application/json": {
                        revision: components["schemas"]["Revision"];
                        /** @description Whether the revision can currently miss changes. */
                        saturated: boolean;
                        /** @description The number of unread messages in all conversations. */
                        unreadTotal: number;
                        /** @description Whether `unreadTotal` reached the maximum of the count, so the real number can be higher. */
                        unreadCapped: boolean;
                        account: components["schemas"]["AccountMark"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InboxForbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    callAssistant: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The protocol version: the negotiated one, or, in 2026-07-28, that of `params._meta`.
                 * @example 2025-11-25
                 */
                "Mcp-Protocol-Version"?: string;
                /**
                 * @description The `method` of a request. Required in 2026-07-28, and ignored in the others.
                 * @example tools/call
                 */
                "Mcp-Method"?: string;
                /**
                 * @description The tool that a request calls. Required in 2026-07-28 for `tools/call`, and ignored in the others. It can be encoded as `=?base64?...?=`.
                 * @example list_conversations
                 */
                "Mcp-Name"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    jsonrpc: "2.0";
                    id?: string | number;
                    /** @description The method, such as `tools/call`. */
                    method?: string;
                    /** @description The parameters of the method. */
                    params?: Record<string, never>;
                };
            };
        };
        responses: {
            /**
             * @description The response. If a tool fails, it is a result with `isError`, whose text is an [Error](#/components/schemas/Error). A malformed call, and an unknown
             *     method of the versions before 2026-07-28, is a JSON-RPC error (-32602, -32601).
             */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        jsonrpc: "2.0";
                        id: string | number;
                        result?: components["schemas"]["ToolResult"] | components["schemas"]["ToolList"] | components["schemas"]["Initialized"] | components["schemas"]["Discovered"] | Record<string, never>;
                        error?: components["schemas"]["RPCError"];
                    };
                };
            };
            /** @description The notification was accepted. It has no response body. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description A JSON-RPC error. The body isn't JSON (-32700), or it isn't a request of the protocol or is a batch (-32600). Or the version isn't supported (-32022,
             *     with the supported versions). In 2026-07-28: `_meta` is incomplete (-32602), or a header is missing or differs from the body (-32020). For a malformed
             *     URL: `invalid_request`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RPCFailure"] | components["schemas"]["Error"];
                };
            };
            /** @description The request doesn't have exactly one Authorization header with a live key of an account: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The plan doesn't include this (`plan_required`), or a page of another origin called the endpoint (a JSON-RPC error). Or the account is suspended:
             *     `account_suspended`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RPCFailure"] | components["schemas"]["Error"];
                };
            };
            /** @description A request of 2026-07-28 has an unknown method (-32601). */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "jsonrpc": "2.0",
                     *       "id": 1,
                     *       "error": {
                     *         "code": -32601,
                     *         "message": "Method not found"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RPCFailure"];
                };
            };
            /** @description The body is larger than 128 KiB (-32600). */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "jsonrpc": "2.0",
                     *       "id": null,
                     *       "error": {
                     *         "code": -32600,
                     *         "message": "Invalid Request: the body is larger than 128 KiB."
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RPCFailure"];
                };
            };
            /** @description The body isn't JSON: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "unsupported_media_type",
                     *       "code": "unsupported_media_type",
                     *       "message": "The content type is not supported here.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#unsupported_media_type"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    cancelMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The message's `messageId` or `notifMessageId`.
                 * @example msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                messageId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The message won't be sent. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "messageId": "msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "status": "CANCELED"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        messageId: components["schemas"]["MessageId"];
                        /** @constant */
                        status: "CANCELED";
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /**
             * @description The caller is a project key or a member (`forbidden`), or the session has no account (`account_required`). Or the request didn't come from a page of
             *     this service (`origin_mismatch`). Or the account is suspended: `account_suspended`.
             */
            403: components["responses"]["Forbidden"];
            /** @description The message doesn't exist, or this key can't see it: `message_not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The message can no longer be canceled (`not_cancelable`), as its status shows. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "not_cancelable",
                     *       "code": "not_cancelable",
                     *       "message": "The message can no longer be canceled.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#not_cancelable",
                     *       "messageId": "msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "status": "SENT"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSenders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The senders. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "count": 1,
                     *       "senders": [
                     *         {
                     *           "id": "snd_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *           "channel": "sms",
                     *           "address": "+22370000003",
                     *           "gateway": "sms",
                     *           "platform": false,
                     *           "state": "connected",
                     *           "reason": null,
                     *           "until": null,
                     *           "since": "2026-03-01T12:00:00.120Z",
                     *           "pausedAt": null,
                     *           "health": {
                     *             "lastAcknowledgedAt": "2026-03-01T12:04:00.480Z",
                     *             "lastFailureAt": null,
                     *             "consecutiveFailures": 0,
                     *             "restingUntil": null
                     *           },
                     *           "warmUp": {
                     *             "limit": 200,
                     *             "used": 37,
                     *             "endsAt": "2026-03-08T00:00:00.000Z"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        senders: components["schemas"]["SenderItem"][];
                        /** @description The number of items in the response. */
                        count: number;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["OwnerForbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSender: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The sender's ID.
                 * @example snd_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                id: components["parameters"]["SenderId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Sender"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["OwnerForbidden"];
            404: components["responses"]["SenderNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    pauseSender: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The sender's ID.
                 * @example snd_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                id: components["parameters"]["SenderId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Sender"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["OwnerForbidden"];
            404: components["responses"]["SenderNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    resumeSender: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The sender's ID.
                 * @example snd_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                id: components["parameters"]["SenderId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Sender"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["OwnerForbidden"];
            404: components["responses"]["SenderNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    startPairing: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The sender's ID.
                 * @example snd_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                id: components["parameters"]["SenderId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "method": "qr"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The pairing method: a QR code to scan, or a code to enter.
                     * @enum {string}
                     */
                    method: "qr" | "code";
                };
            };
        };
        responses: {
            200: components["responses"]["CurrentPairing"];
            /** @description The body is invalid: `invalid_json`, `invalid_request`. */
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["PairingForbidden"];
            404: components["responses"]["SenderNotFound"];
            409: components["responses"]["PairingUnsupported"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["MediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["PairingUnavailable"];
        };
    };
    cancelPairing: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The sender's ID.
                 * @example snd_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                id: components["parameters"]["SenderId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["CurrentPairing"];
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["PairingForbidden"];
            404: components["responses"]["SenderNotFound"];
            409: components["responses"]["PairingUnsupported"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["PairingUnavailable"];
        };
    };
    streamPairing: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The sender's ID.
                 * @example snd_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                id: components["parameters"]["SenderId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event stream. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["PairingForbidden"];
            404: components["responses"]["SenderNotFound"];
            409: components["responses"]["PairingUnsupported"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["PairingUnavailable"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint. Null if the account has none. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "webhook": {
                     *         "url": "https://shop.example/hooks/griot",
                     *         "enabled": true,
                     *         "disabledAt": null,
                     *         "disabledReason": null,
                     *         "pausedUntil": null,
                     *         "failingSince": null,
                     *         "lastSuccessAt": "2026-03-01T12:00:02.031Z",
                     *         "lastFailureAt": null,
                     *         "lastStatusCode": 204,
                     *         "pending": 0,
                     *         "readReceipts": true,
                     *         "previousSecretUntil": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        webhook: null | components["schemas"]["Webhook"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["OwnerForbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    setWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://shop.example/hooks/griot"
                 *     }
                 */
                "application/json": {
                    /** @description The https URL, of at most 2,048 characters. It must not lead to a private network, or have a user name or a fragment. Null or empty: the endpoint is removed. */
                    url: string | null;
                };
            };
        };
        responses: {
            /** @description The endpoint after the change. Null if it was removed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "webhook": {
                     *         "url": "https://shop.example/hooks/griot",
                     *         "enabled": true,
                     *         "disabledAt": null,
                     *         "disabledReason": null,
                     *         "pausedUntil": null,
                     *         "failingSince": null,
                     *         "lastSuccessAt": null,
                     *         "lastFailureAt": null,
                     *         "lastStatusCode": null,
                     *         "pending": 0,
                     *         "readReceipts": true,
                     *         "previousSecretUntil": null
                     *       },
                     *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        webhook: null | components["schemas"]["Webhook"];
                        /** @description The signing secret. Null if the account has had one before. */
                        secret: string | null;
                    };
                };
            };
            /** @description url is missing or can't be used: `invalid_request`, `invalid_json`. */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["OwnerForbidden"];
            405: components["responses"]["SetByOperator"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["MediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new secret. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
                     *       "previousSecretUntil": "2026-03-02T12:00:00.120Z"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        /** @description The new secret. */
                        secret: string;
                        /** @description The time until which the previous secret also signs. */
                        previousSecretUntil: components["schemas"]["Time"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["OwnerForbidden"];
            /** @description The operator hasn't enabled this: `not_found`. */
            404: components["responses"]["NotFound"];
            409: components["responses"]["NoEndpoint"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWebhookEvents: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of items to return.
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description The `nextCursor` of the previous page.
                 * @example evt_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                cursor?: string;
                /**
                 * @description The delivery state of the events to return.
                 * @example failed
                 */
                delivery?: components["schemas"]["Delivery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "count": 1,
                     *       "nextCursor": null,
                     *       "events": [
                     *         {
                     *           "eventId": "evt_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *           "type": "message.status",
                     *           "createdAt": "2026-03-01T12:00:00.480Z",
                     *           "delivery": "delivered",
                     *           "failedTries": 0,
                     *           "nextTryAt": null,
                     *           "deliveredAt": "2026-03-01T12:00:00.512Z",
                     *           "failedAt": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        events: components["schemas"]["EventItem"][];
                        /** @description The number of items on this page. */
                        count: number;
                        /** @description The cursor of the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description A parameter is invalid: `invalid_request`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["OwnerForbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWebhookEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The event's `eventId`, which is also its `webhook-id`.
                 * @example evt_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                eventId: components["parameters"]["EventId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "eventId": "evt_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "type": "webhook.ping",
                     *       "createdAt": "2026-03-01T12:00:00.480Z",
                     *       "delivery": "pending",
                     *       "failedTries": 1,
                     *       "nextTryAt": "2026-03-01T12:00:05.612Z",
                     *       "deliveredAt": null,
                     *       "failedAt": null,
                     *       "body": "{\"event\":\"webhook.ping\",\"eventId\":\"evt_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D\",\"timestamp\":\"2026-03-01T12:00:00.480Z\"}",
                     *       "attempts": [
                     *         {
                     *           "at": "2026-03-01T12:00:00.498Z",
                     *           "statusCode": 503,
                     *           "latencyMs": 31,
                     *           "error": "status",
                     *           "answer": "Come back later"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        eventId: components["schemas"]["EventId"];
                        /** @description The event type, such as `message.status`. Further types might be added. */
                        type: string;
                        createdAt: components["schemas"]["Time"];
                        delivery: components["schemas"]["Delivery"];
                        /** @description The number of failed attempts in the retry schedule. */
                        failedTries: number;
                        nextTryAt: components["schemas"]["TimeOrNull"];
                        deliveredAt: components["schemas"]["TimeOrNull"];
                        failedAt: components["schemas"]["TimeOrNull"];
                        /** @description The posted body. The signature covers these bytes. */
                        body: string;
                        attempts: components["schemas"]["Attempt"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["OwnerForbidden"];
            /** @description The account has no event with this ID: `event_not_found`. */
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    resendWebhookEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The event's `eventId`, which is also its `webhook-id`.
                 * @example evt_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                eventId: components["parameters"]["EventId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event will be delivered again. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "eventId": "evt_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "type": "message.status",
                     *       "createdAt": "2026-03-01T12:00:00.480Z",
                     *       "delivery": "pending",
                     *       "failedTries": 0,
                     *       "nextTryAt": "2026-03-04T08:15:00.000Z",
                     *       "deliveredAt": null,
                     *       "failedAt": null
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        eventId: components["schemas"]["EventId"];
                        /** @description The event type, such as `message.status`. Further types might be added. */
                        type: string;
                        createdAt: components["schemas"]["Time"];
                        delivery: components["schemas"]["Delivery"];
                        /** @description The number of failed attempts in the retry schedule. */
                        failedTries: number;
                        nextTryAt: components["schemas"]["TimeOrNull"];
                        deliveredAt: components["schemas"]["TimeOrNull"];
                        failedAt: components["schemas"]["TimeOrNull"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["OwnerForbidden"];
            /** @description The account has no event with this ID: `event_not_found`. */
            404: components["responses"]["NotFound"];
            409: components["responses"]["NoEndpoint"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    resendFailedWebhookEvents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "since": "2026-03-01T00:00:00Z"
                 *     }
                 */
                "application/json": {
                    /** @description The earliest time of the events, in ISO 8601. */
                    since: string;
                };
            };
        };
        responses: {
            /** @description The events will be delivered again. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "resent": 12
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        /** @description The number of these events. */
                        resent: number;
                    };
                };
            };
            /** @description since is missing or isn't a time: `invalid_request`, `invalid_json`. */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["OwnerForbidden"];
            409: components["responses"]["NoEndpoint"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["MediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    pingWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event is stored for delivery. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "eventId": "evt_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        eventId: components["schemas"]["EventId"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["OwnerForbidden"];
            409: components["responses"]["NoEndpoint"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    enableWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "webhook": {
                     *         "url": "https://shop.example/hooks/griot",
                     *         "enabled": true,
                     *         "disabledAt": null,
                     *         "disabledReason": null,
                     *         "pausedUntil": null,
                     *         "failingSince": null,
                     *         "lastSuccessAt": "2026-03-01T12:00:02.031Z",
                     *         "lastFailureAt": "2026-03-06T12:00:02.031Z",
                     *         "lastStatusCode": 503,
                     *         "pending": 3,
                     *         "readReceipts": true,
                     *         "previousSecretUntil": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        webhook: components["schemas"]["Webhook"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["OwnerForbidden"];
            409: components["responses"]["NoEndpoint"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listenToWebhookEvents: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `eventId` of the last received event. The stream continues after it.
                 * @example evt_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event stream. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateStreamSecret: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new secret. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        /** @description The new secret. */
                        secret: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["OwnerForbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "email": "awa@example.com",
                     *       "expiresAt": "2026-03-02T00:00:00.000Z",
                     *       "codeAt": "2026-03-01T12:00:00.000Z",
                     *       "accountId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "accounts": [
                     *         {
                     *           "id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *           "name": "Boutique Awa",
                     *           "role": "owner"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /** @description The request used a key (`session_required`). */
            403: components["responses"]["SessionRequired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    askForCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "awa@example.com"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @description The email address of the person who wants to sign in.
                     */
                    email: string;
                };
            };
        };
        responses: {
            /** @description If the address is known, a code is being sent. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /**
                     * @description The cookie `svc_browser`, which is required for the code to be valid. It is HttpOnly and SameSite=Lax, and only for `/api/session`. Over https, its
                     *     name is `__Host-svc_browser`, it applies to all paths, and it is Secure.
                     * @example svc_browser=Yk3l2n4c6p8r0t2v4x6z8B0D2F4H6J8L0N2P4R6T8V7; Path=/api/session; Max-Age=3600; HttpOnly; SameSite=Lax
                     */
                    "Set-Cookie": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": components["schemas"]["Done"];
                };
            };
            /** @description The body is invalid: `invalid_json`, `invalid_request`, `invalid_email`. */
            400: components["responses"]["BadRequest"];
            /** @description The request didn't come from a page of this service (`origin_mismatch`). */
            403: components["responses"]["SessionRequired"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["MediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /**
                     * @description The header that deletes the session cookie.
                     * @example svc_account=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax
                     */
                    "Set-Cookie": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /** @description The request used a key (`session_required`), or it didn't come from a page of this service (`origin_mismatch`). */
            403: components["responses"]["SessionRequired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    chooseAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "accountId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
                 *     }
                 */
                "application/json": {
                    /** @description The `id` of one of the `accounts`. */
                    accountId: string;
                };
            };
        };
        responses: {
            /** @description The session, which now uses that account. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "email": "awa@example.com",
                     *       "expiresAt": "2026-03-02T00:00:00.000Z",
                     *       "codeAt": "2026-03-01T12:00:00.000Z",
                     *       "accountId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "accounts": [
                     *         {
                     *           "id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *           "name": "Boutique Awa",
                     *           "role": "owner"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The body is invalid: `invalid_json`, `invalid_request`. */
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`) or didn't come from a page of this service (`origin_mismatch`). Or the user signed in with WhatsApp, and
             *     the account doesn't allow this (`recent_code_required`).
             */
            403: components["responses"]["SessionRequired"];
            /** @description The signed-in user doesn't belong to an account with this ID: `account_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "account_not_found",
                     *       "code": "account_not_found",
                     *       "message": "You are signed in, but you don't belong to this account.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#account_not_found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["MediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "awa@example.com",
                 *       "code": "482913"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @description The email address of the person who signs in.
                     */
                    email: string;
                    /** @description The code, six digits. */
                    code: string;
                };
            };
        };
        responses: {
            /** @description The user is signed in. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /**
                     * @description The session cookie `svc_account`, followed by a new `svc_browser`, which identifies the browser from then on. Both are HttpOnly and SameSite=Lax. They
                     *     are also Secure if the service is reached over https.
                     * @example svc_account=7Qm3l2n4c6p8r0t2v4x6z8B0D2F4H6J8L0N2P4R6T8V; Path=/; Max-Age=43200; HttpOnly; SameSite=Lax
                     */
                    "Set-Cookie": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "email": "awa@example.com",
                     *       "expiresAt": "2026-03-02T00:00:00.000Z",
                     *       "codeAt": "2026-03-01T12:00:00.000Z",
                     *       "accountId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "accounts": [
                     *         {
                     *           "id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *           "name": "Boutique Awa",
                     *           "role": "owner"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The body is invalid: `invalid_json`, `invalid_request`, `invalid_email`. */
            400: components["responses"]["BadRequest"];
            /** @description The code isn't valid: `sign_in_failed`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /**
                     * @description The authentication scheme to use.
                     * @example Bearer
                     */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "sign_in_failed",
                     *       "code": "sign_in_failed",
                     *       "message": "The code is wrong, used, or expired, or was tried too often.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#sign_in_failed"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request didn't come from a page of this service (`origin_mismatch`). */
            403: components["responses"]["SessionRequired"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["MediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "7Qm3l2n4c6p8r0t2v4x6z8B0D2F4H6J8L0N2P4R6T8V",
                 *       "code": "482913"
                 *     }
                 */
                "application/json": {
                    /** @description The token at the end of the link in the email. */
                    token: string;
                    /** @description The six-digit code in the same email. */
                    code?: string;
                };
            };
        };
        responses: {
            /** @description The invitation is accepted. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /**
                     * @description With `code`, the session cookie `svc_account`, followed by `svc_browser`, as for `POST /api/session/verify`.
                     * @example svc_account=7Qm3l2n4c6p8r0t2v4x6z8B0D2F4H6J8L0N2P4R6T8V; Path=/; Max-Age=43200; HttpOnly; SameSite=Lax
                     */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "email": "awa@example.com",
                     *       "expiresAt": "2026-03-02T00:00:00.000Z",
                     *       "codeAt": "2026-03-01T12:00:00.000Z",
                     *       "accountId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "accounts": [
                     *         {
                     *           "id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *           "name": "Boutique Awa",
                     *           "role": "owner"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The body is invalid: `invalid_json`, `invalid_request`. */
            400: components["responses"]["BadRequest"];
            /**
             * @description No user is signed in and no code was sent: `unauthorized`. The token or the code is wrong, used, or expired, or had too many attempts:
             *     `sign_in_failed`.
             */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`) or didn't come from a page of this service (`origin_mismatch`). Or the session has no code of the last 15
             *     minutes (`recent_code_required`), or the invitation is for another address (`invitation_foreign`).
             */
            403: components["responses"]["SessionRequired"];
            /** @description The invitation doesn't exist or was revoked: `invitation_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "invitation_not_found",
                     *       "code": "invitation_not_found",
                     *       "message": "The invitation doesn't exist.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#invitation_not_found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The invitation was already accepted: `invitation_used`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "invitation_used",
                     *       "code": "invitation_used",
                     *       "message": "The invitation was already accepted.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#invitation_used"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The invitation is older than seven days: `invitation_expired`. */
            410: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "invitation_expired",
                     *       "code": "invitation_expired",
                     *       "message": "The invitation has expired.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#invitation_expired"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["MediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listProjects: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The projects, oldest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "projects": [
                     *         {
                     *           "id": "01J9ZH00000000000000000000",
                     *           "name": "Boutique",
                     *           "createdAt": "2026-03-01T12:00:00.120Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        projects: components["schemas"]["Project"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`), or the signed-in user doesn't belong to an account (`account_required`). Or the account is suspended:
             *     `account_suspended`.
             */
            403: components["responses"]["SessionRequired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createProject: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Boutique"
                 *     }
                 */
                "application/json": {
                    /** @description The name, at most 100 characters without leading and trailing spaces. */
                    name: string;
                };
            };
        };
        responses: {
            /** @description The project was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "project": {
                     *         "id": "01J9ZH00000000000000000000",
                     *         "name": "Boutique",
                     *         "createdAt": "2026-03-01T12:00:00.120Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        project: components["schemas"]["Project"];
                    };
                };
            };
            /** @description The body is invalid: `invalid_json`, `invalid_request`. */
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`) or didn't come from a page of this service (`origin_mismatch`). Or the signed-in user doesn't belong to an
             *     account (`account_required`) or has a role that doesn't allow this (`forbidden`). Or the account is suspended: `account_suspended`.
             */
            403: components["responses"]["SessionRequired"];
            /** @description The account has too many projects: `too_many_items`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "too_many_items",
                     *       "code": "too_many_items",
                     *       "message": "The account has the maximum number of these.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#too_many_items"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["MediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID from the list.
                 * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project was deleted. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "revokedKeys": 2
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        /** @description The number of its keys that worked until now. */
                        revokedKeys: number;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`) or didn't come from a page of this service (`origin_mismatch`). Or the signed-in user doesn't belong to an
             *     account (`account_required`), has a role that doesn't allow this (`forbidden`), or hasn't entered an email code within the last 15 minutes
             *     (`recent_code_required`). Or the account is suspended: `account_suspended`.
             */
            403: components["responses"]["SessionRequired"];
            /** @description The project doesn't exist, or it isn't one of the developer's projects: `project_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "project_not_found",
                     *       "code": "project_not_found",
                     *       "message": "The account doesn't have this project.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#project_not_found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    renameProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID from the list.
                 * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Boutique"
                 *     }
                 */
                "application/json": {
                    /** @description The name, at most 100 characters without leading and trailing spaces. */
                    name: string;
                };
            };
        };
        responses: {
            /** @description The project was renamed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "project": {
                     *         "id": "01J9ZH00000000000000000000",
                     *         "name": "Boutique",
                     *         "createdAt": "2026-03-01T12:00:00.120Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        project: components["schemas"]["Project"];
                    };
                };
            };
            /** @description The body is invalid: `invalid_json`, `invalid_request`. */
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`) or didn't come from a page of this service (`origin_mismatch`). Or the signed-in user doesn't belong to an
             *     account (`account_required`) or has a role that doesn't allow this (`forbidden`). Or the account is suspended: `account_suspended`.
             */
            403: components["responses"]["SessionRequired"];
            /** @description The project doesn't exist, or it isn't one of the developer's projects: `project_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "project_not_found",
                     *       "code": "project_not_found",
                     *       "message": "The account doesn't have this project.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#project_not_found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["MediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys, oldest first, including keys that have ended. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "keys": [
                     *         {
                     *           "id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *           "kind": "project",
                     *           "projectId": "01J9ZH00000000000000000000",
                     *           "name": "Checkout",
                     *           "prefix": "svc_proj_4fT9a",
                     *           "masked": "svc_proj_4fT9a••••••••",
                     *           "createdBy": null,
                     *           "createdAt": "2026-03-01T12:00:00.120Z",
                     *           "lastUsedAt": "2026-03-01T12:04:00.000Z",
                     *           "revokedAt": null,
                     *           "expiresAt": null,
                     *           "assistantTools": []
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        keys: components["schemas"]["Key"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`), or the signed-in user doesn't belong to an account (`account_required`). Or the account is suspended:
             *     `account_suspended`.
             */
            403: components["responses"]["SessionRequired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "kind": "project",
                 *       "projectId": "01J9ZH00000000000000000000",
                 *       "name": "Checkout"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The kind of the key, which determines its rights.
                     * @enum {string}
                     */
                    kind: "live" | "test" | "project";
                    /** @description The project of a project key. */
                    projectId?: string | null;
                    /** @description A name for people, such as the place where the key is used. It can't contain control characters. */
                    name?: string;
                };
            };
        };
        responses: {
            /** @description The key was created. `secret` is the key, which is shown only in this response. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "key": {
                     *         "id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *         "kind": "project",
                     *         "projectId": "01J9ZH00000000000000000000",
                     *         "name": "Checkout",
                     *         "prefix": "svc_proj_4fT9a",
                     *         "masked": "svc_proj_4fT9a••••••••",
                     *         "createdBy": null,
                     *         "createdAt": "2026-03-01T12:00:00.120Z",
                     *         "lastUsedAt": "2026-03-01T12:04:00.000Z",
                     *         "revokedAt": null,
                     *         "expiresAt": null,
                     *         "assistantTools": []
                     *       },
                     *       "secret": "svc_proj_4fT9aZ2kQ7mB1xV8cN5sJ0dLhRwYgPeTuA6iXo"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        key: components["schemas"]["Key"];
                        /** @description The secret key. */
                        secret: string;
                    };
                };
            };
            /** @description The body is invalid: `invalid_json`, `invalid_request`. */
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`) or didn't come from a page of this service (`origin_mismatch`). Or the signed-in user doesn't belong to an
             *     account (`account_required`), has a role that doesn't allow this (`forbidden`), or hasn't entered an email code within the last 15 minutes
             *     (`recent_code_required`). Or the account is suspended: `account_suspended`.
             */
            403: components["responses"]["SessionRequired"];
            /** @description The account has no project with this ID (`project_not_found`), or the caller was removed in the meantime (`member_not_found`). */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "project_not_found",
                     *       "code": "project_not_found",
                     *       "message": "The account doesn't have this project.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#project_not_found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The account has too many keys: `too_many_items`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "too_many_items",
                     *       "code": "too_many_items",
                     *       "message": "The account has the maximum number of these.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#too_many_items"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["MediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID from the list.
                 * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "graceSeconds": 86400
                 *     }
                 */
                "application/json": {
                    /** @description The number of seconds for which the old key continues to work, at most seven days. Defaults to one day. */
                    graceSeconds?: number;
                };
            };
        };
        responses: {
            /** @description The new key was created. `secret` is the new key, which is shown only in this response. `replaced` is the old key. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "key": {
                     *         "id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *         "kind": "project",
                     *         "projectId": "01J9ZH00000000000000000000",
                     *         "name": "Checkout",
                     *         "prefix": "svc_proj_4fT9a",
                     *         "masked": "svc_proj_4fT9a••••••••",
                     *         "createdBy": null,
                     *         "createdAt": "2026-03-01T12:00:00.120Z",
                     *         "lastUsedAt": null,
                     *         "revokedAt": null,
                     *         "expiresAt": null,
                     *         "assistantTools": []
                     *       },
                     *       "secret": "svc_proj_4fT9aZ2kQ7mB1xV8cN5sJ0dLhRwYgPeTuA6iXo",
                     *       "replaced": {
                     *         "id": "01J9ZH4N6M7P8Q9R0S1T2V3W4X",
                     *         "kind": "project",
                     *         "projectId": "01J9ZH00000000000000000000",
                     *         "name": "Checkout",
                     *         "prefix": "svc_proj_Qm81z",
                     *         "masked": "svc_proj_Qm81z••••••••",
                     *         "createdBy": null,
                     *         "createdAt": "2026-01-04T08:00:00.000Z",
                     *         "lastUsedAt": "2026-03-01T11:59:00.000Z",
                     *         "revokedAt": null,
                     *         "expiresAt": "2026-03-02T12:00:00.120Z",
                     *         "assistantTools": []
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        key: components["schemas"]["Key"];
                        /** @description The new secret key. */
                        secret: string;
                        replaced: components["schemas"]["Key"];
                    };
                };
            };
            /** @description The body is invalid: `invalid_json`, `invalid_request`. */
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`) or didn't come from a page of this service (`origin_mismatch`). Or the signed-in user doesn't belong to an
             *     account (`account_required`), has a role that doesn't allow this (`forbidden`), or hasn't entered an email code within the last 15 minutes
             *     (`recent_code_required`). Or the account is suspended: `account_suspended`.
             */
            403: components["responses"]["SessionRequired"];
            /** @description The key doesn't exist, or the caller can't manage it: `key_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "key_not_found",
                     *       "code": "key_not_found",
                     *       "message": "The key doesn't exist, or you can't manage it.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#key_not_found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has ended or was already replaced (`key_inactive`), or the account has too many keys (`too_many_items`). */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "key_inactive",
                     *       "code": "key_inactive",
                     *       "message": "The key has ended or was already replaced.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#key_inactive"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["MediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID from the list.
                 * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key no longer works. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`) or didn't come from a page of this service (`origin_mismatch`). Or the signed-in user doesn't belong to an
             *     account (`account_required`), has a role that doesn't allow this (`forbidden`), or hasn't entered an email code within the last 15 minutes
             *     (`recent_code_required`). Or the account is suspended: `account_suspended`.
             */
            403: components["responses"]["SessionRequired"];
            /** @description The key doesn't exist, or the caller can't manage it: `key_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "key_not_found",
                     *       "code": "key_not_found",
                     *       "message": "The key doesn't exist, or you can't manage it.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#key_not_found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID from the list.
                 * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "assistantTools": [
                 *         "search",
                 *         "unread"
                 *       ]
                 *     }
                 */
                "application/json": {
                    assistantTools: components["schemas"]["AssistantTools"];
                };
            };
        };
        responses: {
            /** @description The key has exactly these groups. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "key": {
                     *         "id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *         "kind": "live",
                     *         "projectId": null,
                     *         "name": "Assistant",
                     *         "prefix": "svc_live_4fT9a",
                     *         "masked": "svc_live_4fT9a••••••••",
                     *         "createdBy": null,
                     *         "createdAt": "2026-03-01T12:00:00.120Z",
                     *         "lastUsedAt": null,
                     *         "revokedAt": null,
                     *         "expiresAt": null,
                     *         "assistantTools": [
                     *           "search",
                     *           "unread"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        key: components["schemas"]["Key"];
                    };
                };
            };
            /** @description The body is invalid, or the key is not a live key: `invalid_json`, `invalid_request`. */
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`) or didn't come from a page of this service (`origin_mismatch`). Or the signed-in user doesn't belong to an
             *     account (`account_required`), has a role that doesn't allow this (`forbidden`), or hasn't entered an email code within the last 15 minutes
             *     (`recent_code_required`). Or the account is suspended: `account_suspended`.
             */
            403: components["responses"]["SessionRequired"];
            /** @description The key doesn't exist, or the caller can't manage it: `key_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "key_not_found",
                     *       "code": "key_not_found",
                     *       "message": "The key doesn't exist, or you can't manage it.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#key_not_found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key has ended: `key_inactive`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "key_inactive",
                     *       "code": "key_inactive",
                     *       "message": "The key has ended or was already replaced.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#key_inactive"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["MediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listMembers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The members and invitations, oldest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "members": [
                     *         {
                     *           "id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *           "email": "moussa@example.com",
                     *           "role": "developer",
                     *           "projects": [
                     *             "01J9ZH00000000000000000000"
                     *           ],
                     *           "joinedAt": "2026-03-01T12:00:00.120Z"
                     *         }
                     *       ],
                     *       "invitations": [
                     *         {
                     *           "id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *           "email": "moussa@example.com",
                     *           "role": "viewer",
                     *           "projects": [],
                     *           "createdAt": "2026-03-01T12:00:00.120Z",
                     *           "expiresAt": "2026-03-08T12:00:00.120Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        members: components["schemas"]["Member"][];
                        invitations: components["schemas"]["Invitation"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`). Or the signed-in user doesn't belong to an account (`account_required`) or has a role that doesn't allow
             *     this (`forbidden`). Or the account is suspended: `account_suspended`.
             */
            403: components["responses"]["SessionRequired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    inviteMember: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "moussa@example.com",
                 *       "role": "developer",
                 *       "projects": [
                 *         "01J9ZH00000000000000000000"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @description The email address to invite.
                     */
                    email: string;
                    /**
                     * @description The role. Defaults to `developer`.
                     * @enum {string}
                     */
                    role?: "developer" | "viewer";
                    /** @description The IDs of a developer's projects. Defaults to all projects that the account has when the invitation is accepted. */
                    projects?: string[] | null;
                };
            };
        };
        responses: {
            /** @description The person was invited. `emailStatus` is the current state of the email. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "invitation": {
                     *         "id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *         "email": "moussa@example.com",
                     *         "role": "viewer",
                     *         "projects": [],
                     *         "createdAt": "2026-03-01T12:00:00.120Z",
                     *         "expiresAt": "2026-03-08T12:00:00.120Z"
                     *       },
                     *       "emailStatus": "SENT"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        invitation: components["schemas"]["Invitation"];
                        emailStatus: components["schemas"]["Status"];
                    };
                };
            };
            /** @description The body is invalid: `invalid_json`, `invalid_request`. */
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`) or didn't come from a page of this service (`origin_mismatch`). Or the signed-in user doesn't belong to an
             *     account (`account_required`), has a role that doesn't allow this (`forbidden`), or hasn't entered an email code within the last 15 minutes
             *     (`recent_code_required`). Or the account is suspended: `account_suspended`.
             */
            403: components["responses"]["SessionRequired"];
            /** @description A project doesn't belong to the account: `project_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "project_not_found",
                     *       "code": "project_not_found",
                     *       "message": "The account doesn't have this project.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#project_not_found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The address already belongs to the account (`already_member`), or the account has too many members (`too_many_items`). Or the service can't send email
             *     (`gateway_not_connected`).
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "already_member",
                     *       "code": "already_member",
                     *       "message": "This address already belongs to the account.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#already_member"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["MediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID from the list.
                 * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The member was removed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "revokedKeys": 2
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        /** @description The number of their keys that were revoked. */
                        revokedKeys: number;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`) or didn't come from a page of this service (`origin_mismatch`). Or the signed-in user doesn't belong to an
             *     account (`account_required`), has a role that doesn't allow this (`forbidden`), or hasn't entered an email code within the last 15 minutes
             *     (`recent_code_required`). Or the account is suspended: `account_suspended`.
             */
            403: components["responses"]["SessionRequired"];
            /** @description The account has no member with this ID: `member_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "member_not_found",
                     *       "code": "member_not_found",
                     *       "message": "The account doesn't have this member.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#member_not_found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID from the list.
                 * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "developer",
                 *       "projects": [
                 *         "01J9ZH00000000000000000000"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The member's new role.
                     * @enum {string}
                     */
                    role?: "developer" | "viewer";
                    /** @description The IDs of all projects of a developer. */
                    projects?: string[] | null;
                };
            };
        };
        responses: {
            /** @description The member was updated. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "member": {
                     *         "id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *         "email": "moussa@example.com",
                     *         "role": "developer",
                     *         "projects": [
                     *           "01J9ZH00000000000000000000"
                     *         ],
                     *         "joinedAt": "2026-03-01T12:00:00.120Z"
                     *       },
                     *       "revokedKeys": 0
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        member: components["schemas"]["Member"];
                        /** @description The number of their keys that were revoked. */
                        revokedKeys: number;
                    };
                };
            };
            /** @description The body is invalid: `invalid_json`, `invalid_request`. */
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`) or didn't come from a page of this service (`origin_mismatch`). Or the signed-in user doesn't belong to an
             *     account (`account_required`), has a role that doesn't allow this (`forbidden`), or hasn't entered an email code within the last 15 minutes
             *     (`recent_code_required`). Or the account is suspended: `account_suspended`.
             */
            403: components["responses"]["SessionRequired"];
            /** @description The account has no member (`member_not_found`) or no project (`project_not_found`) with this ID. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "member_not_found",
                     *       "code": "member_not_found",
                     *       "message": "The account doesn't have this member.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#member_not_found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["MediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    revokeInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID from the list of members.
                 * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invitation was revoked. Its link no longer works. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`) or didn't come from a page of this service (`origin_mismatch`). Or the signed-in user doesn't belong to an
             *     account (`account_required`), has a role that doesn't allow this (`forbidden`), or hasn't entered an email code within the last 15 minutes
             *     (`recent_code_required`). Or the account is suspended: `account_suspended`.
             */
            403: components["responses"]["SessionRequired"];
            /** @description The account has no pending invitation with this ID: `invitation_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "invitation_not_found",
                     *       "code": "invitation_not_found",
                     *       "message": "The invitation doesn't exist.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#invitation_not_found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    resendInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID from the list of members.
                 * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invitation was sent. `emailStatus` is the current state of the email. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "invitation": {
                     *         "id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *         "email": "moussa@example.com",
                     *         "role": "viewer",
                     *         "projects": [],
                     *         "createdAt": "2026-03-01T12:00:00.120Z",
                     *         "expiresAt": "2026-03-08T12:00:00.120Z"
                     *       },
                     *       "emailStatus": "SENT"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        invitation: components["schemas"]["Invitation"];
                        emailStatus: components["schemas"]["Status"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`) or didn't come from a page of this service (`origin_mismatch`). Or the signed-in user doesn't belong to an
             *     account (`account_required`), has a role that doesn't allow this (`forbidden`), or hasn't entered an email code within the last 15 minutes
             *     (`recent_code_required`). Or the account is suspended: `account_suspended`.
             */
            403: components["responses"]["SessionRequired"];
            /** @description The account has no pending invitation with this ID: `invitation_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "invitation_not_found",
                     *       "code": "invitation_not_found",
                     *       "message": "The invitation doesn't exist.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#invitation_not_found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address now belongs to the account (`already_member`), or the service can't send email (`gateway_not_connected`). */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "already_member",
                     *       "code": "already_member",
                     *       "message": "This address already belongs to the account.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#already_member"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listOptOuts: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of items to return.
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description The `nextCursor` of the previous page.
                 * @example c21zOjIyMzc2MDAwMDAx
                 */
                cursor?: string;
                /**
                 * @description The channel of the messages to return.
                 * @example sms
                 */
                channel?: components["schemas"]["Channel"];
                /**
                 * @description The number, with or without its plus sign, the email address, or the WhatsApp ID.
                 * @example 22376000001
                 */
                address?: string;
                /**
                 * @description A part of the number or the email address.
                 * @example 7600
                 */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of opt-outs. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "count": 1,
                     *       "nextCursor": null,
                     *       "optOuts": [
                     *         {
                     *           "id": "c21zOjIyMzc2MDAwMDAx",
                     *           "channel": "sms",
                     *           "address": "+22376000001",
                     *           "source": "said",
                     *           "since": "2026-03-01T12:00:00.120Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        optOuts: components["schemas"]["OptOut"][];
                        /** @description The number of items on this page. */
                        count: number;
                        /** @description The cursor of the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description A parameter is invalid: `invalid_request`, `invalid_channel`, `invalid_phone`, `invalid_email`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["OwnerForbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    addOptOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "channel": "sms",
                 *       "address": "+22376000001"
                 *     }
                 */
                "application/json": {
                    channel: components["schemas"]["Channel"];
                    /** @description A phone number, an email address, or a WhatsApp ID. */
                    address: string;
                };
            };
        };
        responses: {
            /** @description The opt-out already existed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "optOut": {
                     *         "id": "c21zOjIyMzc2MDAwMDAx",
                     *         "channel": "sms",
                     *         "address": "+22376000001",
                     *         "source": "said",
                     *         "since": "2026-03-01T12:00:00.120Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        optOut: components["schemas"]["OptOut"];
                    };
                };
            };
            /** @description The opt-out was stored. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "optOut": {
                     *         "id": "c21zOjIyMzc2MDAwMDAx",
                     *         "channel": "sms",
                     *         "address": "+22376000001",
                     *         "source": "added",
                     *         "since": "2026-03-01T12:00:00.120Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        optOut: components["schemas"]["OptOut"];
                    };
                };
            };
            /** @description The body is invalid: `invalid_json`, `invalid_request`, `invalid_channel`, `invalid_phone`, `number_required`, `invalid_email`. */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["OwnerForbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["MediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    removeOptOut: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID from the list.
                 * @example c21zOjIyMzc2MDAwMDAx
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The opt-out was removed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["OwnerForbidden"];
            /** @description The account has no opt-out with this ID: `opt_out_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "opt_out_not_found",
                     *       "code": "opt_out_not_found",
                     *       "message": "The account doesn't have this opt-out.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#opt_out_not_found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    exportPerson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "address": "+22376000001"
                 *     }
                 */
                "application/json": {
                    /** @description A phone number, an email address, or a WhatsApp ID. For the sender of an SMS that isn't an international number, `local:` and the sender. */
                    address: string;
                };
            };
        };
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /**
                     * @description The header that makes the response a download.
                     * @example attachment; filename="griot-person.json"
                     */
                    "Content-Disposition": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "address": "+22376000001",
                     *       "pseudonym": "erased-K-aYYW2opMXWRny9eGyD",
                     *       "exportedAt": "2026-03-04T12:00:00.000Z",
                     *       "optOuts": [
                     *         {
                     *           "channel": "sms",
                     *           "source": "said",
                     *           "since": "2026-03-01T12:00:00.120Z"
                     *         }
                     *       ],
                     *       "messages": [],
                     *       "conversations": [],
                     *       "received": [],
                     *       "codes": [],
                     *       "events": [],
                     *       "audit": [],
                     *       "groups": [],
                     *       "complete": true
                     *     }
                     */
                    "application/json": {
                        /** @description The address in the request. */
                        address: string;
                        /** @description The pseudonym that replaces the address after the person is erased. */
                        pseudonym: string;
                        /** Format: date-time */
                        exportedAt: string;
                        optOuts: {
                            channel: components["schemas"]["Channel"];
                            source: string;
                            /** Format: date-time */
                            since: string;
                        }[];
                        messages: {
                            messageId: string;
                            notificationId: string;
                            projectId: string | null;
                            source: string;
                            to: string;
                            email: string | null;
                            groupId: string | null;
                            channel: string;
                            from: string | null;
                            /** @description Whether the message is sensitive, so its content isn't stored. */
                            sensitive: boolean;
                            subject: string | null;
                            message: string | null;
                            html: string | null;
                            mediaUrl: string | null;
                            metadata: {
                                [key: string]: string;
                            } | null;
                            idempotencyKey: string | null;
                            status: components["schemas"]["Status"];
                            timeline: {
                                [key: string]: unknown;
                            }[];
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: date-time */
                            scheduledAt: string | null;
                            /** Format: date-time */
                            sentAt: string | null;
                            /** Format: date-time */
                            deliveredAt: string | null;
                            /** Format: date-time */
                            readAt: string | null;
                        }[];
                        conversations: {
                            id: string;
                            name: string | null;
                            contactId: string | null;
                            contactUsername: string | null;
                            /** Format: date-time */
                            lastAt: string;
                            unread: number;
                        }[];
                        received: {
                            messageId: string;
                            conversationId: string | null;
                            channel: components["schemas"]["Channel"];
                            senderId: string;
                            type: string;
                            text: string;
                            mediaUrl: string | null;
                            mediaMissing: string | null;
                            mimeType: string | null;
                            fileName: string | null;
                            choice: {
                                [key: string]: unknown;
                            } | null;
                            response: {
                                [key: string]: unknown;
                            } | null;
                            /** Format: date-time */
                            at: string;
                            /** Format: date-time */
                            editedAt: string | null;
                            /** Format: date-time */
                            deletedAt: string | null;
                            /** @description True if the provider's own agent had the conversation. Absent otherwise. */
                            standby?: boolean;
                            /** @description True for a message to the person that the owner of a linked number wrote on the phone. Absent otherwise. */
                            fromPhone?: boolean;
                        }[];
                        codes: {
                            challengeId: string;
                            messageId: string;
                            sandbox: boolean;
                            attempts: number;
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: date-time */
                            expiresAt: string;
                            /** Format: date-time */
                            verifiedAt: string | null;
                        }[];
                        events: {
                            eventId: string;
                            type: string;
                            /** Format: date-time */
                            createdAt: string;
                            body: {
                                [key: string]: unknown;
                            };
                        }[];
                        audit: {
                            id: string;
                            /** Format: date-time */
                            at: string;
                            action: string;
                        }[];
                        groups: string[];
                        /** @description Whether the file contains all messages and events. */
                        complete: boolean;
                    };
                };
            };
            /** @description The request is invalid: `invalid_request`, `invalid_phone`, `invalid_email`. */
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`) or didn't come from a page of this service (`origin_mismatch`). Or the signed-in user doesn't belong to an
             *     account (`account_required`), has a role that doesn't allow this (`forbidden`), or hasn't entered an email code within the last 15 minutes
             *     (`recent_code_required`). Or the account is suspended: `account_suspended`.
             */
            403: components["responses"]["SessionRequired"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["MediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    erasePerson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "address": "+22376000001"
                 *     }
                 */
                "application/json": {
                    /** @description A phone number, an email address, or a WhatsApp ID. For the sender of an SMS that isn't an international number, `local:` and the sender. */
                    address: string;
                };
            };
        };
        responses: {
            /** @description The erasure is finished. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "erasure": {
                     *         "id": "era_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *         "pseudonym": "erased-K-aYYW2opMXWRny9eGyD",
                     *         "status": "done",
                     *         "messages": 8,
                     *         "canceled": 1,
                     *         "received": 2,
                     *         "events": 10,
                     *         "createdAt": "2026-03-04T12:00:00.000Z",
                     *         "finishedAt": "2026-03-04T12:00:00.240Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        erasure: components["schemas"]["Erasure"];
                    };
                };
            };
            /** @description The erasure is in progress. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "erasure": {
                     *         "id": "era_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *         "pseudonym": "erased-K-aYYW2opMXWRny9eGyD",
                     *         "status": "running",
                     *         "messages": 3,
                     *         "canceled": 0,
                     *         "received": 0,
                     *         "events": 0,
                     *         "createdAt": "2026-03-04T12:00:00.000Z",
                     *         "finishedAt": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        erasure: components["schemas"]["Erasure"];
                    };
                };
            };
            /** @description The request is invalid: `invalid_request`, `invalid_phone`, `invalid_email`. */
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`) or didn't come from a page of this service (`origin_mismatch`). Or the signed-in user doesn't belong to an
             *     account (`account_required`), has a role that doesn't allow this (`forbidden`), or hasn't entered an email code within the last 15 minutes
             *     (`recent_code_required`). Or the account is suspended: `account_suspended`.
             */
            403: components["responses"]["SessionRequired"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["MediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getStats: {
        parameters: {
            query?: {
                /**
                 * @description The start of the acceptance period, inclusive, in ISO 8601. Defaults to 24 hours before `to`.
                 * @example 2026-03-01T00:00:00Z
                 */
                from?: string;
                /**
                 * @description The end of the acceptance period, exclusive. Defaults to now.
                 * @example 2026-03-02T00:00:00Z
                 */
                to?: string;
                /**
                 * @description The step size, in UTC. Defaults to days if the period is longer than three days. A response has at most 399 steps.
                 * @example hour
                 */
                step?: "hour" | "day";
                /**
                 * @description The channel of the messages to return.
                 * @example sms
                 */
                channel?: components["schemas"]["Channel"];
                /**
                 * @description The project of the messages to return.
                 * @example 01J9ZH00000000000000000000
                 */
                projectId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The steps, oldest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "from": "2026-03-01T00:00:00.000Z",
                     *       "to": "2026-03-01T02:00:00.000Z",
                     *       "step": "hour",
                     *       "complete": true,
                     *       "countedFrom": "2026-03-01T00:00:00.000Z",
                     *       "buckets": [
                     *         {
                     *           "at": "2026-03-01T00:00:00.000Z",
                     *           "total": 2,
                     *           "sent": 2,
                     *           "delivered": 1,
                     *           "read": 0,
                     *           "failed": 0,
                     *           "fallback": 1
                     *         },
                     *         {
                     *           "at": "2026-03-01T01:00:00.000Z",
                     *           "total": 0,
                     *           "sent": 0,
                     *           "delivered": 0,
                     *           "read": 0,
                     *           "failed": 0,
                     *           "fallback": 0
                     *         }
                     *       ],
                     *       "latencyMs": {
                     *         "sent": {
                     *           "p50": 210,
                     *           "p95": 480,
                     *           "p99": 480
                     *         },
                     *         "delivered": {
                     *           "p50": 1900,
                     *           "p95": 1900,
                     *           "p99": 1900
                     *         }
                     *       },
                     *       "topErrors": [
                     *         {
                     *           "code": "recipient_unreachable",
                     *           "count": 1
                     *         }
                     *       ],
                     *       "pricing": [
                     *         {
                     *           "month": "2026-03",
                     *           "category": "utility",
                     *           "charged": 1,
                     *           "free": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        /**
                         * Format: date-time
                         * @description The start of the period.
                         */
                        from: string;
                        /**
                         * Format: date-time
                         * @description The end of the period.
                         */
                        to: string;
                        /**
                         * @description The size of each step.
                         * @enum {string}
                         */
                        step: "hour" | "day";
                        /** @description Whether the whole period was counted. False if `countedFrom` is later than `from`. */
                        complete: boolean;
                        /**
                         * Format: date-time
                         * @description The start of the counted period: `from`, rounded down, or the time from which counts are kept.
                         */
                        countedFrom: string;
                        buckets: {
                            /** Format: date-time */
                            at: string;
                            total: number;
                            sent: number;
                            delivered: number;
                            read: number;
                            failed: number;
                            /** @description The number of messages that were sent on another channel, or by another sender, than the first one tried. */
                            fallback: number;
                        }[];
                        /** @description The time from acceptance, or from the scheduled time, until a gateway accepted the message and until it was delivered. Accurate to 20 %, except below 50 ms. */
                        latencyMs: {
                            sent: {
                                p50: number | null;
                                p95: number | null;
                                p99: number | null;
                            };
                            delivered: {
                                p50: number | null;
                                p95: number | null;
                                p99: number | null;
                            };
                        };
                        topErrors: {
                            code: string;
                            count: number;
                        }[];
                        /** @description The delivered messages with a price, by month and category. Empty if no provider has reported prices. */
                        pricing: {
                            /** @description The month, in UTC, in which the messages were accepted. */
                            month: string;
                            /** @description The provider's word for the category, such as `utility` or `service`. `other`: one that Griot doesn't know, or none. */
                            category: string;
                            /** @description The number of messages for which the provider charges. */
                            charged: number;
                            /** @description The number of messages for which it doesn''t. */
                            free: number;
                        }[];
                    };
                };
            };
            /** @description A parameter is invalid: `invalid_request`, `invalid_channel`. */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description The project doesn't exist, or the caller can't see it: `project_not_found`. */
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getOTPStats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "since": "2026-03-01T00:00:00.000Z",
                     *       "complete": true,
                     *       "countries": [
                     *         {
                     *           "country": "223",
                     *           "sent": 40,
                     *           "delivered": 38,
                     *           "verified": 31,
                     *           "medianSeconds": 14
                     *         }
                     *       ],
                     *       "held": [
                     *         {
                     *           "prefix": "2237600",
                     *           "country": "223",
                     *           "sent": 30,
                     *           "verified": 2,
                     *           "since": "2026-03-02T00:00:00.000Z",
                     *           "until": "2026-03-02T01:00:00.000Z",
                     *           "reason": "too_few_verified"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        /** Format: date-time */
                        since: string;
                        /** @description Whether all prefixes were counted. False if codes were sent to more than 5,000 prefixes. Only the first 5,000 are then counted. */
                        complete: boolean;
                        countries: {
                            /** @description The country's calling code. */
                            country: string;
                            sent: number;
                            /** @description The number of codes that were delivered according to receipts, or verified. */
                            delivered: number;
                            verified: number;
                            /** @description The median time from the request until the code was verified, in seconds. Null if no code was verified. */
                            medianSeconds: number | null;
                        }[];
                        held: {
                            prefix: string;
                            country: string;
                            sent: number;
                            verified: number;
                            /** Format: date-time */
                            since: string;
                            /** Format: date-time */
                            until: string;
                            /**
                             * @description The reason for the block: too few of the latest codes to the prefix were verified.
                             * @enum {string}
                             */
                            reason: "too_few_verified";
                        }[];
                    };
                };
            };
            /** @description A parameter is invalid: `invalid_request`. */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Boutique Awa",
                 *       "lang": "fr"
                 *     }
                 */
                "application/json": {
                    /** @description The name, at most 100 characters without leading and trailing spaces. */
                    name: string;
                    /** @description The language in which the service writes in the account's name: fr or en. Defaults to the language of the request. */
                    lang?: string | null;
                };
            };
        };
        responses: {
            /** @description The account was created. `testKey` is a test key, which is shown only in this response. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "account": {
                     *         "id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *         "name": "Boutique Awa",
                     *         "lang": "fr",
                     *         "timeZone": "UTC",
                     *         "country": null
                     *       },
                     *       "testKey": "svc_test_4fT9aZ2kQ7mB1xV8cN5sJ0dLhRwYgPeTuA6iXo"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        account: {
                            id: string;
                            name: string;
                            /** @enum {string} */
                            lang: "fr" | "en";
                            timeZone: string;
                            /** @description The country of numbers that people type on the dashboard without a plus. Null for none. */
                            country: string | null;
                        };
                        /** @description A test key. */
                        testKey: string;
                    };
                };
            };
            /** @description The body is invalid: `invalid_json`, `invalid_request`. */
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`) or didn't come from a page of this service (`origin_mismatch`). Or the signed-in user can't create an
             *     account or already has one, which might be closed (`forbidden`).
             */
            403: components["responses"]["SessionRequired"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["MediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Boutique Awa",
                 *       "lang": "fr",
                 *       "timeZone": "Africa/Bamako",
                 *       "country": "ML"
                 *     }
                 */
                "application/json": {
                    /** @description The name, at most 100 characters without leading and trailing spaces. */
                    name?: string;
                    /**
                     * @description The language in which the service writes in the account's name.
                     * @enum {string}
                     */
                    lang?: "fr" | "en";
                    /** @description The time zone, as a name of the IANA database. Times in responses stay in UTC. */
                    timeZone?: string;
                    /** @description The country of numbers that people type on the dashboard without a plus: its ISO 3166-1 code (ML), or its calling code (223). Empty for none. The API always reads a number with its country code. */
                    country?: string;
                };
            };
        };
        responses: {
            /** @description The account was updated. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "account": {
                     *         "id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *         "name": "Boutique Awa",
                     *         "lang": "fr",
                     *         "timeZone": "Africa/Bamako",
                     *         "country": "ML"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        account: {
                            id: string;
                            name: string;
                            /** @enum {string} */
                            lang: "fr" | "en";
                            timeZone: string;
                            /** @description The country of numbers that people type on the dashboard without a plus. Null for none. */
                            country: string | null;
                        };
                    };
                };
            };
            /** @description The body is invalid: `invalid_json`, `invalid_request`. */
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`) or didn't come from a page of this service (`origin_mismatch`). Or the signed-in user doesn't belong to an
             *     account (`account_required`) or has a role that doesn't allow this (`forbidden`). Or the account is suspended: `account_suspended`.
             */
            403: components["responses"]["SessionRequired"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["MediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    transferAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "memberId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                 *       "role": "developer"
                 *     }
                 */
                "application/json": {
                    /** @description The ID of the member who becomes the owner. */
                    memberId: string;
                    /**
                     * @description The new role of the previous owner.
                     * @enum {string}
                     */
                    role: "developer" | "viewer";
                };
            };
        };
        responses: {
            /** @description The account was transferred. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "owner": "awa@example.com",
                     *       "role": "developer"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        /** @description The new owner's email address. */
                        owner: string;
                        /** @enum {string} */
                        role: "developer" | "viewer";
                    };
                };
            };
            /** @description The body is invalid: `invalid_json`, `invalid_request`. */
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`) or didn't come from a page of this service (`origin_mismatch`). Or the signed-in user doesn't belong to an
             *     account (`account_required`), has a role that doesn't allow this (`forbidden`), or hasn't entered an email code in the last 15 minutes
             *     (`recent_code_required`). Or the account is suspended: `account_suspended`.
             */
            403: components["responses"]["SessionRequired"];
            /** @description The account has no member with this ID: `member_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "member_not_found",
                     *       "code": "member_not_found",
                     *       "message": "The account doesn't have this member.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#member_not_found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The member already owns another account: `owns_another_account`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "owns_another_account",
                     *       "code": "owns_another_account",
                     *       "message": "This member owns another account, and an address can own only one.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#owns_another_account"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["MediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    closeAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Boutique Awa"
                 *     }
                 */
                "application/json": {
                    /** @description The account's name. */
                    name: string;
                };
            };
        };
        responses: {
            /** @description The account was closed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "closedAt": "2026-03-01T12:00:00.000Z",
                     *       "erasedAt": "2026-03-31T12:00:00.000Z"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        /** Format: date-time */
                        closedAt: string;
                        /**
                         * Format: date-time
                         * @description The time at which its data will be erased.
                         */
                        erasedAt: string;
                    };
                };
            };
            /** @description The body is invalid: `invalid_json`, `invalid_request`. */
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`) or didn't come from a page of this service (`origin_mismatch`). Or the signed-in user doesn't belong to an
             *     account (`account_required`), has a role that doesn't allow this (`forbidden`), or hasn't entered an email code in the last 15 minutes
             *     (`recent_code_required`). Or the account was closed just now (`account_closed`), or it is suspended: `account_suspended`.
             */
            403: components["responses"]["SessionRequired"];
            /** @description A subscription is active and would continue to be charged: `subscription_active`. Cancel it first. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "subscription_active",
                     *       "code": "subscription_active",
                     *       "message": "The account has a subscription that renews.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#subscription_active"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["MediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    describeKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key's account. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "kind": "live",
                     *       "account": {
                     *         "id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *         "name": "Boutique Awa"
                     *       },
                     *       "project": null,
                     *       "plan": "starter",
                     *       "usage": {
                     *         "date": "2026-03-01",
                     *         "messagesUsed": 12,
                     *         "limit": 5000,
                     *         "remaining": 4988,
                     *         "resetAt": "2026-03-02T00:00:00.000Z"
                     *       },
                     *       "features": {
                     *         "inbox": true,
                     *         "mcp": true
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        /**
                         * @description The kind of the key, which determines its rights.
                         * @enum {string}
                         */
                        kind: "live" | "test" | "project";
                        account: {
                            id: string;
                            name: string;
                        };
                        /** @description The project of a project key. Null for other keys. */
                        project: {
                            id: string;
                            name: string;
                        } | null;
                        /** @description The current plan. */
                        plan: string;
                        usage: components["schemas"]["DayUsage"];
                        /** @description The features that this key can use. */
                        features: {
                            inbox: boolean;
                            mcp: boolean;
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description The account is suspended: `account_suspended`. */
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listPresets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The presets, sorted by name. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "presets": [
                     *         {
                     *           "name": "payment_received",
                     *           "required": [
                     *             "amount"
                     *           ],
                     *           "optional": [
                     *             "name"
                     *           ],
                     *           "texts": {
                     *             "fr": {
                     *               "text": "Votre paiement de {{amount}} est bien enregistré.",
                     *               "subject": "Paiement enregistré"
                     *             },
                     *             "en": {
                     *               "text": "We received your payment of {{amount}}.",
                     *               "subject": "Payment received"
                     *             }
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        presets: {
                            /** @description The value for `preset`. */
                            name: string;
                            /** @description The required variables. */
                            required: string[];
                            /** @description The optional variables. */
                            optional: string[];
                            texts: {
                                fr: {
                                    text: string;
                                    /** @description The subject, for email. */
                                    subject: string;
                                };
                                en: {
                                    text: string;
                                    /** @description The subject, for email. */
                                    subject: string;
                                };
                            };
                        }[];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /** @description The signed-in user doesn't belong to an account (`account_required`). Or the account is suspended: `account_suspended`. */
            403: components["responses"]["SessionRequired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAlerts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The alerts. Empty if there are none. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "count": 1,
                     *       "alerts": [
                     *         {
                     *           "kind": "sender_down",
                     *           "openedAt": "2026-03-01T12:00:20.000Z",
                     *           "mailedAt": "2026-03-01T12:00:21.120Z",
                     *           "quota": null,
                     *           "sender": {
                     *             "id": "snd_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *             "channel": "sms",
                     *             "address": "+22370000003",
                     *             "state": "logged_out",
                     *             "reason": "logged_out",
                     *             "until": null
                     *           },
                     *           "webhook": null,
                     *           "billing": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        alerts: components["schemas"]["AlertItem"][];
                        /** @description The number of items in the response. */
                        count: number;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`), or the signed-in user doesn't belong to an account (`account_required`). Or the account is suspended:
             *     `account_suspended`.
             */
            403: components["responses"]["SessionRequired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAuditEvents: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of items to return.
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description The `nextCursor` of the previous page.
                 * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                cursor?: string;
                /**
                 * @description The action. With a trailing dot, all actions that start with it.
                 * @example key.
                 */
                action?: string;
                /**
                 * @description The actor: the email address of a person, or `owner`, `member`, `key`, `operator`, or `system`.
                 * @example awa@example.com
                 */
                actor?: string;
                /**
                 * @description The start of the period, inclusive.
                 * @example 2026-03-01T00:00:00Z
                 */
                since?: string;
                /**
                 * @description The end of the period. A time is exclusive. A date includes its whole day, in UTC.
                 * @example 2026-04-01T00:00:00Z
                 */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "count": 1,
                     *       "nextCursor": null,
                     *       "events": [
                     *         {
                     *           "id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *           "at": "2026-03-01T12:00:00.480Z",
                     *           "actor": {
                     *             "type": "owner",
                     *             "id": null,
                     *             "email": "awa@example.com"
                     *           },
                     *           "action": "key.created",
                     *           "target": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2E",
                     *           "details": {
                     *             "kind": "live",
                     *             "prefix": "svc_live_4fK2b"
                     *           },
                     *           "address": "192.0.2.0/24"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        events: components["schemas"]["AuditEvent"][];
                        /** @description The number of items on this page. */
                        count: number;
                        /** @description The cursor of the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description A parameter is invalid: `invalid_request`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`). Or the signed-in user doesn't belong to an account (`account_required`) or has a role that doesn't allow
             *     this (`forbidden`). Or the account is suspended: `account_suspended`.
             */
            403: components["responses"]["SessionRequired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    showBilling: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The data of the billing page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Billing"];
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`). Or the signed-in user doesn't belong to an account (`account_required`) or has a role that doesn't allow
             *     this (`forbidden`).
             */
            403: components["responses"]["SessionRequired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    openCheckout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The plan to subscribe to. */
                    plan: string;
                    /** @description One of the plan's prices, if it has several. */
                    priceId?: string | null;
                };
            };
        };
        responses: {
            /** @description The page to open in the browser. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "url": "https://checkout.stripe.com/c/pay/cs_example"
                     *     }
                     */
                    "application/json": components["schemas"]["BillingPage"];
                };
            };
            /** @description The plan or the price isn't for sale (`invalid_plan`), or the body is invalid (`invalid_json`, `invalid_request`). */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "invalid_plan",
                     *       "code": "invalid_plan",
                     *       "message": "This plan or price isn't for sale.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#invalid_plan"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`) or didn't come from a page of this service (`origin_mismatch`). Or the signed-in user doesn't belong to an
             *     account (`account_required`), has a role that doesn't allow this (`forbidden`), or hasn't entered an email code within the last 15 minutes
             *     (`recent_code_required`).
             */
            403: components["responses"]["SessionRequired"];
            /** @description An operator sets plans (`billing_manual`), or the account already has the plan (`already_on_plan`). */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "billing_manual",
                     *       "code": "billing_manual",
                     *       "message": "The operator of this service sets the plans.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#billing_manual"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["MediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            /** @description The payment provider isn't available (`billing_unavailable`), or the storage isn't available (`storage_unavailable`). */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "billing_unavailable",
                     *       "code": "billing_unavailable",
                     *       "message": "The payment provider can't be reached. Nothing was changed.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#billing_unavailable"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    openBillingPortal: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page to open in the browser. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "url": "https://billing.stripe.com/p/session/example"
                     *     }
                     */
                    "application/json": components["schemas"]["BillingPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description No user is signed in: `unauthorized`. */
            401: components["responses"]["Unauthorized"];
            /**
             * @description The request used a key (`session_required`) or didn't come from a page of this service (`origin_mismatch`). Or the signed-in user doesn't belong to an
             *     account (`account_required`), has a role that doesn't allow this (`forbidden`), or hasn't entered an email code within the last 15 minutes
             *     (`recent_code_required`).
             */
            403: components["responses"]["SessionRequired"];
            /** @description The account has never paid for a plan (`no_subscription`), or an operator sets plans (`billing_manual`). */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "no_subscription",
                     *       "code": "no_subscription",
                     *       "message": "The account has never paid for a plan here.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#no_subscription"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            /** @description The payment provider isn't available (`billing_unavailable`), or the storage isn't available (`storage_unavailable`). */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "billing_unavailable",
                     *       "code": "billing_unavailable",
                     *       "message": "The payment provider can't be reached. Nothing was changed.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#billing_unavailable"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    receiveStripeEvent: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The time and the HMAC of the body, at most five minutes old.
                 * @example t=1772366400,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd
                 */
                "Stripe-Signature"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_1PgafmB7WZ01",
                 *       "object": "event",
                 *       "type": "customer.subscription.updated",
                 *       "livemode": true,
                 *       "data": {
                 *         "object": {
                 *           "id": "sub_1PgafmB7WZ01",
                 *           "object": "subscription",
                 *           "customer": "cus_QXg1"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The event was accepted. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            /**
             * @description The signature is missing, invalid, or too old (`invalid_signature`), the event can't be read (`invalid_event`, `invalid_json`), or it belongs to the
             *     other mode (`mode_mismatch`).
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "invalid_signature",
                     *       "code": "invalid_signature",
                     *       "message": "The payment provider didn't sign this event, or signed it more than five minutes ago.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#invalid_signature"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description An operator sets plans: `not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "not_found",
                     *       "code": "not_found",
                     *       "message": "There is nothing at this address.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#not_found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 64 KiB: `payload_too_large`. */
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            /** @description The payment provider isn't available (`billing_unavailable`), or the storage isn't available (`storage_unavailable`). */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "billing_unavailable",
                     *       "code": "billing_unavailable",
                     *       "message": "The payment provider can't be reached. Nothing was changed.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#billing_unavailable"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service is healthy. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "service": "svc-messaging"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        status: "ok";
                        /** @constant */
                        service: "svc-messaging";
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["Internal"];
            /** @description The service can't reach its storage, or the last write failed. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "unavailable",
                     *       "service": "svc-messaging"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        status: "unavailable";
                        /** @constant */
                        service: "svc-messaging";
                    };
                };
            };
        };
    };
    getDocument: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document in OpenAPI 3.1 format. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/yaml": unknown;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            500: components["responses"]["Internal"];
        };
    };
    getTerms: {
        parameters: {
            query?: {
                /**
                 * @description The language that the person chooses for all pages: `fr` or `en`. Other values are ignored.
                 * @example en
                 */
                lang?: components["parameters"]["Lang"];
                /**
                 * @description The theme that the person chooses for all pages: `light` or `dark`. Other values are ignored.
                 * @example dark
                 */
                theme?: components["parameters"]["Theme"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            303: components["responses"]["PageChosen"];
            400: components["responses"]["BadRequest"];
            500: components["responses"]["Internal"];
        };
    };
    getPrivacy: {
        parameters: {
            query?: {
                /**
                 * @description The language that the person chooses for all pages: `fr` or `en`. Other values are ignored.
                 * @example en
                 */
                lang?: components["parameters"]["Lang"];
                /**
                 * @description The theme that the person chooses for all pages: `light` or `dark`. Other values are ignored.
                 * @example dark
                 */
                theme?: components["parameters"]["Theme"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            303: components["responses"]["PageChosen"];
            400: components["responses"]["BadRequest"];
            500: components["responses"]["Internal"];
        };
    };
    getErrorsPage: {
        parameters: {
            query?: {
                /**
                 * @description The search text, for codes, statuses, and texts.
                 * @example rate
                 */
                q?: string;
                /**
                 * @description The language that the person chooses for all pages: `fr` or `en`. Other values are ignored.
                 * @example en
                 */
                lang?: components["parameters"]["Lang"];
                /**
                 * @description The theme that the person chooses for all pages: `light` or `dark`. Other values are ignored.
                 * @example dark
                 */
                theme?: components["parameters"]["Theme"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page that `docsUrl` links to. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            303: components["responses"]["PageChosen"];
            400: components["responses"]["BadRequest"];
            500: components["responses"]["Internal"];
        };
    };
    getDocs: {
        parameters: {
            query?: {
                /**
                 * @description The search text. A section matches if it contains all of these words.
                 * @example webhook
                 */
                q?: string;
                /**
                 * @description The language that the person chooses for all pages: `fr` or `en`. Other values are ignored.
                 * @example en
                 */
                lang?: components["parameters"]["Lang"];
                /**
                 * @description The theme that the person chooses for all pages: `light` or `dark`. Other values are ignored.
                 * @example dark
                 */
                theme?: components["parameters"]["Theme"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The table of contents or the search results. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            303: components["responses"]["PageChosen"];
            400: components["responses"]["BadRequest"];
            500: components["responses"]["Internal"];
        };
    };
    getDocsPage: {
        parameters: {
            query?: {
                /**
                 * @description The language that the person chooses for all pages: `fr` or `en`. Other values are ignored.
                 * @example en
                 */
                lang?: components["parameters"]["Lang"];
                /**
                 * @description The theme that the person chooses for all pages: `light` or `dark`. Other values are ignored.
                 * @example dark
                 */
                theme?: components["parameters"]["Theme"];
            };
            header?: never;
            path: {
                /**
                 * @description The page's path, which can contain slashes.
                 * @example operating/backup
                 */
                page: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            303: components["responses"]["PageChosen"];
            400: components["responses"]["BadRequest"];
            /** @description The page doesn't exist: `not_found`. A browser gets an error page. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "not_found",
                     *       "code": "not_found",
                     *       "message": "There is nothing at this address.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#not_found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    "text/html": string;
                };
            };
            500: components["responses"]["Internal"];
        };
    };
    getReference: {
        parameters: {
            query?: {
                /**
                 * @description The search text, for the paths, texts, fields, and error codes of the operations.
                 * @example token
                 */
                q?: string;
                /**
                 * @description The language that the person chooses for all pages: `fr` or `en`. Other values are ignored.
                 * @example en
                 */
                lang?: components["parameters"]["Lang"];
                /**
                 * @description The theme that the person chooses for all pages: `light` or `dark`. Other values are ignored.
                 * @example dark
                 */
                theme?: components["parameters"]["Theme"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list of operations. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            303: components["responses"]["PageChosen"];
            400: components["responses"]["BadRequest"];
            500: components["responses"]["Internal"];
        };
    };
    getReferencePage: {
        parameters: {
            query?: {
                /**
                 * @description The language that the person chooses for all pages: `fr` or `en`. Other values are ignored.
                 * @example en
                 */
                lang?: components["parameters"]["Lang"];
                /**
                 * @description The theme that the person chooses for all pages: `light` or `dark`. Other values are ignored.
                 * @example dark
                 */
                theme?: components["parameters"]["Theme"];
            };
            header?: never;
            path: {
                /**
                 * @description The `operationId` of an operation or the name of an object.
                 * @example getHealth
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            303: components["responses"]["PageChosen"];
            400: components["responses"]["BadRequest"];
            /** @description The page doesn't exist: `not_found`. A browser gets an error page. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error": "not_found",
                     *       "code": "not_found",
                     *       "message": "There is nothing at this address.",
                     *       "requestId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "docsUrl": "https://api.example.com/docs/errors#not_found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    "text/html": string;
                };
            };
            500: components["responses"]["Internal"];
        };
    };
    getStaticFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The file's path, which can contain slashes.
                 * @example css/griot.css
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
        };
    };
}
