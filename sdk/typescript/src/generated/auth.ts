// Made from openapi/auth.yaml by `npm run generate`; do not edit.

export interface paths {
    "/authorize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Start a login
         * @description Opens a login that lasts 90 seconds, gives the browser its session cookie, and sends it to the waiting page.
         *     Errors are shown here and never sent to `redirect_uri`: as JSON, or as a page with the same facts when `Accept` names `text/html`.
         */
        get: operations["authorize"];
        put?: never;
        /**
         * Start a login by a form
         * @description For a request of OpenID Connect, whose parameters are too long for an address or should not be in one. It leads to the same request by GET, and starts
         *     nothing. Without the scope `openid`, there is no such method.
         */
        post: operations["authorizeByForm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/waiting.html": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the waiting page
         * @description Shows the words, the link that opens WhatsApp and its QR code, and polls `/authorize/status` every two seconds. With the cookie of a login that
         *     waits, and no other parameter, the page has the words. It is the same for all other requests; its script reads the login's id from the address.
         */
        get: operations["getWaitingPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/authorize/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Activate a login
         * @description Optional: a message proves a login that was never activated too. Asking again gives the same answer.
         *     Only this service's own pages may ask, in the browser that holds the session cookie.
         */
        post: operations["activateLogin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/authorize/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a login's status
         * @description Poll it every two seconds, with the session cookie of the browser that called `/authorize`.
         */
        get: operations["getLoginStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/authorize/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream a login's status
         * @description Server-sent events for the waiting page: `event: status` with a [Status](#/components/schemas/Status) in `data`, at once and at each change, and a
         *     comment every 15 seconds. The answer ends with the login, and when the service stops; `retry` says when to come again. It only spares a poll its wait: go on
         *     polling `/authorize/status`. The number of streams is limited; one too many is refused with 429.
         */
        get: operations["streamLoginStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/authorize/page": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the waiting page without JavaScript
         * @description Shows the words, the time that is left, and the link or the sandbox, loads itself again every five seconds, and sends the browser on to `redirect_uri` once the
         *     login is proved. `/waiting.html` leads here when scripts don't run.
         */
        get: operations["getPlainWaitingPage"];
        put?: never;
        /**
         * Submit the waiting page without JavaScript
         * @description The same as `/authorize/activate` and `/authorize/sandbox`, with the same rules, from a form.
         */
        post: operations["submitPlainWaitingPage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/authorize/open": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open WhatsApp from the waiting page
         * @description When a person follows it on a page of this service, the login is activated and WhatsApp opens with the words filled in. The browser must say that it is so: by
         *     `Sec-Fetch-Site: same-origin`, or without fetch metadata by `Origin` or `Referer`. Every other request (a browser that loads pages in advance, a link on another site, a
         *     typed address, a request without any of these headers) and a login without a `deeplink` lead to the plain page, and change nothing.
         */
        get: operations["openLogin"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/authorize/return": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Return to the application by a form
         * @description For logins with `response_mode=form_post`: posts `code`, or `error`, and `state` and `iss` to the application's `redirect_uri`, by a script or a button. Once the
         *     code was exchanged, and for other logins, it leads to the plain page.
         */
        get: operations["getReturnPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/authorize/again": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Restart an expired login
         * @description Leads to `/authorize` with the parameters of the login. One that has not run out of time leads to the plain page, and one that was started with `id_token_hint` to the application.
         */
        get: operations["restartLogin"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/authorize/details": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a login's details
         * @description Asked once at the start and once at the end. It counts with the polls of `/authorize/status`.
         */
        get: operations["getLoginDetails"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/authorize/qr.svg": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a login's QR code
         * @description For a person at a computer whose phone is in their hand. The code holds `/q/{code}`. There is none for a login whose `deeplink` is null.
         */
        get: operations["getLoginQR"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/q/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open the address of a login's QR code
         * @description Leads to the login's `deeplink`, for whoever has the code: it is on the waiting page of one browser, and good for 90 seconds. It changes nothing and shows nothing more.
         */
        get: operations["openShortAddress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/authorize/sandbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Prove a test login in the sandbox
         * @description Numbers ending in 001 to 009 have a display name, the one ending in 099 has none. Sending the same number again is a duplicate; another number
         *     closes the login, as two phones that know the same words would.
         */
        post: operations["proveLoginInSandbox"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a code for a token (201)
         * @description A code can be exchanged once, within 60 seconds after it was first handed back. When its client sends it again with the same address, the token that it gave is revoked.
         *     `/oauth2/token` does the same and answers 200, which some OAuth libraries insist on. Both are open to pages of any site, without credentials: no cookie is read.
         */
        post: operations["exchangeCode"];
        delete?: never;
        /**
         * Answer a preflight for the token endpoint
         * @description Browsers ask this by themselves before a page of another site may call.
         */
        options: operations["preflightExchangeCode"];
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth2/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a code for a token (RFC 6749)
         * @description The token endpoint that the metadata names: `/token` with the status that RFC 6749 gives.
         *     A client that authenticates by HTTP Basic may leave `client_id` out of the body.
         */
        post: operations["exchangeCodeOAuth"];
        delete?: never;
        /**
         * Answer a preflight for the token endpoint (RFC 6749)
         * @description Browsers ask this by themselves before a page of another site may call.
         */
        options: operations["preflightExchangeCodeOAuth"];
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth2/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a token (RFC 7009)
         * @description For the client that the token was issued to, which authenticates as it does for the exchange; a PUBLIC client by its `client_id` alone. A token that is
         *     none, or over, or revoked already, is answered like one that was revoked now. Pages of any site may call this, without credentials.
         *     Whoever verifies tokens by the keys alone learns nothing of it; `/oauth2/introspect` does.
         */
        post: operations["revokeToken"];
        delete?: never;
        /**
         * Answer a preflight for the revocation endpoint
         * @description Browsers ask this by themselves before a page of another site may call.
         */
        options: operations["preflightRevokeToken"];
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth2/introspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Introspect a token (RFC 7662)
         * @description For CONFIDENTIAL clients, about the tokens that they were given. A token of another client, one that is over, revoked, signed with a key that was
         *     withdrawn, or no token at all: all are `active: false`, and nothing else is said.
         */
        post: operations["introspectToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/userinfo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get who an access token stands for
         * @description The userinfo endpoint of OpenID Connect, for access tokens of logins with the scope `openid`. The person is described as they are now. Pages of any site may
         *     call this, without credentials of the browser.
         */
        get: operations["getUserInfo"];
        put?: never;
        /**
         * Get who an access token stands for, by a form
         * @description The same as by GET. The access token is in the form or in `Authorization`, not in both.
         */
        post: operations["postUserInfo"];
        delete?: never;
        /**
         * Answer a preflight for the userinfo endpoint
         * @description Browsers ask this by themselves before a page of another site may call.
         */
        options: operations["preflightGetUserInfo"];
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth2/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign a person out
         * @description The sign-out of OpenID Connect (`end_session_endpoint`). The ID token is the credential, and no cookie is read. The access token of its login ends, and the
         *     browser returns to the application. A login that is no longer stored ends nothing, and the browser returns as well. Without a valid ID token, nobody is signed
         *     out, and the browser stays here.
         */
        get: operations["signOut"];
        put?: never;
        /**
         * Sign a person out by a form
         * @description The same as by GET.
         */
        post: operations["signOutByForm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/internal/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Prove a login by a received message
         * @description Answers on the loopback interface only; never put it behind a public proxy. The signature covers the raw bytes of the body and is checked before
         *     they are parsed. The same message, or the same phone again, is a duplicate.
         */
        post: operations["verifyMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the public signing keys (JWKS)
         * @description The key that signs now, the one before it while its tokens may live, and the one that will sign next.
         */
        get: operations["getKeys"];
        put?: never;
        post?: never;
        delete?: never;
        /**
         * Answer a preflight for the signing keys
         * @description Browsers ask this by themselves before a page of another site may call.
         */
        options: operations["preflightGetKeys"];
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/oauth-authorization-server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the server's metadata (RFC 8414)
         * @description From it an OAuth library learns the addresses of this service, and what it can do. The issuer of tokens and of `iss` is `issuer`.
         */
        get: operations["getMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        /**
         * Answer a preflight for the metadata
         * @description Browsers ask this by themselves before a page of another site may call.
         */
        options: operations["preflightGetMetadata"];
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/openid-configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the metadata of OpenID Connect
         * @description From it an OpenID Connect library learns the addresses of this service, and what it can do.
         */
        get: operations["getOpenIDMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        /**
         * Answer a preflight for the metadata of OpenID Connect
         * @description Browsers ask this by themselves before a page of another site may call.
         */
        options: operations["preflightGetOpenIDMetadata"];
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
         * @description Whether it can read and write what it stores, for monitors and load balancers.
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
    "/manage/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in to a tenant's dashboard
         * @description Gives the browser a session of one hour. A key can be used until it expires or is revoked, unless it was made for one use.
         *     Only this service's own pages may ask.
         */
        post: operations["openDashboard"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign out of the dashboard
         * @description The session is over at once, wherever its cookie may be.
         */
        post: operations["closeDashboard"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a tenant's overview
         * @description Clients are in the order of their creation. `events` are the 50 most recent ones, newest first. Starts of logins and failed sign-ins, of which anybody
         *     can cause any number, are one event per minute and client: `count` is their number, `firstAt` the time of the first, and `at` that of the latest. Events are redacted when they are recorded: a phone number keeps its first and last three digits, an IP address its network.
         */
        get: operations["getOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a tenant's events
         * @description Newest first, redacted as in the overview. `nextCursor` is null at the end. An event that counts one more while you read pages moves to the front, so no page shows it again; all others keep their order.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a tenant's statistics
         * @description How many logins came to each step in the last 30 days, by days of UTC, of which the last is today. `opened` counts those whose page opened WhatsApp; who scans the QR code is not
         *     among them. At most the latest 20,000 events of each step count; where there were more, `complete` is false.
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
    "/manage/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a client
         * @description It works at once. The secret is shown here and never again; a PUBLIC client has none.
         *     A redirect address has `https`; `http` for the loopback hosts `127.0.0.1`, `[::1]`, and `localhost` and, for TEST clients, for addresses of private networks
         *     (10/8, 172.16/12, 192.168/16, fc00::/7); or, for PUBLIC clients, an application's own scheme, a domain name in reverse (RFC 8252). It has no wildcard, no
         *     fragment, and no credentials.
         */
        post: operations["createClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/clients/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update a client
         * @description Both fields are required: the client is as they say afterward. Nothing else of the client changes. A client that is off starts no login (400 `client_inactive`) and gets no token
         *     (401 `client_inactive`). It shows at once on the node that answers, and within 30 seconds on the others.
         */
        patch: operations["changeClient"];
        trace?: never;
    };
    "/manage/clients/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate a client's secret
         * @description The new secret is shown here and never again. The old one is dead at once, on every node.
         */
        post: operations["rotateClientSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/clients/{id}/connect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a client's sign-out settings
         * @description The settings for the sign-out of OpenID Connect, and how deliveries of logout tokens go.
         */
        get: operations["getClientConnect"];
        /**
         * Replace a client's sign-out settings
         * @description What is left out is gone. An address for logout tokens that was disabled gets them again.
         */
        put: operations["replaceClientConnect"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/people": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a tenant's people
         * @description Who has signed in, the newest first; numbers are masked. `phone` finds those with a number: one in each mode at most. `nextCursor` is null at the end.
         */
        get: operations["listPeople"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/people/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export a person's data
         * @description Everything that the tenant stores of a person, with the full number. That somebody asked is an event, `person.exported`, which does not name the person. At most the latest 10,000 events
         *     are in it; where there were more, `complete` is false.
         */
        get: operations["exportPerson"];
        put?: never;
        post?: never;
        /**
         * Erase a person's data
         * @description Deletes what the tenant stores of a person: the profile, the logins, and the events for its endpoint, delivered or not. Audit events stay for the statistics, without number and network. Their tokens
         *     are worth nothing from now on, and their next login makes a new profile. It may be repeated: `erased` is false where there is, or is no longer, no such person.
         */
        delete: operations["erasePerson"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/appearance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the appearance of the waiting page
         * @description The name that people see when they sign in, and the color around it.
         */
        get: operations["getAppearance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update the appearance of the waiting page
         * @description What is not sent stays as it is. Each accent has a shade for light and one for dark pages, so that all can be read. It shows at once on the node that answers, and within 30 seconds on the others.
         */
        patch: operations["changeAppearance"];
        trace?: never;
    };
    "/manage/webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the webhook endpoint
         * @description Where events of logins are posted, and how that goes. The address is chosen by whoever runs the service.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/webhook/enable": {
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
         * @description After it was disabled because it failed for days or was gone. Events that have waited are delivered. One that is enabled stays as it is.
         */
        post: operations["enableWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/webhook/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the webhook secret
         * @description The new secret is shown here and never again. The old one goes on signing beside it for 24 hours.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/webhook/ping": {
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
         * @description A `webhook.ping` is on its way to the endpoint.
         */
        post: operations["pingWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/webhook/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook events
         * @description Events of the last 30 days, the newest first. With `delivery` a page may be short, or empty, without being the last; `nextCursor` is null at the end.
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
    "/manage/webhook/events/{eventId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook event
         * @description With what is posted, and how each attempt ended: the latest first, a hundred at most.
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
    "/manage/webhook/events/{eventId}/resend": {
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
         * @description At once and under the same id, whatever has become of it, with all its attempts before it.
         */
        post: operations["resendWebhookEvent"];
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
         * @description The document that these pages are made from, for generators of clients and for other tools.
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
         * @description The text of whoever runs the service.
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
    "/signed-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show that a person is signed out
         * @description The page after a sign-out without an address to return to.
         */
        get: operations["getSignedOutPage"];
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
         * @description The text of whoever runs the service.
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
         * Show the catalog of errors
         * @description Each code with its status, what it means, and what to do. The link in an error leads to its line.
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
         * Show the contents of the documentation
         * @description Its parts and pages, or with `q` the sections that were found.
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
         * Show a page of the documentation
         * @description In English; what is around it is in the person's language.
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
         * @description All operations, by their tags, and the named objects.
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
         * Show a page of the API reference
         * @description An operation with its credentials, parameters, answers, and examples, or an object with its members.
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
    "/button.js": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the script of the button
         * @description Of the button "Sign in by message", for pages of any site: it writes the button's text in the page's language. The address stays the same over
         *     releases. A link with the class `griot-button` becomes the button.
         */
        get: operations["getButtonScript"];
        put?: never;
        post?: never;
        delete?: never;
        /**
         * Answer a preflight for the button's script
         * @description Browsers ask this by themselves before a page of another site may call.
         */
        options: operations["preflightGetButtonScript"];
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/button.css": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the style of the button
         * @description Of the button "Sign in by message", for pages of any site. The address stays the same over releases.
         */
        get: operations["getButtonStyle"];
        put?: never;
        post?: never;
        delete?: never;
        /**
         * Answer a preflight for the button's style
         * @description Browsers ask this by themselves before a page of another site may call.
         */
        options: operations["preflightGetButtonStyle"];
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logos/{hash}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the logo of a tenant
         * @description The picture on the waiting pages of a tenant that has uploaded one in its dashboard. The address changes with the picture, so browsers
         *     can keep it for good. Pages of other sites can't show it.
         */
        get: operations["getLogo"];
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
         * Get a file of the pages
         * @description Compressed where `Accept-Encoding` allows gzip. The addresses that pages name hold the release's hash, and may be kept for good.
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
        /** @description 26 characters of Crockford's base32. */
        Id26: string;
        /**
         * @description LIVE logins are proved by real messages; TEST logins by the sandbox too.
         * @enum {string}
         */
        Mode: "LIVE" | "TEST";
        /**
         * @description Whether the service can do its work.
         * @enum {string}
         */
        Health: "ok" | "unavailable";
        /** @description It was done. */
        Ok: {
            /** @description Always true. */
            ok: boolean;
        };
        /** @description The body of every error. */
        Error: {
            error: components["schemas"]["OAuthError"];
            error_code: components["schemas"]["ErrorCode"];
            /** @description A sentence for people. It never repeats what was sent. */
            error_description: string;
            /**
             * Format: uri
             * @description Explains this code.
             */
            docs_url: string;
            request_id: components["schemas"]["Id26"];
        };
        /**
         * @description The word that OAuth libraries look at.
         * @enum {string}
         */
        OAuthError: "invalid_request" | "invalid_client" | "invalid_grant" | "access_denied";
        /**
         * @description Stable; a code never changes its meaning and is never used for something else.
         * @enum {string}
         */
        ErrorCode: "missing_parameter" | "malformed_parameter" | "invalid_json" | "unsupported_media_type" | "body_too_large" | "unsupported_response_type" | "unsupported_grant_type" | "openid_request" | "sign_out_request" | "state_length" | "pkce_required" | "pkce_method" | "redirect_uri_mismatch" | "login_unknown" | "login_not_pending" | "login_expired" | "sandbox_live_client" | "sandbox_number" | "timestamp_skew" | "receiver_mismatch" | "words_mismatch" | "message_replayed" | "unknown_client" | "client_inactive" | "no_endpoint" | "client_is_public" | "too_many_clients" | "code_unknown" | "code_expired" | "code_already_used" | "code_client_mismatch" | "code_redirect_mismatch" | "pkce_mismatch" | "pkce_unexpected" | "token_client_mismatch" | "client_auth_failed" | "client_secret_missing" | "client_not_confidential" | "session_missing" | "session_expired" | "dashboard_missing" | "dashboard_expired" | "invitation_invalid" | "signature_missing" | "signature_invalid" | "token_missing" | "token_invalid" | "insufficient_scope" | "origin_mismatch" | "session_mismatch" | "client_not_found" | "endpoint_disabled" | "not_loopback" | "phone_conflict" | "person_mismatch" | "not_found" | "person_not_found" | "event_not_found" | "method_not_allowed" | "rate_limited" | "internal" | "storage_unavailable" | "too_many_logins";
        /**
         * Format: date-time
         * @description UTC with milliseconds; null when it has not come to that.
         */
        TimeOrNull: string | null;
        /**
         * Format: date-time
         * @description ISO 8601 in UTC, always with milliseconds.
         * @example 2026-03-01T12:01:30.000Z
         */
        Time: string;
        /** @description A login, as the browser that started it sees it. */
        Status: {
            id: components["schemas"]["Id26"];
            /**
             * @description PENDING until the person asks for the link (ACTIVATED, which may be skipped) and sends the words (VERIFIED), until the application has its token
             *     (CONSUMED). A login that isn't proved in time, or was ended, is EXPIRED.
             * @enum {string}
             */
            status: "PENDING" | "ACTIVATED" | "VERIFIED" | "CONSUMED" | "EXPIRED";
            mode: components["schemas"]["Mode"];
            /** @description What the person must send. */
            matchingWords: string;
            /** @description The end of the time to send the words. */
            expiresAt: components["schemas"]["Time"];
            /** @description The clock that `expiresAt` goes by. */
            serverTime: components["schemas"]["Time"];
            /** @description Whose application this is. */
            tenantName: string;
            /**
             * @description Why the login is EXPIRED, when it wasn't time that ended it: two phones sent its words, the person canceled it by a message, exchanges that did not
             *     fit invalidated its code, or the application was switched off or has lost the address to go back to.
             * @enum {string}
             */
            endedBy?: "second_phone" | "person" | "wrong_codes" | "client" | "other_person";
            /**
             * Format: uri
             * @description Once VERIFIED, the way back to the application with `code`, `state`, and `iss`, the same at every poll. When EXPIRED, the way back with an OAuth error,
             *     whose `error_description` says why. An application that was switched off, or has lost the address, gets nobody back.
             */
            redirectUrl?: string;
        };
        /** @description What a code is exchanged with. */
        TokenRequest: {
            /**
             * @description May be left out: there is no other.
             * @constant
             */
            grant_type?: "authorization_code";
            code: components["schemas"]["Id26"];
            /** @description The application's public identifier. */
            client_id: string;
            /** @description CONFIDENTIAL clients only. */
            client_secret?: string;
            /** @description Goes with the `code_challenge` of `/authorize`. */
            code_verifier?: string;
            /**
             * Format: uri
             * @description The one that the login was started with.
             */
            redirect_uri: string;
        };
        /** @description What a code is exchanged with, as RFC 6749 has it. */
        OAuthTokenRequest: {
            /**
             * @description May be left out: there is no other.
             * @constant
             */
            grant_type?: "authorization_code";
            code: components["schemas"]["Id26"];
            /** @description Required unless the client authenticates by HTTP Basic. */
            client_id?: string;
            /** @description CONFIDENTIAL clients only. */
            client_secret?: string;
            /** @description Goes with the `code_challenge` of `/authorize`. */
            code_verifier?: string;
            /**
             * Format: uri
             * @description The one that the login was started with.
             */
            redirect_uri: string;
        };
        /** @description A token, and who asks about it. */
        TokenQuery: {
            /** @description The token. */
            token: string;
            /** @description There is one type of token; ignored. */
            token_type_hint?: string;
            /** @description Required unless the client authenticates by HTTP Basic. */
            client_id?: string;
            /** @description CONFIDENTIAL clients only. */
            client_secret?: string;
        };
        /** @description What a token is good for. Of one that is worth nothing, only that. */
        Introspection: {
            /** @description Whether it is good for anything now. */
            active: boolean;
            /**
             * Format: uri
             * @description The issuer: this service.
             */
            iss?: string;
            sub?: components["schemas"]["Id26"];
            /** @description For whom: the `client_id` of the application. */
            aud?: string;
            /** @description To whom it was given. */
            client_id?: string;
            /**
             * Format: int64
             * @description Unix seconds, like the next two.
             */
            exp?: number;
            /**
             * Format: int64
             * @description Since when.
             */
            iat?: number;
            /**
             * Format: int64
             * @description Not before.
             */
            nbf?: number;
            jti?: components["schemas"]["Id26"];
            /** @constant */
            token_type?: "Bearer";
            /** @description The scopes of a login with `openid`; absent for others. */
            scope?: string;
        };
        /** @description A token, and who signed in. */
        TokenResponse: {
            /** @description A signed JWT (RS256, `typ` at+jwt). */
            token: string;
            /** @description The same as `token`, under OAuth's name. */
            access_token: string;
            /** @constant */
            token_type: "Bearer";
            /**
             * @description Seconds.
             * @constant
             */
            expires_in: 900;
            /** @description The token's `sub`, which is the profile's id. */
            subject: string;
            issued_at: components["schemas"]["Time"];
            profile: components["schemas"]["Profile"];
            /** @description A signed JWT (RS256, `typ` JWT) about the login, with the scope `openid` only. */
            id_token?: string;
            /** @description The scopes that hold, with the scope `openid` only. */
            scope?: string;
        };
        /** @description A person, as an access token with the scope `openid` may know them. */
        UserInfo: {
            sub: components["schemas"]["Id26"];
            /** @description With the scope `phone`. */
            phone_number?: string;
            /**
             * @description With the scope `phone`: the number has sent the words of the login.
             * @constant
             */
            phone_number_verified?: true;
            /** @description With the scope `profile`, where it is known. */
            name?: string;
        };
        /** @description A person as one tenant knows them. Trust it after the token has been verified. */
        Profile: {
            id: components["schemas"]["Id26"];
            tenant_id: components["schemas"]["Id26"];
            /** @description Digits without a plus. */
            phone_e164: string;
            /** @description As the person calls themselves; null where that is not known. */
            display_name: string | null;
            /**
             * @description By what they proved who they are.
             * @enum {string}
             */
            provider: "whatsapp" | "sandbox";
            mode: components["schemas"]["Mode"];
            first_seen_at: components["schemas"]["Time"];
            /** @description Nothing yet; there may be more. */
            metadata: {
                [key: string]: unknown;
            };
        };
        /** @description A message with the words of a login, as a gateway received it. */
        Verify: {
            loginKeyId: components["schemas"]["Id26"];
            /** @description Who sent the message. */
            phoneE164: string;
            /** @description As the person calls themselves. */
            displayName?: string | null;
            /** @description The message's id at its provider. One message proves one login. */
            messageId: string;
            /**
             * Format: int64
             * @description Unix time in milliseconds, at most 60 seconds from the service's clock.
             */
            timestamp: number;
            /** @description Which number received the message. */
            receiverPhoneId: string;
            /** @description The message's words. Case, accents, punctuation, and text around them don't matter. */
            matchingWords: string;
        };
        /** @description A company whose applications let people sign in. */
        Tenant: {
            id: components["schemas"]["Id26"];
            /** @description As people see it on the waiting page. */
            name: string;
        };
        /**
         * @description Whether the application can keep a secret.
         * @enum {string}
         */
        ClientType: "PUBLIC" | "CONFIDENTIAL";
        /** @description The public identifier, for `/authorize` and `/token`. */
        ClientId: string;
        /** @description Exactly the addresses that `/authorize` and `/token` take. A port is from 1 to 65535, and the query has no `code`, `state`, `iss`, or `error`. */
        RedirectUris: string[];
        /** @description An application of a tenant. */
        OAuthClient: {
            id: components["schemas"]["Id26"];
            tenantId: components["schemas"]["Id26"];
            clientId: components["schemas"]["ClientId"];
            type: components["schemas"]["ClientType"];
            mode: components["schemas"]["Mode"];
            redirectUris: components["schemas"]["RedirectUris"];
            /** @description Whether it starts logins and gets tokens. */
            active: boolean;
        };
        /** @description Something that happened, redacted. What isn't known, or doesn't apply, is null. Further types may come. */
        Event: {
            id: components["schemas"]["Id26"];
            /** @description What happened, such as `login.verified`. */
            type: string;
            /** @description When it happened: the latest of them, where the event stands for several. */
            at: components["schemas"]["Time"];
            /**
             * @description Who did it: the person who signs in, the application, somebody at the dashboard, or whoever runs the service.
             * @enum {string}
             */
            actor: "user" | "client" | "tenant" | "system";
            /** @description The client's public identifier. */
            clientId: string | null;
            /** @description In which login. */
            loginId: string | null;
            /** @description Of the client. */
            mode: ("LIVE" | "TEST") | null;
            /**
             * @description Whether it was done, or refused.
             * @enum {string}
             */
            result: "ok" | "denied";
            /** @description Why it was denied, as an `error_code`. */
            errorCode: string | null;
            /** @description Masked. */
            phone: string | null;
            /** @description The network that it came from. */
            ip: string | null;
            /** @description The `X-Request-Id` of the exchange in which it happened. */
            requestId: string | null;
            /** @description How many events this one stands for, when it is more than one: `login.started` or `dashboard.login_failed` of one client and minute, from `firstAt` to `at`. What they do not have in common is null. */
            count?: number;
            /** @description When the first of them happened. It comes with `count`. */
            firstAt?: components["schemas"]["Time"];
        };
        /** @description Who has signed in, as a tenant knows them in one mode. */
        Person: {
            id: components["schemas"]["Id26"];
            mode: components["schemas"]["Mode"];
            /** @description Masked; null once the person was detached from it. */
            phone: string | null;
            /** @description As the person calls themselves. */
            displayName: string | null;
            firstSeenAt: components["schemas"]["Time"];
            lastSeenAt: components["schemas"]["Time"];
            /** @description Since when the number is not theirs any more; null: it is. */
            detachedAt: components["schemas"]["TimeOrNull"];
        };
        /** @description How the waiting page looks for a tenant. */
        Appearance: {
            /** @description As people see it on the waiting page. */
            name: string;
            /** @description The color of the waiting page; null: the standard one. */
            accent: string | null;
            /** @description The colors that can be chosen. */
            accents: string[];
        };
        /** @description Where events of logins are posted, and how that goes. */
        Webhook: {
            webhook: components["schemas"]["WebhookState"] | null;
        };
        /** @description An address to which the service posts, and how that goes. */
        WebhookState: {
            /**
             * Format: uri
             * @description The address.
             */
            url: string;
            /** @description While it is not, what is to be posted waits. */
            enabled: boolean;
            disabledAt: components["schemas"]["TimeOrNull"];
            /** @description It answered 410, it failed for five days, or whoever runs the service did it. */
            disabledReason: ("gone" | "failing" | "operator") | null;
            pausedUntil: components["schemas"]["TimeOrNull"];
            failingSince: components["schemas"]["TimeOrNull"];
            lastSuccessAt: components["schemas"]["TimeOrNull"];
            lastFailureAt: components["schemas"]["TimeOrNull"];
            /** @description Of the last answer. */
            lastStatusCode: number | null;
            /** @description How much waits; 1001: more than a thousand. */
            pending: number;
            previousSecretUntil: components["schemas"]["TimeOrNull"];
        };
        /** @description A client's settings for the sign-out of OpenID Connect. */
        ClientConnect: {
            postLogoutRedirectUris: components["schemas"]["PostLogoutRedirectUris"];
            /** @description Gets logout tokens. */
            backchannelLogoutUri: string | null;
            backchannelLogout: components["schemas"]["WebhookState"] | null;
        };
        /** @description Where the browser may return to after sign-out, character for character. Each could be a redirect address. */
        PostLogoutRedirectUris: string[];
        /** @description An event on its way to the endpoint. */
        WebhookEvent: {
            eventId: components["schemas"]["EventId"];
            /** @description Such as `login.verified`; there may be more. */
            type: string;
            createdAt: components["schemas"]["Time"];
            delivery: components["schemas"]["Delivery"];
            /** @description Its place in the schedule of tries. */
            failedTries: number;
            nextTryAt: components["schemas"]["TimeOrNull"];
            deliveredAt: components["schemas"]["TimeOrNull"];
            failedAt: components["schemas"]["TimeOrNull"];
        };
        /** @description One try to deliver an event. */
        WebhookAttempt: {
            at: components["schemas"]["Time"];
            /** @description Null: there was no answer. */
            statusCode: number | null;
            /** @description How long the answer took. */
            latencyMs: number;
            /** @description What went wrong; null: it was delivered. */
            error: string | null;
            /** @description The first KiB of the answer. */
            answer: string;
        };
        /**
         * @description How far the delivery of an event is.
         * @enum {string}
         */
        Delivery: "pending" | "delivered" | "failed" | "not_sent";
        /** @description Also the `webhook-id` of its deliveries; the same however often it is tried. */
        EventId: string;
        /** @description How many logins came to each step. */
        Steps: {
            /** @description Opened by `/authorize`. */
            started: number;
            /** @description The page opened WhatsApp. */
            opened: number;
            /** @description The words came. */
            verified: number;
            /** @description The application exchanged the code. */
            redeemed: number;
        };
        /** @description A public key, as RFC 7517 writes it. */
        Key: {
            /** @constant */
            kty: "RSA";
            /** @description The modulus. */
            n: string;
            /** @description The exponent. */
            e: string;
            /** @description The key's RFC 7638 thumbprint. */
            kid: string;
            /** @constant */
            alg: "RS256";
            /** @constant */
            use: "sig";
        };
        /** @description What the service can do and where, as RFC 8414 writes it. */
        Metadata: {
            /**
             * Format: uri
             * @description What stands in `iss`.
             */
            issuer: string;
            /** Format: uri */
            authorization_endpoint: string;
            /** Format: uri */
            token_endpoint: string;
            /** Format: uri */
            jwks_uri: string;
            response_types_supported: string[];
            response_modes_supported?: string[];
            grant_types_supported: string[];
            code_challenge_methods_supported: string[];
            token_endpoint_auth_methods_supported?: string[];
            /** Format: uri */
            revocation_endpoint: string;
            revocation_endpoint_auth_methods_supported: string[];
            /** Format: uri */
            introspection_endpoint: string;
            introspection_endpoint_auth_methods_supported: string[];
            authorization_response_iss_parameter_supported?: boolean;
            /**
             * Format: uri
             * @description The privacy notice.
             */
            op_policy_uri?: string;
            /**
             * Format: uri
             * @description The terms of use.
             */
            op_tos_uri?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description What the service can do and where, as OpenID Connect Discovery 1.0 writes it. */
        OpenIDMetadata: components["schemas"]["Metadata"] & {
            /** Format: uri */
            userinfo_endpoint: string;
            /** Format: uri */
            end_session_endpoint: string;
            scopes_supported: string[];
            /** @description Of the ID token. */
            claims_supported: string[];
            /** @description A person's `sub` differs by tenant and mode. */
            subject_types_supported: string[];
            id_token_signing_alg_values_supported: string[];
            prompt_values_supported: string[];
            claims_parameter_supported: boolean;
            request_parameter_supported: boolean;
            request_uri_parameter_supported: boolean;
            backchannel_logout_supported: boolean;
            /** @description Logout tokens have `sid`. */
            backchannel_logout_session_supported: boolean;
        };
    };
    responses: {
        /** @description The address chose a language or a theme (`lang`, `theme`). That is kept in a cookie, and this is the same page without the choice. */
        PageChosen: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                /**
                 * @description The page.
                 * @example ?
                 */
                Location: string;
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The login is proved. */
        Proved: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "verified": true,
                 *       "duplicate": false
                 *     }
                 */
                "application/json": {
                    /** @constant */
                    verified: true;
                    /** @description Whether this message or this phone had proved the login already. */
                    duplicate: boolean;
                };
            };
        };
        /** @description It may. */
        Preflight: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                /**
                 * @description Pages of any site may.
                 * @example *
                 */
                "Access-Control-Allow-Origin": "*";
                "Access-Control-Expose-Headers": components["headers"]["ExposedHeaders"];
                /**
                 * @description What may be called.
                 * @example POST
                 */
                "Access-Control-Allow-Methods": "GET" | "POST";
                /**
                 * @description What may be sent: `Authorization`, `Content-Type`, and what `Access-Control-Request-Headers` asks for.
                 * @example Authorization, Content-Type, traceparent
                 */
                "Access-Control-Allow-Headers"?: string;
                /**
                 * @description What the answer depends on.
                 * @example Access-Control-Request-Headers
                 */
                Vary?: string;
                /**
                 * @description For how many seconds the browser may remember this.
                 * @example 600
                 */
                "Access-Control-Max-Age"?: number;
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The token and the person's profile. */
        Token: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                "Access-Control-Allow-Origin": components["headers"]["AnyOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["ExposedHeaders"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "token": "eyJhbGciOiJSUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIwMUo5In0.c2lnbmF0dXJl",
                 *       "access_token": "eyJhbGciOiJSUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIwMUo5In0.c2lnbmF0dXJl",
                 *       "token_type": "Bearer",
                 *       "expires_in": 900,
                 *       "subject": "01J9ZK4A7B8C9D0E1F2G3H4J5K",
                 *       "issued_at": "2026-03-01T12:00:33.000Z",
                 *       "profile": {
                 *         "id": "01J9ZK4A7B8C9D0E1F2G3H4J5K",
                 *         "tenant_id": "01J9ZH00000000000000000000",
                 *         "phone_e164": "22370112233",
                 *         "display_name": "Awa",
                 *         "provider": "whatsapp",
                 *         "mode": "LIVE",
                 *         "first_seen_at": "2026-02-11T08:14:02.511Z",
                 *         "metadata": {}
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TokenResponse"];
            };
        };
        /**
         * @description The request is malformed (`invalid_json`, `missing_parameter`, `malformed_parameter`, `unsupported_grant_type`, `unsupported_media_type`,
         *     `body_too_large`), or the code doesn't serve (`code_unknown`, `code_expired`, `code_already_used`, `code_client_mismatch`,
         *     `code_redirect_mismatch`, `pkce_mismatch`, `pkce_unexpected`).
         */
        TokenBadRequest: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                "Access-Control-Allow-Origin": components["headers"]["AnyOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["ExposedHeaders"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "invalid_grant",
                 *       "error_code": "code_expired",
                 *       "error_description": "The code has expired.",
                 *       "docs_url": "https://auth.example.com/docs/errors#code_expired",
                 *       "request_id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The client is not who it says: `client_auth_failed`, `client_secret_missing`, `client_inactive`. */
        TokenUnauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                "Access-Control-Allow-Origin": components["headers"]["AnyOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["ExposedHeaders"];
                "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "invalid_client",
                 *       "error_code": "client_auth_failed",
                 *       "error_description": "The client's credentials are wrong.",
                 *       "docs_url": "https://auth.example.com/docs/errors#client_auth_failed",
                 *       "request_id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The person. */
        UserInfo: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                "Access-Control-Allow-Origin": components["headers"]["AnyOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["ExposedHeaders"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "sub": "01J9ZK4A7B8C9D0E1F2G3H4J5K",
                 *       "phone_number": "+22370000002",
                 *       "phone_number_verified": true,
                 *       "name": "Awa"
                 *     }
                 */
                "application/json": components["schemas"]["UserInfo"];
            };
        };
        /** @description The person is signed out. The browser goes to the application's `post_logout_redirect_uri` with `state`, or to a page of this service. */
        SignedOut: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                /**
                 * @description Where to.
                 * @example https://shop.example/?state=s8Jq2mZp
                 */
                Location: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "ok": true
                 *     }
                 */
                "application/json": components["schemas"]["Ok"];
            };
        };
        /** @description The client's sign-out settings. */
        ClientConnect: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "postLogoutRedirectUris": [
                 *         "https://shop.example/"
                 *       ],
                 *       "backchannelLogoutUri": "https://shop.example/logout",
                 *       "backchannelLogout": {
                 *         "url": "https://shop.example/logout",
                 *         "enabled": true,
                 *         "disabledAt": null,
                 *         "disabledReason": null,
                 *         "pausedUntil": null,
                 *         "failingSince": null,
                 *         "lastSuccessAt": "2026-03-01T12:00:04.210Z",
                 *         "lastFailureAt": null,
                 *         "lastStatusCode": 200,
                 *         "pending": 0,
                 *         "previousSecretUntil": null
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ClientConnect"];
            };
        };
        /** @description There is no access token, or it is not valid any more: `token_missing`, `token_invalid`. */
        AccessTokenRefused: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                "Access-Control-Allow-Origin": components["headers"]["AnyOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["ExposedHeaders"];
                "WWW-Authenticate": components["headers"]["BearerChallenge"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "access_denied",
                 *       "error_code": "token_invalid",
                 *       "error_description": "The access token is invalid or no longer valid.",
                 *       "docs_url": "https://auth.example.com/docs/errors#token_invalid",
                 *       "request_id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The access token is of a login without the scope openid: `insufficient_scope`. */
        ScopeInsufficient: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                "Access-Control-Allow-Origin": components["headers"]["AnyOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["ExposedHeaders"];
                "WWW-Authenticate": components["headers"]["BearerChallenge"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "access_denied",
                 *       "error_code": "insufficient_scope",
                 *       "error_description": "The access token is from a login without the scope openid.",
                 *       "docs_url": "https://auth.example.com/docs/errors#insufficient_scope",
                 *       "request_id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The caller's copy is still good. */
        NotModified: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The address or its query is malformed: `malformed_parameter`. */
        BadRequest: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "invalid_request",
                 *       "error_code": "malformed_parameter",
                 *       "error_description": "loginKeyId is not an ID26.",
                 *       "docs_url": "https://auth.example.com/docs/errors#malformed_parameter",
                 *       "request_id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A credential is missing or wrong. */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "access_denied",
                 *       "error_code": "session_missing",
                 *       "error_description": "The session cookie is missing.",
                 *       "docs_url": "https://auth.example.com/docs/errors#session_missing",
                 *       "request_id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The caller may not do that. */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "access_denied",
                 *       "error_code": "origin_mismatch",
                 *       "error_description": "The request must come from this service's own pages.",
                 *       "docs_url": "https://auth.example.com/docs/errors#origin_mismatch",
                 *       "request_id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is nothing at this address: `not_found`. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "invalid_request",
                 *       "error_code": "not_found",
                 *       "error_description": "There is nothing at this address.",
                 *       "docs_url": "https://auth.example.com/docs/errors#not_found",
                 *       "request_id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Slower, please: `rate_limited`. */
        TooManyRequests: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "access_denied",
                 *       "error_code": "rate_limited",
                 *       "error_description": "Too many requests.",
                 *       "docs_url": "https://auth.example.com/docs/errors#rate_limited",
                 *       "request_id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Our fault: `internal`. */
        Internal: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "access_denied",
                 *       "error_code": "internal",
                 *       "error_description": "Something went wrong on our side.",
                 *       "docs_url": "https://auth.example.com/docs/errors#internal",
                 *       "request_id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The storage cannot be reached: `storage_unavailable`. */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "access_denied",
                 *       "error_code": "storage_unavailable",
                 *       "error_description": "The service can't reach its storage.",
                 *       "docs_url": "https://auth.example.com/docs/errors#storage_unavailable",
                 *       "request_id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The address or its query is malformed: `malformed_parameter`. */
        BadRequestPage: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "invalid_request",
                 *       "error_code": "malformed_parameter",
                 *       "error_description": "loginKeyId is not an ID26.",
                 *       "docs_url": "https://auth.example.com/docs/errors#malformed_parameter",
                 *       "request_id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description This address does not take that method: `method_not_allowed`. */
        MethodNotAllowedPage: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                /**
                 * @description The methods that it takes.
                 * @example GET
                 */
                Allow: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "invalid_request",
                 *       "error_code": "method_not_allowed",
                 *       "error_description": "This address doesn't support this method.",
                 *       "docs_url": "https://auth.example.com/docs/errors#method_not_allowed",
                 *       "request_id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description There is nothing at this address: `not_found`. */
        NotFoundPage: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "invalid_request",
                 *       "error_code": "not_found",
                 *       "error_description": "There is nothing at this address.",
                 *       "docs_url": "https://auth.example.com/docs/errors#not_found",
                 *       "request_id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description A credential is missing or wrong. */
        UnauthorizedPage: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "access_denied",
                 *       "error_code": "session_missing",
                 *       "error_description": "The session cookie is missing.",
                 *       "docs_url": "https://auth.example.com/docs/errors#session_missing",
                 *       "request_id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description The caller may not do that. */
        ForbiddenPage: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "access_denied",
                 *       "error_code": "origin_mismatch",
                 *       "error_description": "The request must come from this service's own pages.",
                 *       "docs_url": "https://auth.example.com/docs/errors#origin_mismatch",
                 *       "request_id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description Slower, please: `rate_limited`. */
        TooManyRequestsPage: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "access_denied",
                 *       "error_code": "rate_limited",
                 *       "error_description": "Too many requests.",
                 *       "docs_url": "https://auth.example.com/docs/errors#rate_limited",
                 *       "request_id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description Our fault: `internal`. */
        InternalPage: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "access_denied",
                 *       "error_code": "internal",
                 *       "error_description": "Something went wrong on our side.",
                 *       "docs_url": "https://auth.example.com/docs/errors#internal",
                 *       "request_id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description The storage cannot be reached: `storage_unavailable`. */
        UnavailablePage: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "access_denied",
                 *       "error_code": "storage_unavailable",
                 *       "error_description": "The service can't reach its storage.",
                 *       "docs_url": "https://auth.example.com/docs/errors#storage_unavailable",
                 *       "request_id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
    };
    parameters: {
        /**
         * @description The language that the person chooses for all pages: `fr` or `en`. Another value chooses nothing.
         * @example en
         */
        Lang: string;
        /**
         * @description The theme that the person chooses for all pages: `light` or `dark`. Another value chooses nothing.
         * @example dark
         */
        Theme: string;
        /**
         * @description Browsers send it by themselves; it must be this service's own origin.
         * @example https://auth.example.com
         */
        Origin: string;
        /**
         * @description The client's `id`, which is not its `clientId`.
         * @example 01J9ZJ0A1B2C3D4E5F6G7H8J9K
         */
        ClientPath: components["schemas"]["Id26"];
        /**
         * @description A person's `id`, which is the subject of their tokens.
         * @example 01J9ZK4A7B8C9D0E1F2G3H4J5K
         */
        PersonPath: components["schemas"]["Id26"];
        /**
         * @description An event's `eventId`.
         * @example evt_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
         */
        EventPath: string;
        /**
         * @description The login.
         * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
         */
        LoginKeyId: components["schemas"]["Id26"];
    };
    requestBodies: never;
    headers: {
        /**
         * @description Names this exchange; quote it when you report a problem.
         * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
         */
        RequestId: components["schemas"]["Id26"];
        /**
         * @description Whole seconds to wait before trying again.
         * @example 5
         */
        RetryAfter: number;
        /**
         * @description Nothing on the way may keep this answer.
         * @example no-store
         */
        NoStore: string;
        /**
         * @description How long the answer may be kept.
         * @example public, max-age=300
         */
        Cacheable: string;
        /**
         * @description Send it back in `If-None-Match` to get 304 while nothing has changed.
         * @example "3q2-7wEjRWeJq83v"
         */
        ETag: string;
        /**
         * @description Pages of any site may read this.
         * @example *
         */
        AnyOrigin: "*";
        /**
         * @description The headers that scripts of any site can read.
         * @example Retry-After, X-Request-Id
         */
        ExposedHeaders: string;
        /**
         * @description Present when the client tried HTTP Basic.
         * @example Basic realm="griot"
         */
        WWWAuthenticate: string;
        /**
         * @description What is wrong with the access token (RFC 6750).
         * @example Bearer realm="griot", error="invalid_token"
         */
        BearerChallenge: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    authorize: {
        parameters: {
            query: {
                /**
                 * @description The application's public identifier.
                 * @example cl_test_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                client_id: string;
                /**
                 * @description One of the client's registered addresses, character for character. For TEST clients the port of a loopback address may differ.
                 * @example https://shop.example/callback
                 */
                redirect_uri: string;
                /**
                 * @description The application's own random value; comes back unchanged. The operator may allow more than 256 characters (`auth.state_max`). With the scope `openid`, it can have 2048.
                 * @example s8Jq2mZp0aVx4LrT
                 */
                state: string;
                /** @description Only the code flow exists. */
                response_type?: "code";
                /**
                 * @description The base64url SHA-256 of the application's `code_verifier` (RFC 7636). PUBLIC clients must send it.
                 * @example E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
                 */
                code_challenge?: string;
                /**
                 * @description With `openid`, this is a request of OpenID Connect, and the exchange also gives an ID token. `profile` adds the name, `phone` the number. Others are ignored.
                 * @example openid profile phone
                 */
                scope?: string;
                /**
                 * @description With the scope `openid`: stands in the ID token. At most 512 characters.
                 * @example n-0S6_WzA2Mj
                 */
                nonce?: string;
                /**
                 * @description With the scope `openid`: `none` returns the error `login_required` to `redirect_uri`, because each login is a new message. `login`, `consent`, and `select_account` hold by themselves.
                 * @example login
                 */
                prompt?: string;
                /**
                 * @description With the scope `openid`: holds by itself, because each login is a new message.
                 * @example 300
                 */
                max_age?: string;
                /**
                 * @description With the scope `openid`: an ID token that this client got in a login of the last 30 days. Only the same person can then prove the login; another person's message ends it, and the application gets the error `login_required`.
                 * @example eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIwMUo5In0.c2lnbmF0dXJl
                 */
                id_token_hint?: string;
                /**
                 * @description With the scope `openid`: `query`, or `form_post` for a page that posts the response to `redirect_uri`.
                 * @example query
                 */
                response_mode?: string;
                /**
                 * @description Languages for the waiting page, the best first, separated by spaces (OpenID Connect). What the person has chosen is above it.
                 * @example fr en
                 */
                ui_locales?: string;
                /** @description What `code_challenge` is, if it is there; `plain` is refused. */
                code_challenge_method?: "S256";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The login is open; the browser goes on to the waiting page. Or the request is one of OpenID Connect with `prompt=none`, and the browser returns to the application with an error, without a cookie. */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    /**
                     * @description The waiting page, with what it needs to know the login; or the application's `redirect_uri` with `error`.
                     * @example /waiting.html?loginKeyId=01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                     */
                    Location: string;
                    /**
                     * @description The session cookie `svc_sid`, for this and the browser's last logins. HttpOnly, SameSite=Lax, and Secure when the service is reached by https.
                     * @example svc_sid=kV3rJ0m2; Path=/; Max-Age=300; HttpOnly; Secure; SameSite=Lax
                     */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ok": true
                     *     }
                     */
                    "application/json": components["schemas"]["Ok"];
                };
            };
            /**
             * @description A parameter is wrong: `missing_parameter`, `malformed_parameter`, `state_length`, `unsupported_response_type`, `pkce_required`, `pkce_method`,
             *     `redirect_uri_mismatch`, `unknown_client`, `client_inactive`, and for OpenID Connect `openid_request`: its page has a link on which the application
             *     learns of the error.
             */
            400: components["responses"]["BadRequestPage"];
            429: components["responses"]["TooManyRequestsPage"];
            500: components["responses"]["InternalPage"];
            /** @description No login can be opened now: `storage_unavailable`, `too_many_logins`. */
            503: components["responses"]["UnavailablePage"];
        };
    };
    authorizeByForm: {
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
                 *       "scope": "openid",
                 *       "client_id": "cl_test_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                 *       "redirect_uri": "https://shop.example/callback",
                 *       "state": "s8Jq2mZp0aVx4LrT"
                 *     }
                 */
                "application/x-www-form-urlencoded": {
                    /** @description One of them is `openid`. */
                    scope: string;
                } & {
                    [key: string]: string;
                };
            };
        };
        responses: {
            /** @description The same request by GET. */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    /**
                     * @description The request.
                     * @example /authorize?client_id=cl_test_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D&redirect_uri=https%3A%2F%2Fshop.example%2Fcallback&scope=openid&state=s8Jq2mZp0aVx4LrT
                     */
                    Location: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequestPage"];
            /** @description The form is not one of OpenID Connect: `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowedPage"];
            429: components["responses"]["TooManyRequestsPage"];
            500: components["responses"]["InternalPage"];
        };
    };
    getWaitingPage: {
        parameters: {
            query?: {
                /**
                 * @description The login, an ID26. The page answers whatever it is, and its script then says that there is no such login.
                 * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                loginKeyId?: string;
                /**
                 * @description The language that the person chooses for all pages: `fr` or `en`. Another value chooses nothing.
                 * @example en
                 */
                lang?: components["parameters"]["Lang"];
                /**
                 * @description The theme that the person chooses for all pages: `light` or `dark`. Another value chooses nothing.
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
            /** @description The address chose a language or a theme (`lang`, `theme`), and this is the same page without the choice; or the browser is Opera Mini, and this is the page without scripts. */
            303: components["responses"]["PageChosen"];
            400: components["responses"]["BadRequest"];
            500: components["responses"]["Internal"];
        };
    };
    activateLogin: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Browsers send it by themselves; it must be this service's own origin.
                 * @example https://auth.example.com
                 */
                Origin: components["parameters"]["Origin"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "loginKeyId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
                 *     }
                 */
                "application/json": {
                    loginKeyId: components["schemas"]["Id26"];
                };
            };
        };
        responses: {
            /** @description The login is activated. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        activated: true;
                        /**
                         * Format: uri
                         * @description Null for TEST clients, and when no number is there to receive the message.
                         */
                        deeplink: string | null;
                    };
                };
            };
            /**
             * @description The body is wrong (`invalid_json`, `missing_parameter`, `malformed_parameter`, `unsupported_media_type`, `body_too_large`)
             *     or the login is past this step (`login_not_pending`, `login_expired`).
             */
            400: components["responses"]["BadRequest"];
            /** @description The browser has no session: `session_missing`, `session_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description Another site asked, or another browser: `origin_mismatch`, `session_mismatch`. */
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getLoginStatus: {
        parameters: {
            query: {
                /**
                 * @description The login.
                 * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                loginKeyId: components["parameters"]["LoginKeyId"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The login as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                };
            };
            /** @description `loginKeyId` is missing or no ID26: `missing_parameter`, `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The browser has no session: `session_missing`, `session_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description The login belongs to another browser: `session_mismatch`. */
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    streamLoginStatus: {
        parameters: {
            query: {
                /**
                 * @description The login.
                 * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                loginKeyId: components["parameters"]["LoginKeyId"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description `loginKeyId` is missing or no ID26: `missing_parameter`, `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The browser has no session: `session_missing`, `session_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description The login belongs to another browser: `session_mismatch`. */
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPlainWaitingPage: {
        parameters: {
            query: {
                /**
                 * @description The login.
                 * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                loginKeyId: components["parameters"]["LoginKeyId"];
                /**
                 * @description Set right behind a form, from where a browser follows no redirect to another site: the page then loads itself once more.
                 * @example 1
                 */
                posted?: string;
                /**
                 * @description The language that the person chooses for all pages: `fr` or `en`. Another value chooses nothing.
                 * @example en
                 */
                lang?: components["parameters"]["Lang"];
                /**
                 * @description The theme that the person chooses for all pages: `light` or `dark`. Another value chooses nothing.
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
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The login is proved, and this is the way back to the application. Or the address chose a language or a theme (`lang`, `theme`), and this is the same page without the choice. */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    /**
                     * @description The application's `redirect_uri` with `code`, `state`, and `iss`.
                     * @example https://shop.example/callback?code=7QX2M9F4T1ZB8RC6VN3K5WDJ0H&state=s8Jq2mZp0aVx4LrT&iss=https%3A%2F%2Fauth.example.com
                     */
                    Location: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `loginKeyId` is missing or no ID26: `missing_parameter`, `malformed_parameter`. */
            400: components["responses"]["BadRequestPage"];
            /** @description The browser has no session: `session_missing`, `session_expired`. */
            401: components["responses"]["UnauthorizedPage"];
            /** @description The login belongs to another browser: `session_mismatch`. */
            403: components["responses"]["ForbiddenPage"];
            429: components["responses"]["TooManyRequestsPage"];
            500: components["responses"]["InternalPage"];
            503: components["responses"]["UnavailablePage"];
        };
    };
    submitPlainWaitingPage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Browsers send it by themselves; it must be this service's own origin.
                 * @example https://auth.example.com
                 */
                Origin: components["parameters"]["Origin"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "loginKeyId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                 *       "action": "sandbox",
                 *       "phoneE164": "22300000001"
                 *     }
                 */
                "application/x-www-form-urlencoded": {
                    loginKeyId: components["schemas"]["Id26"];
                    /**
                     * @description Which of the two.
                     * @enum {string}
                     */
                    action: "activate" | "sandbox";
                    /** @description For `sandbox`; one of its ten numbers. */
                    phoneE164?: string;
                };
            };
        };
        responses: {
            /** @description Done, or the login is past this step. The page says where it stands. */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    /**
                     * @description The page.
                     * @example /authorize/page?loginKeyId=01J9ZK3V8Q5W6X7Y8Z9A0B1C2D&posted=1
                     */
                    Location: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description The form is wrong (`missing_parameter`, `malformed_parameter`, `unsupported_media_type`, `body_too_large`), the number is not one of
             *     the ten (`sandbox_number`), or the client is LIVE (`sandbox_live_client`).
             */
            400: components["responses"]["BadRequestPage"];
            /** @description The browser has no session: `session_missing`, `session_expired`. */
            401: components["responses"]["UnauthorizedPage"];
            /** @description Another site asked, or another browser: `origin_mismatch`, `session_mismatch`. */
            403: components["responses"]["ForbiddenPage"];
            429: components["responses"]["TooManyRequestsPage"];
            500: components["responses"]["InternalPage"];
            503: components["responses"]["UnavailablePage"];
        };
    };
    openLogin: {
        parameters: {
            query: {
                /**
                 * @description The login.
                 * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                loginKeyId: components["parameters"]["LoginKeyId"];
                /**
                 * @description With `phones`, in `griot dev`, the virtual phones open instead.
                 * @example phones
                 */
                in?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deeplink, or the plain page. */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    /**
                     * @description Where to.
                     * @example https://wa.me/22370000000?text=amber%20river%20seven
                     */
                    Location: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `loginKeyId` is missing or no ID26: `missing_parameter`, `malformed_parameter`. */
            400: components["responses"]["BadRequestPage"];
            /** @description The browser has no session: `session_missing`, `session_expired`. */
            401: components["responses"]["UnauthorizedPage"];
            /** @description The login belongs to another browser: `session_mismatch`. */
            403: components["responses"]["ForbiddenPage"];
            429: components["responses"]["TooManyRequestsPage"];
            500: components["responses"]["InternalPage"];
            503: components["responses"]["UnavailablePage"];
        };
    };
    getReturnPage: {
        parameters: {
            query: {
                /**
                 * @description The login.
                 * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                loginKeyId: components["parameters"]["LoginKeyId"];
                /**
                 * @description The language that the person chooses for all pages: `fr` or `en`. Another value chooses nothing.
                 * @example en
                 */
                lang?: components["parameters"]["Lang"];
                /**
                 * @description The theme that the person chooses for all pages: `light` or `dark`. Another value chooses nothing.
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
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The plain page; or the address chose a language or a theme (`lang`, `theme`), and this is the same page without the choice. */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    /**
                     * @description Where to.
                     * @example /authorize/page?loginKeyId=01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                     */
                    Location: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `loginKeyId` is missing or no ID26: `missing_parameter`, `malformed_parameter`. */
            400: components["responses"]["BadRequestPage"];
            /** @description The browser has no session: `session_missing`, `session_expired`. */
            401: components["responses"]["UnauthorizedPage"];
            /** @description The login belongs to another browser: `session_mismatch`. */
            403: components["responses"]["ForbiddenPage"];
            429: components["responses"]["TooManyRequestsPage"];
            500: components["responses"]["InternalPage"];
            503: components["responses"]["UnavailablePage"];
        };
    };
    restartLogin: {
        parameters: {
            query: {
                /**
                 * @description The login.
                 * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                loginKeyId: components["parameters"]["LoginKeyId"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A new login, the plain page, or the application with an error. */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    /**
                     * @description Where to.
                     * @example /authorize?client_id=cl_live_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                     */
                    Location: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `loginKeyId` is missing or no ID26: `missing_parameter`, `malformed_parameter`. */
            400: components["responses"]["BadRequestPage"];
            /** @description The browser has no session: `session_missing`, `session_expired`. */
            401: components["responses"]["UnauthorizedPage"];
            /** @description The login belongs to another browser: `session_mismatch`. */
            403: components["responses"]["ForbiddenPage"];
            429: components["responses"]["TooManyRequestsPage"];
            500: components["responses"]["InternalPage"];
            503: components["responses"]["UnavailablePage"];
        };
    };
    getLoginDetails: {
        parameters: {
            query: {
                /**
                 * @description The login.
                 * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                loginKeyId: components["parameters"]["LoginKeyId"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The numbers of a login, and the color of its page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "receiver": "22370000000",
                     *       "receiverText": "+223 70 00 00 00",
                     *       "phone": null,
                     *       "accent": "teal"
                     *     }
                     */
                    "application/json": {
                        /** @description The number to send the words to, in digits. Null for TEST clients, and when no number is there to receive the message. */
                        receiver: string | null;
                        /** @description The same number as people read it, with its plus and with no-break spaces between its groups. */
                        receiverText: string | null;
                        /** @description Once the words have come: whose they were, with the middle digits left out. */
                        phone: string | null;
                        /** @description The color of the tenant's waiting page; null: the standard one. */
                        accent: string | null;
                    };
                };
            };
            /** @description `loginKeyId` is missing or no ID26: `missing_parameter`, `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The browser has no session: `session_missing`, `session_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description The login belongs to another browser: `session_mismatch`. */
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getLoginQR: {
        parameters: {
            query: {
                /**
                 * @description The login.
                 * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                loginKeyId: components["parameters"]["LoginKeyId"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The QR code. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /**
                     * @description The browser may keep it while the login lasts.
                     * @example private, max-age=90
                     */
                    "Cache-Control": "private, max-age=90";
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description `loginKeyId` is missing or no ID26: `missing_parameter`, `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The browser has no session: `session_missing`, `session_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description The login belongs to another browser: `session_mismatch`. */
            403: components["responses"]["Forbidden"];
            /** @description This login has no link: `not_found`. */
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    openShortAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The login's code.
                 * @example 7QX2M9F4T1ZB
                 */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description WhatsApp with the words filled in. */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    /**
                     * @description The deeplink.
                     * @example https://wa.me/22370000000?text=amber%20river%20seven
                     */
                    Location: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequestPage"];
            /** @description No login that waits for its words has this code: `not_found`. */
            404: components["responses"]["NotFoundPage"];
            429: components["responses"]["TooManyRequestsPage"];
            500: components["responses"]["InternalPage"];
            503: components["responses"]["UnavailablePage"];
        };
    };
    proveLoginInSandbox: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Browsers send it by themselves; it must be this service's own origin.
                 * @example https://auth.example.com
                 */
                Origin: components["parameters"]["Origin"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "loginKeyId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                 *       "phoneE164": "22300000001"
                 *     }
                 */
                "application/json": {
                    loginKeyId: components["schemas"]["Id26"];
                    /** @enum {string} */
                    phoneE164: "22300000001" | "22300000002" | "22300000003" | "22300000004" | "22300000005" | "22300000006" | "22300000007" | "22300000008" | "22300000009" | "22300000099";
                };
            };
        };
        responses: {
            201: components["responses"]["Proved"];
            /**
             * @description The body is wrong (`invalid_json`, `missing_parameter`, `malformed_parameter`, `unsupported_media_type`, `body_too_large`), the number is not one of
             *     the ten (`sandbox_number`), the client is LIVE (`sandbox_live_client`), or the login is past this step (`login_not_pending`, `login_expired`).
             */
            400: components["responses"]["BadRequest"];
            /** @description The browser has no session: `session_missing`, `session_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description Another site asked, another browser, or a second phone: `origin_mismatch`, `session_mismatch`, `phone_conflict`, `person_mismatch`. */
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    exchangeCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenRequest"];
                "application/x-www-form-urlencoded": components["schemas"]["TokenRequest"];
            };
        };
        responses: {
            201: components["responses"]["Token"];
            400: components["responses"]["TokenBadRequest"];
            401: components["responses"]["TokenUnauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    preflightExchangeCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Preflight"];
            400: components["responses"]["BadRequest"];
            500: components["responses"]["Internal"];
        };
    };
    exchangeCodeOAuth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["OAuthTokenRequest"];
                "application/json": components["schemas"]["OAuthTokenRequest"];
            };
        };
        responses: {
            200: components["responses"]["Token"];
            400: components["responses"]["TokenBadRequest"];
            401: components["responses"]["TokenUnauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    preflightExchangeCodeOAuth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Preflight"];
            400: components["responses"]["BadRequest"];
            500: components["responses"]["Internal"];
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["TokenQuery"];
                "application/json": components["schemas"]["TokenQuery"];
            };
        };
        responses: {
            /** @description The token is worth nothing. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    "Access-Control-Allow-Origin": components["headers"]["AnyOrigin"];
                    "Access-Control-Expose-Headers": components["headers"]["ExposedHeaders"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description The request is malformed (`invalid_json`, `missing_parameter`, `malformed_parameter`, `unsupported_media_type`, `body_too_large`), or the token is
             *     another client's (`token_client_mismatch`).
             */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["TokenUnauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    preflightRevokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Preflight"];
            400: components["responses"]["BadRequest"];
            500: components["responses"]["Internal"];
        };
    };
    introspectToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["TokenQuery"];
                "application/json": components["schemas"]["TokenQuery"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Introspection"];
                };
            };
            /** @description The request is malformed: `invalid_json`, `missing_parameter`, `malformed_parameter`, `unsupported_media_type`, `body_too_large`. */
            400: components["responses"]["BadRequest"];
            /** @description The client is not who it says, or is PUBLIC: `client_auth_failed`, `client_secret_missing`, `client_inactive`, `client_not_confidential`. */
            401: components["responses"]["TokenUnauthorized"];
            /** @description A page of another site asked: `origin_mismatch`. */
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getUserInfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["UserInfo"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["AccessTokenRefused"];
            403: components["responses"]["ScopeInsufficient"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    postUserInfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "access_token": "eyJhbGciOiJSUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIwMUo5In0.c2lnbmF0dXJl"
                 *     }
                 */
                "application/x-www-form-urlencoded": {
                    access_token?: string;
                };
            };
        };
        responses: {
            200: components["responses"]["UserInfo"];
            /** @description The form is malformed, or there are two tokens: `malformed_parameter`, `body_too_large`. */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["AccessTokenRefused"];
            403: components["responses"]["ScopeInsufficient"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    preflightGetUserInfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Preflight"];
            400: components["responses"]["BadRequest"];
            500: components["responses"]["Internal"];
        };
    };
    signOut: {
        parameters: {
            query: {
                /**
                 * @description The ID token of the login, which ended at most 30 days ago.
                 * @example eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIwMUo5In0.c2lnbmF0dXJl
                 */
                id_token_hint: string;
                /**
                 * @description One of the client's addresses for after sign-out, character for character. Without it, the browser stays at a page of this service.
                 * @example https://shop.example/
                 */
                post_logout_redirect_uri?: string;
                /**
                 * @description Comes back unchanged.
                 * @example s8Jq2mZp
                 */
                state?: string;
                /**
                 * @description If it is there, it must be the ID token's client.
                 * @example cl_test_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                client_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            303: components["responses"]["SignedOut"];
            /** @description Nobody was signed out: `sign_out_request`, `unknown_client`, `client_inactive`, `malformed_parameter`. */
            400: components["responses"]["BadRequestPage"];
            429: components["responses"]["TooManyRequestsPage"];
            500: components["responses"]["InternalPage"];
            503: components["responses"]["UnavailablePage"];
        };
    };
    signOutByForm: {
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
                 *       "id_token_hint": "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIwMUo5In0.c2lnbmF0dXJl",
                 *       "post_logout_redirect_uri": "https://shop.example/",
                 *       "state": "s8Jq2mZp"
                 *     }
                 */
                "application/x-www-form-urlencoded": {
                    id_token_hint: string;
                    post_logout_redirect_uri?: string;
                    state?: string;
                    client_id?: string;
                };
            };
        };
        responses: {
            303: components["responses"]["SignedOut"];
            /** @description Nobody was signed out: `sign_out_request`, `unknown_client`, `client_inactive`, `malformed_parameter`, `body_too_large`. */
            400: components["responses"]["BadRequestPage"];
            429: components["responses"]["TooManyRequestsPage"];
            500: components["responses"]["InternalPage"];
            503: components["responses"]["UnavailablePage"];
        };
    };
    verifyMessage: {
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
                 *       "loginKeyId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                 *       "phoneE164": "+22370112233",
                 *       "displayName": "Awa",
                 *       "messageId": "wamid.HBgLMjIzNzAxMTIyMzM",
                 *       "timestamp": 1772366404210,
                 *       "receiverPhoneId": "22370000000",
                 *       "matchingWords": "amber river seven"
                 *     }
                 */
                "application/json": components["schemas"]["Verify"];
            };
        };
        responses: {
            201: components["responses"]["Proved"];
            /**
             * @description The body is wrong (`invalid_json`, `missing_parameter`, `malformed_parameter`, `unsupported_media_type`, `body_too_large`) or does not prove this
             *     login (`login_unknown`, `timestamp_skew`, `receiver_mismatch`, `words_mismatch`, `message_replayed`, `login_not_pending`, `login_expired`).
             */
            400: components["responses"]["BadRequest"];
            /** @description The signature is missing or wrong: `signature_missing`, `signature_invalid`. */
            401: components["responses"]["Unauthorized"];
            /** @description The call came from elsewhere, or a second phone sent the words: `not_loopback`, `origin_mismatch`, `phone_conflict`, `person_mismatch`. */
            403: components["responses"]["Forbidden"];
            /** @description Asked on a public listener, where it doesn't exist: `not_found`. */
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["Cacheable"];
                    ETag: components["headers"]["ETag"];
                    "Access-Control-Allow-Origin": components["headers"]["AnyOrigin"];
                    "Access-Control-Expose-Headers": components["headers"]["ExposedHeaders"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keys": [
                     *         {
                     *           "kty": "RSA",
                     *           "n": "sXchDaQebHnPiGvyDOAT4saGEUetSyo9MKLOoWFsueri23bOdgWp4Dy1Wl",
                     *           "e": "AQAB",
                     *           "kid": "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs",
                     *           "alg": "RS256",
                     *           "use": "sig"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        keys: components["schemas"]["Key"][];
                    };
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    preflightGetKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Preflight"];
            400: components["responses"]["BadRequest"];
            500: components["responses"]["Internal"];
        };
    };
    getMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metadata. Further fields may come. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["Cacheable"];
                    ETag: components["headers"]["ETag"];
                    "Access-Control-Allow-Origin": components["headers"]["AnyOrigin"];
                    "Access-Control-Expose-Headers": components["headers"]["ExposedHeaders"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "issuer": "https://auth.example.com",
                     *       "authorization_endpoint": "https://auth.example.com/authorize",
                     *       "token_endpoint": "https://auth.example.com/oauth2/token",
                     *       "jwks_uri": "https://auth.example.com/.well-known/jwks.json",
                     *       "response_types_supported": [
                     *         "code"
                     *       ],
                     *       "response_modes_supported": [
                     *         "query"
                     *       ],
                     *       "grant_types_supported": [
                     *         "authorization_code"
                     *       ],
                     *       "code_challenge_methods_supported": [
                     *         "S256"
                     *       ],
                     *       "token_endpoint_auth_methods_supported": [
                     *         "none",
                     *         "client_secret_post",
                     *         "client_secret_basic"
                     *       ],
                     *       "revocation_endpoint": "https://auth.example.com/oauth2/revoke",
                     *       "revocation_endpoint_auth_methods_supported": [
                     *         "none",
                     *         "client_secret_post",
                     *         "client_secret_basic"
                     *       ],
                     *       "introspection_endpoint": "https://auth.example.com/oauth2/introspect",
                     *       "introspection_endpoint_auth_methods_supported": [
                     *         "client_secret_post",
                     *         "client_secret_basic"
                     *       ],
                     *       "authorization_response_iss_parameter_supported": true
                     *     }
                     */
                    "application/json": components["schemas"]["Metadata"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    preflightGetMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Preflight"];
            400: components["responses"]["BadRequest"];
            500: components["responses"]["Internal"];
        };
    };
    getOpenIDMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metadata. Further fields may come. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["Cacheable"];
                    ETag: components["headers"]["ETag"];
                    "Access-Control-Allow-Origin": components["headers"]["AnyOrigin"];
                    "Access-Control-Expose-Headers": components["headers"]["ExposedHeaders"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "issuer": "https://auth.example.com",
                     *       "authorization_endpoint": "https://auth.example.com/authorize",
                     *       "token_endpoint": "https://auth.example.com/oauth2/token",
                     *       "userinfo_endpoint": "https://auth.example.com/userinfo",
                     *       "end_session_endpoint": "https://auth.example.com/oauth2/logout",
                     *       "jwks_uri": "https://auth.example.com/.well-known/jwks.json",
                     *       "response_types_supported": [
                     *         "code"
                     *       ],
                     *       "response_modes_supported": [
                     *         "query",
                     *         "form_post"
                     *       ],
                     *       "grant_types_supported": [
                     *         "authorization_code"
                     *       ],
                     *       "code_challenge_methods_supported": [
                     *         "S256"
                     *       ],
                     *       "token_endpoint_auth_methods_supported": [
                     *         "none",
                     *         "client_secret_post",
                     *         "client_secret_basic"
                     *       ],
                     *       "revocation_endpoint": "https://auth.example.com/oauth2/revoke",
                     *       "revocation_endpoint_auth_methods_supported": [
                     *         "none",
                     *         "client_secret_post",
                     *         "client_secret_basic"
                     *       ],
                     *       "introspection_endpoint": "https://auth.example.com/oauth2/introspect",
                     *       "introspection_endpoint_auth_methods_supported": [
                     *         "client_secret_post",
                     *         "client_secret_basic"
                     *       ],
                     *       "authorization_response_iss_parameter_supported": true,
                     *       "scopes_supported": [
                     *         "openid",
                     *         "profile",
                     *         "phone"
                     *       ],
                     *       "claims_supported": [
                     *         "iss",
                     *         "sub",
                     *         "aud",
                     *         "exp",
                     *         "iat",
                     *         "auth_time",
                     *         "nonce",
                     *         "at_hash",
                     *         "amr",
                     *         "sid",
                     *         "tenant_id",
                     *         "mode",
                     *         "phone_number",
                     *         "phone_number_verified",
                     *         "name"
                     *       ],
                     *       "subject_types_supported": [
                     *         "pairwise"
                     *       ],
                     *       "id_token_signing_alg_values_supported": [
                     *         "RS256"
                     *       ],
                     *       "prompt_values_supported": [
                     *         "none",
                     *         "login",
                     *         "consent",
                     *         "select_account"
                     *       ],
                     *       "claims_parameter_supported": false,
                     *       "request_parameter_supported": false,
                     *       "request_uri_parameter_supported": false,
                     *       "backchannel_logout_supported": true,
                     *       "backchannel_logout_session_supported": true
                     *     }
                     */
                    "application/json": components["schemas"]["OpenIDMetadata"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    preflightGetOpenIDMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Preflight"];
            400: components["responses"]["BadRequest"];
            500: components["responses"]["Internal"];
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
            /** @description It can. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "service": "svc-auth"
                     *     }
                     */
                    "application/json": {
                        status: components["schemas"]["Health"];
                        /** @constant */
                        service: "svc-auth";
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            /** @description It cannot reach its storage, or the last write failed: `storage_unavailable`. The body says both what a monitor and what a client looks for. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "unavailable",
                     *       "service": "svc-auth",
                     *       "error": "access_denied",
                     *       "error_code": "storage_unavailable",
                     *       "error_description": "The service can't reach its storage.",
                     *       "docs_url": "https://auth.example.com/docs/errors#storage_unavailable",
                     *       "request_id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        status: "unavailable";
                        /** @constant */
                        service: "svc-auth";
                        error: components["schemas"]["OAuthError"];
                        error_code: components["schemas"]["ErrorCode"];
                        error_description: string;
                        /** Format: uri */
                        docs_url: string;
                        request_id: components["schemas"]["Id26"];
                    };
                };
            };
        };
    };
    openDashboard: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Browsers send it by themselves; it must be this service's own origin.
                 * @example https://auth.example.com
                 */
                Origin: components["parameters"]["Origin"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tenantId": "01J9ZH00000000000000000000",
                 *       "key": "inv_0000000000000000000000000000000000000000000"
                 *     }
                 */
                "application/json": {
                    tenantId: components["schemas"]["Id26"];
                    /** @description An invitation key. */
                    key: string;
                };
            };
        };
        responses: {
            /** @description The dashboard is open. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    /**
                     * @description The session cookie `svc_dashboard`. HttpOnly, SameSite=Lax, and Secure when the service is reached by https.
                     * @example svc_dashboard=kV3rJ0m2kV3rJ0m2kV3rJ0m2kV3rJ0m2kV3rJ0m2kV3; Path=/; Max-Age=3600; HttpOnly; Secure; SameSite=Lax
                     */
                    "Set-Cookie": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ok": true
                     *     }
                     */
                    "application/json": components["schemas"]["Ok"];
                };
            };
            /** @description The body is wrong: `invalid_json`, `missing_parameter`, `malformed_parameter`, `unsupported_media_type`, `body_too_large`. */
            400: components["responses"]["BadRequest"];
            /** @description The key does not open this dashboard: `invitation_invalid`. */
            401: components["responses"]["Unauthorized"];
            /** @description Another site asked: `origin_mismatch`. */
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    closeDashboard: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Browsers send it by themselves; it must be this service's own origin.
                 * @example https://auth.example.com
                 */
                Origin: components["parameters"]["Origin"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is over. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    /**
                     * @description Takes the cookie away.
                     * @example svc_dashboard=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax
                     */
                    "Set-Cookie": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ok": true
                     *     }
                     */
                    "application/json": components["schemas"]["Ok"];
                };
            };
            /** @description The address is malformed: `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description Another site asked: `origin_mismatch`. */
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getOverview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The overview. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tenant": {
                     *         "id": "01J9ZH00000000000000000000",
                     *         "name": "Shop"
                     *       },
                     *       "clients": [
                     *         {
                     *           "id": "01J9ZJ0A1B2C3D4E5F6G7H8J9K",
                     *           "tenantId": "01J9ZH00000000000000000000",
                     *           "clientId": "cl_live_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *           "type": "CONFIDENTIAL",
                     *           "mode": "LIVE",
                     *           "redirectUris": [
                     *             "https://shop.example/callback"
                     *           ],
                     *           "active": true
                     *         }
                     *       ],
                     *       "events": [
                     *         {
                     *           "id": "01J9ZK4A7B8C9D0E1F2G3H4J5K",
                     *           "type": "login.verified",
                     *           "at": "2026-03-01T12:00:31.007Z",
                     *           "actor": "user",
                     *           "clientId": "cl_live_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *           "loginId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *           "mode": "LIVE",
                     *           "result": "ok",
                     *           "errorCode": null,
                     *           "phone": "+223*****233",
                     *           "ip": null,
                     *           "requestId": null
                     *         },
                     *         {
                     *           "id": "01J9ZK3T7B8C9D0E1F2G3H4J5K",
                     *           "type": "dashboard.login_failed",
                     *           "at": "2026-03-01T11:58:41.730Z",
                     *           "actor": "tenant",
                     *           "clientId": null,
                     *           "loginId": null,
                     *           "mode": null,
                     *           "result": "denied",
                     *           "errorCode": "invitation_invalid",
                     *           "phone": null,
                     *           "ip": "192.0.2.0/24",
                     *           "requestId": null,
                     *           "count": 7,
                     *           "firstAt": "2026-03-01T11:58:02.114Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        tenant: components["schemas"]["Tenant"];
                        clients: components["schemas"]["OAuthClient"][];
                        events: components["schemas"]["Event"][];
                    };
                };
            };
            /** @description The address is malformed: `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /**
                 * @description Events of this type only.
                 * @example login.verified
                 */
                type?: string;
                /**
                 * @description Events of this login only, in the day after its start. Its own start is among them.
                 * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                loginId?: components["schemas"]["Id26"];
                /**
                 * @description The `nextCursor` of the page before.
                 * @example 01J9ZK4A7B8C9D0E1F2G3H4J5K
                 */
                cursor?: components["schemas"]["Id26"];
                /**
                 * @description How many at most.
                 * @example 100
                 */
                limit?: number;
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
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "events": [
                     *         {
                     *           "id": "01J9ZK4A7B8C9D0E1F2G3H4J5K",
                     *           "type": "login.verified",
                     *           "at": "2026-03-01T12:00:31.007Z",
                     *           "actor": "user",
                     *           "clientId": "cl_live_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *           "loginId": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *           "mode": "LIVE",
                     *           "result": "ok",
                     *           "errorCode": null,
                     *           "phone": "+223*****233",
                     *           "ip": null,
                     *           "requestId": null
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        events: components["schemas"]["Event"][];
                        /** @description Where the next page begins; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description A parameter or the address is malformed: `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getStats: {
        parameters: {
            query?: {
                /**
                 * @description Of which clients.
                 * @example TEST
                 */
                mode?: "LIVE" | "TEST";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The statistics. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "mode": "LIVE",
                     *       "today": {
                     *         "started": 17,
                     *         "opened": 15,
                     *         "verified": 14,
                     *         "redeemed": 14
                     *       },
                     *       "total": {
                     *         "started": 480,
                     *         "opened": 420,
                     *         "verified": 390,
                     *         "redeemed": 390
                     *       },
                     *       "medianSeconds": 21.4,
                     *       "complete": true,
                     *       "days": [
                     *         {
                     *           "day": "2026-01-31",
                     *           "started": 12,
                     *           "opened": 10,
                     *           "verified": 9,
                     *           "redeemed": 9
                     *         },
                     *         {
                     *           "day": "2026-02-01",
                     *           "started": 19,
                     *           "opened": 17,
                     *           "verified": 16,
                     *           "redeemed": 16
                     *         },
                     *         {
                     *           "day": "2026-02-02",
                     *           "started": 17,
                     *           "opened": 15,
                     *           "verified": 14,
                     *           "redeemed": 14
                     *         },
                     *         {
                     *           "day": "2026-02-03",
                     *           "started": 15,
                     *           "opened": 13,
                     *           "verified": 12,
                     *           "redeemed": 12
                     *         },
                     *         {
                     *           "day": "2026-02-04",
                     *           "started": 13,
                     *           "opened": 11,
                     *           "verified": 10,
                     *           "redeemed": 10
                     *         },
                     *         {
                     *           "day": "2026-02-05",
                     *           "started": 20,
                     *           "opened": 18,
                     *           "verified": 17,
                     *           "redeemed": 17
                     *         },
                     *         {
                     *           "day": "2026-02-06",
                     *           "started": 18,
                     *           "opened": 16,
                     *           "verified": 15,
                     *           "redeemed": 15
                     *         },
                     *         {
                     *           "day": "2026-02-07",
                     *           "started": 16,
                     *           "opened": 14,
                     *           "verified": 13,
                     *           "redeemed": 13
                     *         },
                     *         {
                     *           "day": "2026-02-08",
                     *           "started": 14,
                     *           "opened": 12,
                     *           "verified": 11,
                     *           "redeemed": 11
                     *         },
                     *         {
                     *           "day": "2026-02-09",
                     *           "started": 12,
                     *           "opened": 10,
                     *           "verified": 9,
                     *           "redeemed": 9
                     *         },
                     *         {
                     *           "day": "2026-02-10",
                     *           "started": 19,
                     *           "opened": 17,
                     *           "verified": 16,
                     *           "redeemed": 16
                     *         },
                     *         {
                     *           "day": "2026-02-11",
                     *           "started": 17,
                     *           "opened": 15,
                     *           "verified": 14,
                     *           "redeemed": 14
                     *         },
                     *         {
                     *           "day": "2026-02-12",
                     *           "started": 15,
                     *           "opened": 13,
                     *           "verified": 12,
                     *           "redeemed": 12
                     *         },
                     *         {
                     *           "day": "2026-02-13",
                     *           "started": 13,
                     *           "opened": 11,
                     *           "verified": 10,
                     *           "redeemed": 10
                     *         },
                     *         {
                     *           "day": "2026-02-14",
                     *           "started": 20,
                     *           "opened": 18,
                     *           "verified": 17,
                     *           "redeemed": 17
                     *         },
                     *         {
                     *           "day": "2026-02-15",
                     *           "started": 18,
                     *           "opened": 16,
                     *           "verified": 15,
                     *           "redeemed": 15
                     *         },
                     *         {
                     *           "day": "2026-02-16",
                     *           "started": 16,
                     *           "opened": 14,
                     *           "verified": 13,
                     *           "redeemed": 13
                     *         },
                     *         {
                     *           "day": "2026-02-17",
                     *           "started": 14,
                     *           "opened": 12,
                     *           "verified": 11,
                     *           "redeemed": 11
                     *         },
                     *         {
                     *           "day": "2026-02-18",
                     *           "started": 12,
                     *           "opened": 10,
                     *           "verified": 9,
                     *           "redeemed": 9
                     *         },
                     *         {
                     *           "day": "2026-02-19",
                     *           "started": 19,
                     *           "opened": 17,
                     *           "verified": 16,
                     *           "redeemed": 16
                     *         },
                     *         {
                     *           "day": "2026-02-20",
                     *           "started": 17,
                     *           "opened": 15,
                     *           "verified": 14,
                     *           "redeemed": 14
                     *         },
                     *         {
                     *           "day": "2026-02-21",
                     *           "started": 15,
                     *           "opened": 13,
                     *           "verified": 12,
                     *           "redeemed": 12
                     *         },
                     *         {
                     *           "day": "2026-02-22",
                     *           "started": 13,
                     *           "opened": 11,
                     *           "verified": 10,
                     *           "redeemed": 10
                     *         },
                     *         {
                     *           "day": "2026-02-23",
                     *           "started": 20,
                     *           "opened": 18,
                     *           "verified": 17,
                     *           "redeemed": 17
                     *         },
                     *         {
                     *           "day": "2026-02-24",
                     *           "started": 18,
                     *           "opened": 16,
                     *           "verified": 15,
                     *           "redeemed": 15
                     *         },
                     *         {
                     *           "day": "2026-02-25",
                     *           "started": 16,
                     *           "opened": 14,
                     *           "verified": 13,
                     *           "redeemed": 13
                     *         },
                     *         {
                     *           "day": "2026-02-26",
                     *           "started": 14,
                     *           "opened": 12,
                     *           "verified": 11,
                     *           "redeemed": 11
                     *         },
                     *         {
                     *           "day": "2026-02-27",
                     *           "started": 12,
                     *           "opened": 10,
                     *           "verified": 9,
                     *           "redeemed": 9
                     *         },
                     *         {
                     *           "day": "2026-02-28",
                     *           "started": 19,
                     *           "opened": 17,
                     *           "verified": 16,
                     *           "redeemed": 16
                     *         },
                     *         {
                     *           "day": "2026-03-01",
                     *           "started": 17,
                     *           "opened": 15,
                     *           "verified": 14,
                     *           "redeemed": 14
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Of which clients.
                         * @enum {string}
                         */
                        mode: "LIVE" | "TEST";
                        days: {
                            /** Format: date */
                            day: string;
                            started: number;
                            opened: number;
                            verified: number;
                            redeemed: number;
                        }[];
                        today: components["schemas"]["Steps"];
                        total: components["schemas"]["Steps"];
                        /** @description From start to redemption, of the latest 1,000 redeemed logins. */
                        medianSeconds: number | null;
                        /** @description Whether all events of the 30 days were counted. */
                        complete: boolean;
                    };
                };
            };
            /** @description The mode or the address is malformed: `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createClient: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Browsers send it by themselves; it must be this service's own origin.
                 * @example https://auth.example.com
                 */
                Origin: components["parameters"]["Origin"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    type: components["schemas"]["ClientType"];
                    mode: components["schemas"]["Mode"];
                    redirectUris: components["schemas"]["RedirectUris"];
                };
            };
        };
        responses: {
            /** @description The client, and its secret. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: components["schemas"]["Id26"];
                        tenantId: components["schemas"]["Id26"];
                        clientId: components["schemas"]["ClientId"];
                        type: components["schemas"]["ClientType"];
                        mode: components["schemas"]["Mode"];
                        redirectUris: components["schemas"]["RedirectUris"];
                        /** @constant */
                        active: true;
                        /** @description Null for a PUBLIC client. */
                        clientSecret: string | null;
                    };
                };
            };
            /** @description The body is wrong: `invalid_json`, `missing_parameter`, `malformed_parameter`, `too_many_clients`, `unsupported_media_type`, `body_too_large`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description Another site asked: `origin_mismatch`. */
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeClient: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Browsers send it by themselves; it must be this service's own origin.
                 * @example https://auth.example.com
                 */
                Origin: components["parameters"]["Origin"];
            };
            path: {
                /**
                 * @description The client's `id`, which is not its `clientId`.
                 * @example 01J9ZJ0A1B2C3D4E5F6G7H8J9K
                 */
                id: components["parameters"]["ClientPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "redirectUris": [
                 *         "https://shop.example/callback"
                 *       ],
                 *       "active": false
                 *     }
                 */
                "application/json": {
                    redirectUris: components["schemas"]["RedirectUris"];
                    /** @description Whether it starts logins and gets tokens. */
                    active: boolean;
                };
            };
        };
        responses: {
            /** @description The client as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01J9ZJ0A1B2C3D4E5F6G7H8J9K",
                     *       "tenantId": "01J9ZH00000000000000000000",
                     *       "clientId": "cl_live_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "type": "CONFIDENTIAL",
                     *       "mode": "LIVE",
                     *       "redirectUris": [
                     *         "https://shop.example/callback"
                     *       ],
                     *       "active": false
                     *     }
                     */
                    "application/json": components["schemas"]["OAuthClient"];
                };
            };
            /** @description The id is no ID26, or the body is wrong: `malformed_parameter`, `invalid_json`, `missing_parameter`, `unsupported_media_type`, `body_too_large`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description Another site asked, or this tenant has no such client: `origin_mismatch`, `client_not_found`. */
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateClientSecret: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Browsers send it by themselves; it must be this service's own origin.
                 * @example https://auth.example.com
                 */
                Origin: components["parameters"]["Origin"];
            };
            path: {
                /**
                 * @description The client's `id`, which is not its `clientId`.
                 * @example 01J9ZJ0A1B2C3D4E5F6G7H8J9K
                 */
                id: components["parameters"]["ClientPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new secret. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "clientSecret": "cs_0000000000000000000000000000000000000000000000000"
                     *     }
                     */
                    "application/json": {
                        /** @description The new secret. */
                        clientSecret: string;
                    };
                };
            };
            /** @description The id is no ID26, or the client has no secret: `malformed_parameter`, `client_is_public`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description Another site asked, or this tenant has no such client: `origin_mismatch`, `client_not_found`. */
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getClientConnect: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The client's `id`, which is not its `clientId`.
                 * @example 01J9ZJ0A1B2C3D4E5F6G7H8J9K
                 */
                id: components["parameters"]["ClientPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ClientConnect"];
            /** @description The id is no ID26: `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description This tenant has no such client: `client_not_found`. */
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    replaceClientConnect: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Browsers send it by themselves; it must be this service's own origin.
                 * @example https://auth.example.com
                 */
                Origin: components["parameters"]["Origin"];
            };
            path: {
                /**
                 * @description The client's `id`, which is not its `clientId`.
                 * @example 01J9ZJ0A1B2C3D4E5F6G7H8J9K
                 */
                id: components["parameters"]["ClientPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "postLogoutRedirectUris": [
                 *         "https://shop.example/"
                 *       ],
                 *       "backchannelLogoutUri": "https://shop.example/logout"
                 *     }
                 */
                "application/json": {
                    postLogoutRedirectUris: components["schemas"]["PostLogoutRedirectUris"];
                    /** @description Gets logout tokens: an https address on the internet. Null and empty are none. */
                    backchannelLogoutUri?: string | null;
                };
            };
        };
        responses: {
            200: components["responses"]["ClientConnect"];
            /** @description The body or the id is wrong, or an address can't be used: `invalid_json`, `missing_parameter`, `malformed_parameter`, `unsupported_media_type`, `body_too_large`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description Another site asked, or this tenant has no such client: `origin_mismatch`, `client_not_found`. */
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listPeople: {
        parameters: {
            query?: {
                /**
                 * @description The full number of whom to find, with or without a plus, which need not be escaped. The other parameters are then ignored.
                 * @example 22370011233
                 */
                phone?: string;
                /**
                 * @description The `nextCursor` of the page before.
                 * @example 01J9ZK4A7B8C9D0E1F2G3H4J5K
                 */
                cursor?: components["schemas"]["Id26"];
                /**
                 * @description How many at most.
                 * @example 100
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of people. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "people": [
                     *         {
                     *           "id": "01J9ZK4A7B8C9D0E1F2G3H4J5K",
                     *           "mode": "LIVE",
                     *           "phone": "+223*****233",
                     *           "displayName": "Awa",
                     *           "firstSeenAt": "2026-03-01T12:00:31.007Z",
                     *           "lastSeenAt": "2026-03-04T08:12:09.400Z",
                     *           "detachedAt": null
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        people: components["schemas"]["Person"][];
                        /** @description Where the next page begins; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description A parameter or the address is malformed: `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    exportPerson: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A person's `id`, which is the subject of their tokens.
                 * @example 01J9ZK4A7B8C9D0E1F2G3H4J5K
                 */
                id: components["parameters"]["PersonPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The person. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01J9ZK4A7B8C9D0E1F2G3H4J5K",
                     *       "mode": "LIVE",
                     *       "phone": "+223*****233",
                     *       "displayName": "Awa",
                     *       "firstSeenAt": "2026-03-01T12:00:31.007Z",
                     *       "lastSeenAt": "2026-03-04T08:12:09.400Z",
                     *       "detachedAt": null,
                     *       "phoneE164": "22370011233",
                     *       "metadata": {},
                     *       "events": [],
                     *       "complete": true
                     *     }
                     */
                    "application/json": {
                        id: components["schemas"]["Id26"];
                        mode: components["schemas"]["Mode"];
                        /** @description Masked. */
                        phone: string | null;
                        /** @description As the person calls themselves. */
                        displayName: string | null;
                        firstSeenAt: components["schemas"]["Time"];
                        lastSeenAt: components["schemas"]["Time"];
                        detachedAt: components["schemas"]["TimeOrNull"];
                        /** @description In full, in digits. */
                        phoneE164: string | null;
                        metadata: {
                            [key: string]: unknown;
                        };
                        events: components["schemas"]["Event"][];
                        /** @description Whether all events are in it. */
                        complete: boolean;
                    };
                };
            };
            /** @description The id is no ID26: `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description This tenant has no such person: `person_not_found`. */
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    erasePerson: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Browsers send it by themselves; it must be this service's own origin.
                 * @example https://auth.example.com
                 */
                Origin: components["parameters"]["Origin"];
            };
            path: {
                /**
                 * @description A person's `id`, which is the subject of their tokens.
                 * @example 01J9ZK4A7B8C9D0E1F2G3H4J5K
                 */
                id: components["parameters"]["PersonPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "erased": true
                     *     }
                     */
                    "application/json": {
                        /** @description Whether there was such a person. */
                        erased: boolean;
                    };
                };
            };
            /** @description The id is no ID26: `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description Another site asked: `origin_mismatch`. */
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getAppearance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The appearance. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "Kalabash",
                     *       "accent": "teal",
                     *       "accents": [
                     *         "blue",
                     *         "sky",
                     *         "teal",
                     *         "green",
                     *         "olive",
                     *         "gold",
                     *         "orange",
                     *         "red",
                     *         "pink",
                     *         "purple",
                     *         "brown",
                     *         "slate"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Appearance"];
                };
            };
            /** @description The address is malformed: `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeAppearance: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Browsers send it by themselves; it must be this service's own origin.
                 * @example https://auth.example.com
                 */
                Origin: components["parameters"]["Origin"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Kalabash",
                 *       "accent": "teal"
                 *     }
                 */
                "application/json": {
                    /** @description All characters are visible ones, with no space at either end. */
                    name?: string;
                    /** @description One of `accents`, or empty for the standard color. */
                    accent?: string;
                };
            };
        };
        responses: {
            /** @description The appearance as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "Kalabash",
                     *       "accent": "teal",
                     *       "accents": [
                     *         "blue",
                     *         "sky",
                     *         "teal",
                     *         "green",
                     *         "olive",
                     *         "gold",
                     *         "orange",
                     *         "red",
                     *         "pink",
                     *         "purple",
                     *         "brown",
                     *         "slate"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Appearance"];
                };
            };
            /** @description The body is wrong: `malformed_parameter`, `invalid_json`, `unsupported_media_type`, `body_too_large`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description Another site asked: `origin_mismatch`. */
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
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
            /** @description The endpoint; null for a tenant without one. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhook": {
                     *         "url": "https://shop.example/hook",
                     *         "enabled": true,
                     *         "disabledAt": null,
                     *         "disabledReason": null,
                     *         "pausedUntil": null,
                     *         "failingSince": null,
                     *         "lastSuccessAt": "2026-03-01T12:00:00.498Z",
                     *         "lastFailureAt": null,
                     *         "lastStatusCode": 200,
                     *         "pending": 0,
                     *         "previousSecretUntil": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description The address is malformed: `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    enableWebhook: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Browsers send it by themselves; it must be this service's own origin.
                 * @example https://auth.example.com
                 */
                Origin: components["parameters"]["Origin"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhook": {
                     *         "url": "https://shop.example/hook",
                     *         "enabled": true,
                     *         "disabledAt": null,
                     *         "disabledReason": null,
                     *         "pausedUntil": null,
                     *         "failingSince": null,
                     *         "lastSuccessAt": "2026-03-01T12:00:00.498Z",
                     *         "lastFailureAt": null,
                     *         "lastStatusCode": 200,
                     *         "pending": 0,
                     *         "previousSecretUntil": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description There is no endpoint: `no_endpoint`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description Another site asked, or whoever runs the service has disabled it: `origin_mismatch`, `endpoint_disabled`. */
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Browsers send it by themselves; it must be this service's own origin.
                 * @example https://auth.example.com
                 */
                Origin: components["parameters"]["Origin"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new secret. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhookSecret": "whsec_MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA=",
                     *       "previousSecretUntil": "2026-03-02T12:00:00.000Z"
                     *     }
                     */
                    "application/json": {
                        /** @description The new secret. */
                        webhookSecret: string;
                        previousSecretUntil: components["schemas"]["Time"];
                    };
                };
            };
            /** @description There is no endpoint: `no_endpoint`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description Another site asked: `origin_mismatch`. */
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    pingWebhook: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Browsers send it by themselves; it must be this service's own origin.
                 * @example https://auth.example.com
                 */
                Origin: components["parameters"]["Origin"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is stored. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "eventId": "evt_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
                     *     }
                     */
                    "application/json": {
                        eventId: components["schemas"]["EventId"];
                    };
                };
            };
            /** @description There is no endpoint: `no_endpoint`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description Another site asked: `origin_mismatch`. */
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWebhookEvents: {
        parameters: {
            query?: {
                /**
                 * @description Those whose delivery is so far.
                 * @example failed
                 */
                delivery?: components["schemas"]["Delivery"];
                /**
                 * @description The `nextCursor` of the page before.
                 * @example evt_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                cursor?: components["schemas"]["EventId"];
                /**
                 * @description How many at most.
                 * @example 100
                 */
                limit?: number;
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
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "events": [
                     *         {
                     *           "eventId": "evt_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *           "type": "login.verified",
                     *           "createdAt": "2026-03-01T12:00:31.007Z",
                     *           "delivery": "delivered",
                     *           "failedTries": 0,
                     *           "nextTryAt": null,
                     *           "deliveredAt": "2026-03-01T12:00:31.120Z",
                     *           "failedAt": null
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        events: components["schemas"]["WebhookEvent"][];
                        /** @description Where the next page begins; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description A parameter or the address is malformed: `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
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
                 * @description An event's `eventId`.
                 * @example evt_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                eventId: components["parameters"]["EventPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "eventId": "evt_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "type": "webhook.ping",
                     *       "createdAt": "2026-03-01T12:00:31.007Z",
                     *       "delivery": "pending",
                     *       "failedTries": 1,
                     *       "nextTryAt": "2026-03-01T12:00:36.100Z",
                     *       "deliveredAt": null,
                     *       "failedAt": null,
                     *       "body": "{\"event\":\"webhook.ping\",\"eventId\":\"evt_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D\",\"tenantId\":\"01J9ZH00000000000000000000\",\"timestamp\":\"2026-03-01T12:00:31.007Z\"}",
                     *       "attempts": [
                     *         {
                     *           "at": "2026-03-01T12:00:31.020Z",
                     *           "statusCode": 503,
                     *           "latencyMs": 31,
                     *           "error": "status",
                     *           "answer": "Come back later"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        eventId: components["schemas"]["EventId"];
                        /** @description Such as `login.verified`; there may be more. */
                        type: string;
                        createdAt: components["schemas"]["Time"];
                        delivery: components["schemas"]["Delivery"];
                        /** @description Its place in the schedule of tries. */
                        failedTries: number;
                        nextTryAt: components["schemas"]["TimeOrNull"];
                        deliveredAt: components["schemas"]["TimeOrNull"];
                        failedAt: components["schemas"]["TimeOrNull"];
                        /** @description What is posted: these bytes are signed. */
                        body: string;
                        attempts: components["schemas"]["WebhookAttempt"][];
                    };
                };
            };
            /** @description The address is malformed: `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description This tenant has no such event: `event_not_found`. */
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    resendWebhookEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Browsers send it by themselves; it must be this service's own origin.
                 * @example https://auth.example.com
                 */
                Origin: components["parameters"]["Origin"];
            };
            path: {
                /**
                 * @description An event's `eventId`.
                 * @example evt_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                eventId: components["parameters"]["EventPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "eventId": "evt_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D",
                     *       "type": "login.verified",
                     *       "createdAt": "2026-03-01T12:00:31.007Z",
                     *       "delivery": "delivered",
                     *       "failedTries": 0,
                     *       "nextTryAt": null,
                     *       "deliveredAt": "2026-03-01T12:00:31.120Z",
                     *       "failedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookEvent"];
                };
            };
            /** @description There is no endpoint: `no_endpoint`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description Another site asked: `origin_mismatch`. */
            403: components["responses"]["Forbidden"];
            /** @description This tenant has no such event: `event_not_found`. */
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
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
            /** @description The document, as OpenAPI 3.1. */
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
                 * @description The language that the person chooses for all pages: `fr` or `en`. Another value chooses nothing.
                 * @example en
                 */
                lang?: components["parameters"]["Lang"];
                /**
                 * @description The theme that the person chooses for all pages: `light` or `dark`. Another value chooses nothing.
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
    getSignedOutPage: {
        parameters: {
            query?: {
                /**
                 * @description The language that the person chooses for all pages: `fr` or `en`. Another value chooses nothing.
                 * @example en
                 */
                lang?: components["parameters"]["Lang"];
                /**
                 * @description The theme that the person chooses for all pages: `light` or `dark`. Another value chooses nothing.
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
                 * @description The language that the person chooses for all pages: `fr` or `en`. Another value chooses nothing.
                 * @example en
                 */
                lang?: components["parameters"]["Lang"];
                /**
                 * @description The theme that the person chooses for all pages: `light` or `dark`. Another value chooses nothing.
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
                 * @description What to search for, in codes, statuses, and texts.
                 * @example rate
                 */
                q?: string;
                /**
                 * @description The language that the person chooses for all pages: `fr` or `en`. Another value chooses nothing.
                 * @example en
                 */
                lang?: components["parameters"]["Lang"];
                /**
                 * @description The theme that the person chooses for all pages: `light` or `dark`. Another value chooses nothing.
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
            /** @description The page that `docs_url` leads to. */
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
                 * @description What to search for: the sections of the documentation that have all of these words.
                 * @example webhook
                 */
                q?: string;
                /**
                 * @description The language that the person chooses for all pages: `fr` or `en`. Another value chooses nothing.
                 * @example en
                 */
                lang?: components["parameters"]["Lang"];
                /**
                 * @description The theme that the person chooses for all pages: `light` or `dark`. Another value chooses nothing.
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
            /** @description The contents, or what the search has found. */
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
                 * @description The language that the person chooses for all pages: `fr` or `en`. Another value chooses nothing.
                 * @example en
                 */
                lang?: components["parameters"]["Lang"];
                /**
                 * @description The theme that the person chooses for all pages: `light` or `dark`. Another value chooses nothing.
                 * @example dark
                 */
                theme?: components["parameters"]["Theme"];
            };
            header?: never;
            path: {
                /**
                 * @description The page's path; it may hold slashes.
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
            404: components["responses"]["NotFoundPage"];
            500: components["responses"]["Internal"];
        };
    };
    getReference: {
        parameters: {
            query?: {
                /**
                 * @description What to search for, in the paths, texts, fields, and error codes of the operations.
                 * @example token
                 */
                q?: string;
                /**
                 * @description The language that the person chooses for all pages: `fr` or `en`. Another value chooses nothing.
                 * @example en
                 */
                lang?: components["parameters"]["Lang"];
                /**
                 * @description The theme that the person chooses for all pages: `light` or `dark`. Another value chooses nothing.
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
                 * @description The language that the person chooses for all pages: `fr` or `en`. Another value chooses nothing.
                 * @example en
                 */
                lang?: components["parameters"]["Lang"];
                /**
                 * @description The theme that the person chooses for all pages: `light` or `dark`. Another value chooses nothing.
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
            404: components["responses"]["NotFoundPage"];
            500: components["responses"]["Internal"];
        };
    };
    getButtonScript: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The script. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "text/javascript": unknown;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            500: components["responses"]["Internal"];
        };
    };
    preflightGetButtonScript: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Preflight"];
            400: components["responses"]["BadRequest"];
            500: components["responses"]["Internal"];
        };
    };
    getButtonStyle: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The style sheet. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "text/css": unknown;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            500: components["responses"]["Internal"];
        };
    };
    preflightGetButtonStyle: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Preflight"];
            400: components["responses"]["BadRequest"];
            500: components["responses"]["Internal"];
        };
    };
    getLogo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The hash of the picture, from a page.
                 * @example 2i2MH1CO4OClwi_7ENveDtFcJQO2_m3qUwS2SeCpu1c
                 */
                hash: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The picture. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "image/png": unknown;
                    "image/jpeg": unknown;
                    "image/webp": unknown;
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getStaticFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The file's path; it may hold slashes.
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
