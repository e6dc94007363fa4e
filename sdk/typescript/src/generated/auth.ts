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
         * @description Opens a login that lasts 90 seconds, sets the browser's session cookie, and redirects to the waiting page. Griot never sends errors to `redirect_uri`.
         *     It returns them here as JSON, or as a page with the same details if `Accept` includes `text/html`.
         */
        get: operations["authorize"];
        put?: never;
        /**
         * Start a login with a form
         * @description Accepts an OpenID Connect request whose parameters are too long for a URL or shouldn't be in one. It redirects to the same request by GET and doesn't
         *     start a login. Without the scope `openid`, this method isn't allowed.
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
         * @description Shows the words, the link that opens WhatsApp, and its QR code. The page polls `/authorize/status` every two seconds. If the request has the cookie of
         *     a pending login and no other parameter, the page contains the words. For all other requests, the page is the same, and its script reads the login's ID
         *     from the URL.
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
         * @description Activates a login when the person opens the link. This step is optional, because a message can also prove a login that was never activated. Repeated
         *     calls return the same response. Only pages of this service can call this endpoint, in the browser that holds the session cookie.
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
         * @description Returns the status of a login. Poll every two seconds with the session cookie of the browser that called `/authorize`.
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
         * @description Streams server-sent events to the waiting page: `event: status` with a [Status](#/components/schemas/Status) in `data`, immediately and after each
         *     change, and a comment every 15 seconds. The stream ends with the login, or when the service stops. `retry` gives the time to wait before you
         *     reconnect. The stream only makes changes visible sooner, so continue to poll `/authorize/status`. The number of streams is limited. Additional streams
         *     are rejected with 429.
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
         * @description Shows the words, the remaining time, and the link or the sandbox. The page reloads every five seconds. After the login is proved, it sends the browser
         *     to `redirect_uri`. If scripts don't run, `/waiting.html` leads to this page.
         */
        get: operations["getPlainWaitingPage"];
        put?: never;
        /**
         * Submit the waiting page without JavaScript
         * @description Activates a login, proves it in the sandbox, or holds it in the sandbox as if a person with a hidden number had sent its words, with a form. The rules are the same as for `/authorize/activate` and `/authorize/sandbox`.
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
         * @description Activates the login and opens WhatsApp with the words filled in. The browser must prove that a person followed the link on a page of this service,
         *     with `Sec-Fetch-Site: same-origin`, or, without fetch metadata, with `Origin` or `Referer`. All other requests lead to the plain page and change
         *     nothing. Examples are a browser that preloads pages, a link on another site, a typed URL, and a request without any of these headers. The same applies
         *     to a login without a `deeplink`.
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
         * Return to the application with a form
         * @description Posts `code` or `error`, `state` if the request had it, and `iss`, to the application's `redirect_uri`, with a script or a button. This page is for logins with
         *     `response_mode=form_post`. For other logins, and after the code was exchanged, it redirects to the plain page.
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
         * @description Redirects to `/authorize` with the parameters of the login. If the login hasn't expired, it redirects to the plain page. If the login was started with
         *     `id_token_hint`, it redirects to the application.
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
         * @description Returns the numbers of a login. The waiting page calls it once at the start and once at the end. It shares the rate limit of the polls of
         *     `/authorize/status`.
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
         * @description Returns a QR code of `/q/{code}`, for a person who opens the waiting page on a computer and scans it with their phone. If the login's `deeplink` is
         *     null, it has no QR code.
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
         * Open the URL of a login's QR code
         * @description Redirects to the login's `deeplink`. Anyone who has the code can call it. The code is shown on the waiting page of one browser and is valid for 90
         *     seconds. The call changes nothing and shows nothing else.
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
         * @description Proves a TEST login with a fictional number. Numbers that end in 001 to 009 have a display name, and the number that ends in 099 has none. If you send
         *     the same number again, the response reports a duplicate. If you send another number, the login is closed, as it is when two phones send the same
         *     words.
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
         * @description Exchanges an authorization code for a token. You can exchange a code once, within 60 seconds after it was first returned to the browser. If the client
         *     sends the code again with the same redirect URI, Griot revokes the token that was issued for it. `/oauth2/token` does the same and responds with 200,
         *     which some OAuth libraries require. Pages of any site can call both endpoints without browser credentials, because no cookie is read.
         */
        post: operations["exchangeCode"];
        delete?: never;
        /**
         * Respond to a preflight request for the token endpoint
         * @description Responds to the preflight request that a browser sends automatically before a page of another site can call the endpoint.
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
         * @description Exchanges an authorization code for a token. This is the token endpoint in the metadata. It works like `/token` but responds with the status that RFC
         *     6749 requires. A client that authenticates with HTTP Basic can omit `client_id` from the body.
         */
        post: operations["exchangeCodeOAuth"];
        delete?: never;
        /**
         * Respond to a preflight request for the token endpoint (RFC 6749)
         * @description Responds to the preflight request that a browser sends automatically before a page of another site can call the endpoint.
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
         * @description Revokes a token that was issued to the calling client. The client authenticates as it does for the exchange. A PUBLIC client sends only its
         *     `client_id`. For an invalid, expired, or already revoked token, the response is the same as for a token that was revoked now. Pages of any site can
         *     call this endpoint without browser credentials. A server that verifies tokens only with the public keys doesn't learn of the revocation. Use
         *     `/oauth2/introspect` to check.
         */
        post: operations["revokeToken"];
        delete?: never;
        /**
         * Respond to a preflight request for the revocation endpoint
         * @description Responds to the preflight request that a browser sends automatically before a page of another site can call the endpoint.
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
         * @description Returns whether a token is valid, for the CONFIDENTIAL client that it was issued to. The response contains only `active: false` if the token belongs
         *     to another client, is expired or revoked, was signed with a withdrawn key, or isn't a token.
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
         * Get the person of an access token
         * @description Returns the current data of the person that an access token was issued for. This is the userinfo endpoint of OpenID Connect, for access tokens of
         *     logins with the scope `openid`. Pages of any site can call it without browser credentials.
         */
        get: operations["getUserInfo"];
        put?: never;
        /**
         * Get the person of an access token with a form
         * @description Returns the same data as the GET request. Send the access token in the form or in `Authorization`, but not in both.
         */
        post: operations["postUserInfo"];
        delete?: never;
        /**
         * Respond to a preflight request for the userinfo endpoint
         * @description Responds to the preflight request that a browser sends automatically before a page of another site can call the endpoint.
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
         * @description Signs a person out with OpenID Connect (`end_session_endpoint`). The ID token is the credential, and no cookie is read. The access token of its login
         *     is revoked, and the browser returns to the application. If the login is no longer stored, nothing is revoked, but the browser still returns. Without a
         *     valid ID token, no one is signed out, and the browser isn't redirected.
         */
        get: operations["signOut"];
        put?: never;
        /**
         * Sign a person out with a form
         * @description Signs a person out in the same way as the GET request.
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
         * Prove a login with a received message
         * @description Proves the login whose words a gateway received. This endpoint is available only on the loopback interface. Never put it behind a public proxy. The
         *     signature covers the raw bytes of the body and is checked before the body is parsed. If the same message or the same phone is reported again, the
         *     response reports a duplicate.
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
         * @description Returns the current signing key, the previous key while its tokens can be valid, and the next key.
         */
        get: operations["getKeys"];
        put?: never;
        post?: never;
        delete?: never;
        /**
         * Respond to a preflight request for the signing keys
         * @description Responds to the preflight request that a browser sends automatically before a page of another site can call the endpoint.
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
         * @description Returns the endpoints and capabilities of this service for OAuth libraries. `issuer` is the issuer of tokens and the value of `iss`.
         */
        get: operations["getMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        /**
         * Respond to a preflight request for the metadata
         * @description Responds to the preflight request that a browser sends automatically before a page of another site can call the endpoint.
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
         * Get the OpenID Connect metadata
         * @description Returns the endpoints and capabilities of this service for OpenID Connect libraries.
         */
        get: operations["getOpenIDMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        /**
         * Respond to a preflight request for the OpenID Connect metadata
         * @description Responds to the preflight request that a browser sends automatically before a page of another site can call the endpoint.
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
         * @description Opens a dashboard session of one hour in the browser. A key can be used until it expires or is revoked, unless it was created for one use. Only pages
         *     of this service can call this endpoint.
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
         * @description Ends the session immediately. No copy of its cookie works afterward.
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
         * @description Returns the tenant, its clients in the order of their creation, and in `events` the 50 most recent events, newest first. Anyone can cause any number
         *     of login starts and failed sign-ins, so these are combined into one event per minute and client. `count` is their number, `firstAt` is the time of the
         *     first, and `at` is the time of the latest. Events are redacted when they are recorded: a phone number keeps its first and last three digits, and an IP
         *     address keeps its network.
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
         * @description Returns events, newest first, redacted as in the overview. `nextCursor` is null on the last page. If an event's count increases while you read pages,
         *     the event moves to the front, so no page returns it again. All other events keep their order.
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
         * @description Returns the number of logins that reached each step in the last 30 days. The counts are per UTC day, and the last day is today. `opened` counts the
         *     logins whose page opened WhatsApp. It doesn't include people who scan the QR code. At most the latest 20,000 events of each step are counted. If there
         *     are more, `complete` is false.
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
         * @description Creates a client, which works immediately. The secret is shown only in this response. A PUBLIC client has no secret. A redirect URI must use `https`,
         *     with two exceptions. It can use `http` for the loopback hosts `127.0.0.1`, `[::1]`, and `localhost`, and, for TEST clients, for addresses of private
         *     networks (10/8, 172.16/12, 192.168/16, fc00::/7). For PUBLIC clients, it can use the application's own scheme, which is a reversed domain name (RFC
         *     8252). It can't have a wildcard, a fragment, or credentials.
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
         * @description Replaces two fields of a client. Both fields are required, and nothing else of the client changes. A disabled client can't start logins (400
         *     `client_inactive`) or get tokens (401 `client_inactive`). The change takes effect immediately on the node that responds and within 30 seconds on the
         *     others.
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
         * @description Creates a new secret, which is shown only in this response. The old secret stops working immediately on every node.
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
         * Show a client's OpenID Connect settings
         * @description Returns a client's settings for OpenID Connect and native applications, and the delivery state of logout tokens.
         */
        get: operations["getClientConnect"];
        /**
         * Replace a client's OpenID Connect settings
         * @description Replaces all these settings of a client. Omitted settings are removed. If the URL for logout tokens was disabled, it is enabled again.
         *
         *     A change of `emailDomain` or `preferredUsername` gives everyone another account in programs that know people by it. So the request must name the stored
         *     value in `replacesEmailDomain` or `replacesPreferredUsername`.
         */
        put: operations["replaceClientConnect"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a tenant's domains
         * @description Returns the tenant's domains for email addresses in alphabetical order, with the TXT records that prove them.
         */
        get: operations["listDomains"];
        put?: never;
        /**
         * Add a domain
         * @description Adds a domain, with a new TXT record to prove it. If the tenant already has the domain, the response is 200 with the domain as it is. A tenant can have
         *     20 domains.
         */
        post: operations["addDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/domains/{domain}": {
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
         * Remove a domain
         * @description Removes a domain and its proof. Another tenant can then prove it. Clients keep the domain, but `email_verified` is no longer true. You can repeat the
         *     request. `removed` is false if the tenant doesn't have the domain.
         */
        delete: operations["removeDomain"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/domains/{domain}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a domain
         * @description Looks up the TXT record of a domain, for at most 5 seconds, and stores the proof. If another tenant has proven the domain and its record is gone, the new
         *     proof replaces it. A proof stays until the domain is removed or another tenant replaces the proof. You can repeat the request, 10 times a minute.
         */
        post: operations["verifyDomain"];
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
         * @description Returns the people who have signed in, newest first, with masked numbers. `phone` finds the people with a number, at most one in each mode.
         *     `nextCursor` is null on the last page.
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
         * @description Returns all data that the tenant stores about a person, with the full number. Each export is recorded in the event `person.exported`, which doesn't
         *     name the person. The response contains at most the latest 10,000 events. If there are more, `complete` is false.
         */
        get: operations["exportPerson"];
        put?: never;
        post?: never;
        /**
         * Erase a person's data
         * @description Deletes the data that the tenant stores about a person: the profile, the logins, and the events for its webhook endpoint, whether delivered or not.
         *     Audit events are kept for the statistics, without the number and the network. The person's tokens stop being valid immediately, and the person's next
         *     login creates a new profile. You can repeat the request. `erased` is false if the person doesn't exist or was already erased.
         */
        delete: operations["erasePerson"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/people/{id}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a person to their new number
         * @description Gives a person the new number that WhatsApp has reported. The person keeps the ID, so the next login with the new number has the same subject. The next
         *     login with the old number creates a new profile. The logins of the old number that are in progress end, and its tokens stop being valid
         *     immediately. You can't undo this.
         */
        post: operations["movePerson"];
        delete?: never;
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
         * @description Returns the name that people see when they sign in, and the color of the page.
         */
        get: operations["getAppearance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update the appearance of the waiting page
         * @description Updates the fields in the request. Omitted fields stay unchanged. Each accent has one shade for light pages and one for dark pages, so that text stays
         *     readable. The change takes effect immediately on the node that responds and within 30 seconds on the others.
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
         * @description Returns the endpoint that receives login events, and its delivery state. The operator sets the endpoint's URL.
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
         * @description Enables the endpoint after it was disabled because it failed for days or no longer exists. Pending events are then delivered. An endpoint that is
         *     already enabled doesn't change.
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
         * @description Creates a new secret, which is shown only in this response. For 24 hours, deliveries are signed with both the old and the new secret.
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
         * @description Sends a `webhook.ping` event to the endpoint.
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
         * @description Returns events of the last 30 days, newest first. With `delivery`, a page can be short or empty even if it isn't the last page. `nextCursor` is null
         *     on the last page.
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
         * @description Returns an event with the posted body and the result of each attempt. Attempts are in reverse order, at most 100.
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
         * @description Sends an event again immediately, under the same ID and regardless of its delivery state. The earlier attempts are kept.
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
    "/signed-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the signed-out page
         * @description Shows the page that confirms a sign-out without a URL to return to.
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
    "/button.js": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the button's script
         * @description Returns the script of the "Sign in by message" button, for pages of any site. The script turns each link with the class `griot-button` into the button
         *     and writes its text in the page's language. The URL doesn't change between releases.
         */
        get: operations["getButtonScript"];
        put?: never;
        post?: never;
        delete?: never;
        /**
         * Respond to a preflight request for the button's script
         * @description Responds to the preflight request that a browser sends automatically before a page of another site can call the endpoint.
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
         * Get the button's style sheet
         * @description Returns the style sheet of the "Sign in by message" button, for pages of any site. The URL doesn't change between releases.
         */
        get: operations["getButtonStyle"];
        put?: never;
        post?: never;
        delete?: never;
        /**
         * Respond to a preflight request for the button's style sheet
         * @description Responds to the preflight request that a browser sends automatically before a page of another site can call the endpoint.
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
         * Get a tenant's logo
         * @description Returns the image that a tenant uploaded in its dashboard, as shown on its waiting pages. The URL changes with the image, so browsers can cache it
         *     permanently. Pages of other sites can't show it.
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
        /** @description An ID of 26 characters in Crockford's base32. */
        Id26: string;
        /**
         * @description The mode of a client. LIVE logins are proved by real messages. TEST logins can also be proved in the sandbox.
         * @enum {string}
         */
        Mode: "LIVE" | "TEST";
        /**
         * @description The health of the service.
         * @enum {string}
         */
        Health: "ok" | "unavailable";
        /** @description A response without further data. */
        Ok: {
            /** @description Always true. */
            ok: boolean;
        };
        /** @description The body of every error. */
        Error: {
            error: components["schemas"]["OAuthError"];
            error_code: components["schemas"]["ErrorCode"];
            /** @description A sentence for people. It never repeats submitted values. */
            error_description: string;
            /**
             * Format: uri
             * @description The URL of the explanation of this code.
             */
            docs_url: string;
            request_id: components["schemas"]["Id26"];
        };
        /**
         * @description The error value for OAuth libraries.
         * @enum {string}
         */
        OAuthError: "invalid_request" | "invalid_client" | "invalid_grant" | "access_denied";
        /**
         * @description A stable error code. A code never changes its meaning and is never reused.
         * @enum {string}
         */
        ErrorCode: "missing_parameter" | "malformed_parameter" | "invalid_json" | "unsupported_media_type" | "body_too_large" | "unsupported_response_type" | "unsupported_grant_type" | "openid_request" | "sign_out_request" | "state_length" | "state_required" | "pkce_required" | "pkce_method" | "redirect_uri_mismatch" | "login_unknown" | "login_not_pending" | "login_expired" | "sandbox_live_client" | "sandbox_number" | "timestamp_skew" | "receiver_mismatch" | "words_mismatch" | "message_replayed" | "unknown_client" | "client_inactive" | "no_endpoint" | "client_is_public" | "too_many_clients" | "too_many_domains" | "code_unknown" | "code_expired" | "code_already_used" | "code_client_mismatch" | "code_redirect_mismatch" | "pkce_mismatch" | "pkce_unexpected" | "token_client_mismatch" | "client_auth_failed" | "client_secret_missing" | "client_not_confidential" | "session_missing" | "session_expired" | "dashboard_missing" | "dashboard_expired" | "invitation_invalid" | "signature_missing" | "signature_invalid" | "token_missing" | "token_invalid" | "insufficient_scope" | "origin_mismatch" | "session_mismatch" | "client_not_found" | "endpoint_disabled" | "not_loopback" | "phone_conflict" | "person_mismatch" | "not_found" | "person_not_found" | "event_not_found" | "domain_not_found" | "number_not_reported" | "number_taken" | "domain_not_proven" | "domain_taken" | "domain_record_missing" | "replaces_mismatch" | "method_not_allowed" | "rate_limited" | "internal" | "storage_unavailable" | "too_many_logins" | "no_login_number" | "domain_lookup_failed";
        /**
         * Format: date-time
         * @description A time in UTC with milliseconds. Null if it hasn't happened yet.
         */
        TimeOrNull: string | null;
        /**
         * Format: date-time
         * @description An ISO 8601 time in UTC, always with milliseconds.
         * @example 2026-03-01T12:01:30.000Z
         */
        Time: string;
        /** @description The state of a login, as shown to the browser that started it. */
        Status: {
            id: components["schemas"]["Id26"];
            /**
             * @description The status of the login. PENDING until the person requests the link (ACTIVATED, which can be skipped) and sends the words (VERIFIED). CONSUMED after
             *     the application has its token. EXPIRED if the login wasn't proved in time or was ended.
             * @enum {string}
             */
            status: "PENDING" | "ACTIVATED" | "VERIFIED" | "CONSUMED" | "EXPIRED";
            mode: components["schemas"]["Mode"];
            /** @description The words that the person must send. */
            matchingWords: string;
            /** @description The end of the time to send the words. */
            expiresAt: components["schemas"]["Time"];
            /** @description The service's time, to compare with `expiresAt`. */
            serverTime: components["schemas"]["Time"];
            /** @description The name of the tenant that owns the application. */
            tenantName: string;
            /**
             * @description The reason that the login is held although a message has arrived. WhatsApp hides the number of the person who sent the words, the service has asked
             *     that person for the number in WhatsApp, or a message that could not be read has arrived at the receiving number, from anyone. Absent if the login
             *     isn't held. Further reasons might be added.
             * @enum {string}
             */
            held?: "number_hidden" | "number_requested" | "message_unreadable";
            /**
             * @description The reason that the login is EXPIRED, if it didn't time out. Two phones sent its words, the person canceled it with a message, invalid exchanges
             *     invalidated its code, or the application was disabled or no longer has the redirect URI.
             * @enum {string}
             */
            endedBy?: "second_phone" | "person" | "wrong_codes" | "client" | "other_person";
            /**
             * Format: uri
             * @description The URL that returns the browser to the application. Once VERIFIED, it has `code`, `state` if the request had it, and `iss`, and is the same at every poll. If EXPIRED, it
             *     has an OAuth error whose `error_description` explains the reason. If the application was disabled or no longer has the redirect URI, the browser can't
             *     return.
             */
            redirectUrl?: string;
        };
        /** @description A request to exchange a code. */
        TokenRequest: {
            /**
             * @description The grant type. You can omit it, because only one type is supported.
             * @constant
             */
            grant_type?: "authorization_code";
            code: components["schemas"]["Id26"];
            /** @description The application's public identifier. */
            client_id: string;
            /** @description The client's secret. Only for CONFIDENTIAL clients. */
            client_secret?: string;
            /** @description The verifier of the `code_challenge` that was sent to `/authorize`. */
            code_verifier?: string;
            /**
             * Format: uri
             * @description The redirect URI that the login was started with.
             */
            redirect_uri: string;
        };
        /** @description A request to exchange a code, as defined in RFC 6749. */
        OAuthTokenRequest: {
            /**
             * @description The grant type. You can omit it, because only one type is supported.
             * @constant
             */
            grant_type?: "authorization_code";
            code: components["schemas"]["Id26"];
            /** @description The client's public identifier. Required unless the client authenticates with HTTP Basic. */
            client_id?: string;
            /** @description The client's secret. Only for CONFIDENTIAL clients. */
            client_secret?: string;
            /** @description The verifier of the `code_challenge` that was sent to `/authorize`. */
            code_verifier?: string;
            /**
             * Format: uri
             * @description The redirect URI that the login was started with.
             */
            redirect_uri: string;
        };
        /** @description A token and the client that asks about it. */
        TokenQuery: {
            /** @description The token. */
            token: string;
            /** @description Ignored, because only one type of token exists. */
            token_type_hint?: string;
            /** @description The client's public identifier. Required unless the client authenticates with HTTP Basic. */
            client_id?: string;
            /** @description The client's secret. Only for CONFIDENTIAL clients. */
            client_secret?: string;
        };
        /** @description The state of a token. For a token that isn't valid, it contains only `active`. */
        Introspection: {
            /** @description Whether the token is valid now. */
            active: boolean;
            /**
             * Format: uri
             * @description The issuer, which is this service.
             */
            iss?: string;
            sub?: components["schemas"]["Id26"];
            /** @description The audience: the `client_id` of the application. */
            aud?: string;
            /** @description The client that the token was issued to. */
            client_id?: string;
            /**
             * Format: int64
             * @description The expiration time in Unix seconds. The next two fields have the same unit.
             */
            exp?: number;
            /**
             * Format: int64
             * @description The time of issue.
             */
            iat?: number;
            /**
             * Format: int64
             * @description The time before which the token isn't valid.
             */
            nbf?: number;
            jti?: components["schemas"]["Id26"];
            /** @constant */
            token_type?: "Bearer";
            /** @description The scopes of a login with `openid`. Absent for other logins. */
            scope?: string;
        };
        /** @description A token and the person who signed in. */
        TokenResponse: {
            /** @description A signed JWT (RS256, `typ` at+jwt). */
            token: string;
            /** @description The value of `token`, under OAuth's name. */
            access_token: string;
            /** @constant */
            token_type: "Bearer";
            /**
             * @description The lifetime of the token in seconds.
             * @constant
             */
            expires_in: 900;
            /** @description The token's `sub`, which is the profile's ID. */
            subject: string;
            issued_at: components["schemas"]["Time"];
            profile: components["schemas"]["Profile"];
            /** @description A signed JWT (RS256, `typ` JWT) about the login. Present only with the scope `openid`. */
            id_token?: string;
            /** @description The granted scopes. Present only with the scope `openid`. */
            scope?: string;
        };
        /** @description The data of a person that an access token with the scope `openid` can read. */
        UserInfo: {
            sub: components["schemas"]["Id26"];
            /** @description The person's number, with the scope `phone`. */
            phone_number?: string;
            /**
             * @description Always true, because the number sent the words of the login. Present with the scope `phone`.
             * @constant
             */
            phone_number_verified?: true;
            /** @description The person's name, with the scope `profile`. Present if the name is known. */
            name?: string;
            /**
             * Format: email
             * @description An address made from the subject and the client's domain, with the scope `email`. Present only for a client with a domain. No mail has to arrive there.
             */
            email?: string;
            /** @description As the client's settings say. False if the tenant hasn't proven the domain. Present only with `email`. */
            email_verified?: boolean;
            /** @description A user name, with the scope `profile`. It never changes for a person while the client's settings stay. Present only for a client with this setting. */
            preferred_username?: string;
        };
        /** @description A person as known to one tenant. Verify the token before you trust the profile. */
        Profile: {
            id: components["schemas"]["Id26"];
            tenant_id: components["schemas"]["Id26"];
            /** @description The number in digits, without a plus sign. */
            phone_e164: string;
            /** @description The display name that the person uses. Null if it isn't known. */
            display_name: string | null;
            /**
             * @description The channel through which the person proved their identity.
             * @enum {string}
             */
            provider: "whatsapp" | "sandbox";
            mode: components["schemas"]["Mode"];
            first_seen_at: components["schemas"]["Time"];
            /** @description Always empty for now. Fields might be added. */
            metadata: {
                [key: string]: unknown;
            };
        };
        /** @description A message with the words of a login, as a gateway received it. */
        Verify: {
            loginKeyId: components["schemas"]["Id26"];
            /** @description The number that sent the message. */
            phoneE164: string;
            /** @description The display name that the person uses. */
            displayName?: string | null;
            /** @description The provider's message ID. One message can prove one login. */
            messageId: string;
            /**
             * Format: int64
             * @description The Unix time in milliseconds. It must be within 60 seconds of the service's clock.
             */
            timestamp: number;
            /** @description The ID of the number that received the message. */
            receiverPhoneId: string;
            /** @description The text of the message. Case, accents, punctuation, and additional text around the words are ignored. */
            matchingWords: string;
        };
        /** @description A company whose applications let people sign in. */
        Tenant: {
            id: components["schemas"]["Id26"];
            /** @description The name that people see on the waiting page. */
            name: string;
        };
        /**
         * @description Whether the application can keep a secret.
         * @enum {string}
         */
        ClientType: "PUBLIC" | "CONFIDENTIAL";
        /** @description The public identifier for `/authorize` and `/token`. */
        ClientId: string;
        /**
         * @description The exact redirect URIs that `/authorize` and `/token` accept. A port must be from 1 to 65535, and the query can't contain `code`, `state`, `iss`, or
         *     `error`.
         */
        RedirectUris: string[];
        /** @description An application of a tenant. */
        OAuthClient: {
            id: components["schemas"]["Id26"];
            tenantId: components["schemas"]["Id26"];
            clientId: components["schemas"]["ClientId"];
            type: components["schemas"]["ClientType"];
            mode: components["schemas"]["Mode"];
            redirectUris: components["schemas"]["RedirectUris"];
            /** @description Whether the client can start logins and get tokens. */
            active: boolean;
        };
        /** @description An event, redacted. Unknown or inapplicable fields are null. Further types might be added. */
        Event: {
            id: components["schemas"]["Id26"];
            /** @description The event type, such as `login.verified`. */
            type: string;
            /** @description The time of the event. If the event stands for several, the time of the latest. */
            at: components["schemas"]["Time"];
            /**
             * @description The actor: the person who signs in, the application, a member at the dashboard, the operator, or the gateway that reported the change.
             * @enum {string}
             */
            actor: "user" | "client" | "tenant" | "system" | "gateway";
            /** @description The client's public identifier. */
            clientId: string | null;
            /** @description The ID of the login. */
            loginId: string | null;
            /** @description The mode of the client. */
            mode: ("LIVE" | "TEST") | null;
            /**
             * @description Whether the action was performed or denied.
             * @enum {string}
             */
            result: "ok" | "denied";
            /** @description The reason for the denial, as an `error_code`. */
            errorCode: string | null;
            /** @description The masked number. */
            phone: string | null;
            /** @description The network that the request came from. */
            ip: string | null;
            /** @description The `X-Request-Id` of the request that caused the event. */
            requestId: string | null;
            /** @description The number of events that this one stands for, if more than one: `login.started` or `dashboard.login_failed` events of one client and minute, from `firstAt` to `at`. Fields whose values differ between these events are null. */
            count?: number;
            /** @description The time of the first of these events. Present only with `count`. */
            firstAt?: components["schemas"]["Time"];
            /**
             * @description Why the number of a person was known although WhatsApp hid it in their message. An earlier message had shown it with the same WhatsApp ID (`paired`), or the person shared it on request (`shared`). Absent for others.
             * @enum {string}
             */
            numberSource?: "paired" | "shared";
        };
        /** @description A person who has signed in, as known to a tenant in one mode. */
        Person: {
            id: components["schemas"]["Id26"];
            mode: components["schemas"]["Mode"];
            /** @description The masked number. Null after the number was detached from the person. */
            phone: string | null;
            /** @description The display name that the person uses. */
            displayName: string | null;
            firstSeenAt: components["schemas"]["Time"];
            lastSeenAt: components["schemas"]["Time"];
            /** @description The time at which the number was detached from the person. Null while it belongs to them. */
            detachedAt: components["schemas"]["TimeOrNull"];
            /** @description The masked number that the person now has, as reported by WhatsApp. Absent if no other number is reported. */
            newPhone?: string;
            /** @description The time of this report. Present only with `newPhone`. */
            numberChangedAt?: components["schemas"]["Time"];
            /** @description The user name by the name for applications. Absent before its first use. */
            preferredUsername?: string;
        };
        /** @description The appearance of a tenant's waiting page. */
        Appearance: {
            /** @description The name that people see on the waiting page. */
            name: string;
            /** @description The color of the waiting page. Null for the standard color. */
            accent: string | null;
            /** @description The colors that you can choose. */
            accents: string[];
        };
        /** @description The endpoint that receives login events, and its delivery state. */
        Webhook: {
            webhook: components["schemas"]["WebhookState"] | null;
        };
        /** @description A URL to which the service posts, and its delivery state. */
        WebhookState: {
            /**
             * Format: uri
             * @description The URL.
             */
            url: string;
            /** @description Whether the URL is enabled. While it is false, deliveries stay pending. */
            enabled: boolean;
            disabledAt: components["schemas"]["TimeOrNull"];
            /** @description The reason that the URL is disabled: it responded with 410, it failed for five days, or the operator disabled it. */
            disabledReason: ("gone" | "failing" | "operator") | null;
            pausedUntil: components["schemas"]["TimeOrNull"];
            failingSince: components["schemas"]["TimeOrNull"];
            lastSuccessAt: components["schemas"]["TimeOrNull"];
            lastFailureAt: components["schemas"]["TimeOrNull"];
            /** @description The status code of the latest response. */
            lastStatusCode: number | null;
            /** @description The number of pending deliveries. 1001 means more than 1,000. */
            pending: number;
            previousSecretUntil: components["schemas"]["TimeOrNull"];
        };
        /** @description A client's settings for OpenID Connect and native applications. */
        ClientConnect: {
            postLogoutRedirectUris: components["schemas"]["PostLogoutRedirectUris"];
            /** @description The URL that receives logout tokens. */
            backchannelLogoutUri: string | null;
            stateOptional: components["schemas"]["StateOptional"];
            anyLoopbackPort: components["schemas"]["AnyLoopbackPort"];
            /** @description The domain of the claim `email`, in lower-case A-labels. Null for no claim. */
            emailDomain: string | null;
            /** @description Null without a domain. */
            emailDomainState: components["schemas"]["DomainState"] | null;
            emailVerified: components["schemas"]["EmailVerified"];
            /** @description The form of the claim `preferred_username`. Null for no claim. */
            preferredUsername: components["schemas"]["UsernameForm"] | null;
            backchannelLogout: components["schemas"]["WebhookState"] | null;
        };
        /** @description Whether OpenID Connect requests can lack `state`, `nonce`, and `code_challenge`. Only for CONFIDENTIAL clients. */
        StateOptional: boolean;
        /** @description Whether requests can have any port of a registered `http` redirect URI of 127.0.0.1 or [::1]. Only for PUBLIC clients. */
        AnyLoopbackPort: boolean;
        /**
         * @description Whether the tenant has proven a domain. With `taken`, another tenant has, and no address is returned.
         * @enum {string}
         */
        DomainState: "unproven" | "proven" | "taken";
        /**
         * @description The form of `preferred_username`: the subject in lowercase, or the name with a part of the subject.
         * @enum {string}
         */
        UsernameForm: "sub" | "name";
        /** @description The claim `email_verified`. Null for no claim. True needs a domain that the tenant has proven, and is false without the proof. */
        EmailVerified: boolean | null;
        /** @description A tenant's domain for email addresses. */
        Domain: {
            /** @description The domain, in lower-case A-labels. */
            domain: string;
            /** @description The DNS record that proves the domain. */
            record: {
                /** @constant */
                type: "TXT";
                name: string;
                value: string;
            };
            createdAt: components["schemas"]["Time"];
            /** @description The time of the proof. Null while the domain isn't proven. */
            verifiedAt: components["schemas"]["TimeOrNull"];
            /** @description The time when another tenant's proof replaced this tenant's. Null for never. */
            lostAt: components["schemas"]["TimeOrNull"];
        };
        /** @description The URLs that the browser can return to after sign-out. They must match exactly and meet the rules for redirect URIs. */
        PostLogoutRedirectUris: string[];
        /** @description An event for delivery to the endpoint. */
        WebhookEvent: {
            eventId: components["schemas"]["EventId"];
            /** @description The event type, such as `login.verified`. Further types might be added. */
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
        WebhookAttempt: {
            at: components["schemas"]["Time"];
            /** @description The status code of the response. Null if there was no response. */
            statusCode: number | null;
            /** @description The response time in milliseconds. */
            latencyMs: number;
            /** @description The error. Null if the event was delivered. */
            error: string | null;
            /** @description The first KiB of the response. */
            answer: string;
        };
        /**
         * @description The delivery state of an event.
         * @enum {string}
         */
        Delivery: "pending" | "delivered" | "failed" | "not_sent";
        /** @description The event's ID, which is also the `webhook-id` of its deliveries. It is the same for every attempt. */
        EventId: string;
        /** @description The number of logins that reached each step. */
        Steps: {
            /** @description The logins that `/authorize` opened. */
            started: number;
            /** @description The logins whose page opened WhatsApp. */
            opened: number;
            /** @description The logins whose words were received. */
            verified: number;
            /** @description The logins whose code the application exchanged. */
            redeemed: number;
        };
        /** @description A public key, as defined in RFC 7517. */
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
        /** @description The endpoints and capabilities of the service, as defined in RFC 8414. */
        Metadata: {
            /**
             * Format: uri
             * @description The value of `iss`.
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
             * @description The URL of the privacy notice.
             */
            op_policy_uri?: string;
            /**
             * Format: uri
             * @description The URL of the terms of use.
             */
            op_tos_uri?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The endpoints and capabilities of the service, as defined in OpenID Connect Discovery 1.0. */
        OpenIDMetadata: components["schemas"]["Metadata"] & {
            /** Format: uri */
            userinfo_endpoint: string;
            /** Format: uri */
            end_session_endpoint: string;
            scopes_supported: string[];
            /** @description The claims of the ID token. */
            claims_supported: string[];
            /** @description The supported subject types. A person's `sub` differs by tenant and mode. */
            subject_types_supported: string[];
            id_token_signing_alg_values_supported: string[];
            prompt_values_supported: string[];
            claims_parameter_supported: boolean;
            request_parameter_supported: boolean;
            request_uri_parameter_supported: boolean;
            backchannel_logout_supported: boolean;
            /** @description Whether logout tokens contain `sid`. */
            backchannel_logout_session_supported: boolean;
        };
    };
    responses: {
        /** @description The URL set a language or a theme (`lang`, `theme`). Griot stores the choice in a cookie and redirects to the same page without these parameters. */
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
                    /** @description Whether this message or this phone had already proved the login. */
                    duplicate: boolean;
                };
            };
        };
        /** @description The request is allowed. */
        Preflight: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                /**
                 * @description Pages of any site can call this endpoint.
                 * @example *
                 */
                "Access-Control-Allow-Origin": "*";
                "Access-Control-Expose-Headers": components["headers"]["ExposedHeaders"];
                /**
                 * @description The methods that are allowed.
                 * @example POST
                 */
                "Access-Control-Allow-Methods": "GET" | "POST";
                /**
                 * @description The headers that are allowed: `Authorization`, `Content-Type`, and the headers in `Access-Control-Request-Headers`.
                 * @example Authorization, Content-Type, traceparent
                 */
                "Access-Control-Allow-Headers"?: string;
                /**
                 * @description The request headers that the response depends on.
                 * @example Access-Control-Request-Headers
                 */
                Vary?: string;
                /**
                 * @description The number of seconds for which the browser can cache this response.
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
         *     `body_too_large`), or the code can't be exchanged (`code_unknown`, `code_expired`, `code_already_used`, `code_client_mismatch`,
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
        /** @description The client's authentication failed: `client_auth_failed`, `client_secret_missing`, `client_inactive`. */
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
        /** @description The person's data. */
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
        /** @description The person is signed out. The browser is redirected to the application's `post_logout_redirect_uri` with `state`, or to a page of this service. */
        SignedOut: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                /**
                 * @description The target URL.
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
        /** @description The client's settings. */
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
                 *       "stateOptional": false,
                 *       "anyLoopbackPort": false,
                 *       "emailDomain": "people.example.com",
                 *       "emailDomainState": "proven",
                 *       "emailVerified": true,
                 *       "preferredUsername": "name",
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
        /** @description The access token is missing or no longer valid: `token_missing`, `token_invalid`. */
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
        /** @description The access token belongs to a login without the scope openid: `insufficient_scope`. */
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
        /** @description The caller's copy is current. */
        NotModified: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The URL or its query is malformed: `malformed_parameter`. */
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
        /** @description A credential is missing or invalid. */
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
        /** @description The caller isn't allowed to do this. */
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
        /** @description Nothing exists at this URL: `not_found`. */
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
        /** @description Too many requests: `rate_limited`. */
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
        /** @description An internal error occurred: `internal`. */
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
        /** @description The storage isn't available: `storage_unavailable`. */
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
        /** @description The URL or its query is malformed: `malformed_parameter`. */
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
        /** @description This URL doesn't support the method: `method_not_allowed`. */
        MethodNotAllowedPage: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NoStore"];
                /**
                 * @description The supported methods.
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
        /** @description Nothing exists at this URL: `not_found`. */
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
        /** @description A credential is missing or invalid. */
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
        /** @description The caller isn't allowed to do this. */
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
        /** @description Too many requests: `rate_limited`. */
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
        /** @description An internal error occurred: `internal`. */
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
        /** @description The storage isn't available: `storage_unavailable`. */
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
         * @description The request's origin, which browsers send automatically. It must be the origin of this service.
         * @example https://auth.example.com
         */
        Origin: string;
        /**
         * @description The client's `id`, which isn't its `clientId`.
         * @example 01J9ZJ0A1B2C3D4E5F6G7H8J9K
         */
        ClientPath: components["schemas"]["Id26"];
        /**
         * @description The person's `id`, which is the subject of their tokens.
         * @example 01J9ZK4A7B8C9D0E1F2G3H4J5K
         */
        PersonPath: components["schemas"]["Id26"];
        /**
         * @description The domain, as `/manage/domains` shows it.
         * @example people.example.com
         */
        DomainPath: string;
        /**
         * @description The event's `eventId`.
         * @example evt_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
         */
        EventPath: string;
        /**
         * @description The login's ID.
         * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
         */
        LoginKeyId: components["schemas"]["Id26"];
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
         * @description The response must not be cached.
         * @example no-store
         */
        NoStore: string;
        /**
         * @description The time for which the response can be cached.
         * @example public, max-age=300
         */
        Cacheable: string;
        /**
         * @description The entity tag. Send it in `If-None-Match` to get 304 until the content changes.
         * @example "3q2-7wEjRWeJq83v"
         */
        ETag: string;
        /**
         * @description Pages of any site can read this response.
         * @example *
         */
        AnyOrigin: "*";
        /**
         * @description The headers that scripts of any site can read.
         * @example Retry-After, X-Request-Id
         */
        ExposedHeaders: string;
        /**
         * @description The authentication challenge. Present if the client used HTTP Basic.
         * @example Basic realm="griot"
         */
        WWWAuthenticate: string;
        /**
         * @description The problem with the access token (RFC 6750).
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
                 * @description One of the client's registered redirect URIs. It must match exactly. For TEST clients, the port of a loopback address can differ. For PUBLIC clients with `anyLoopbackPort`, the port of an `http` address of 127.0.0.1 or [::1] can.
                 * @example https://shop.example/callback
                 */
                redirect_uri: string;
                /**
                 * @description A random value from the application, returned unchanged. Without the scope `openid`, it is required and must have 16 to 256 characters. With `openid`, it is optional and can have up to 2048. A CONFIDENTIAL client must send `state`, `nonce`, or `code_challenge`, unless its setting `stateOptional` allows none.
                 * @example s8Jq2mZp0aVx4LrT
                 */
                state?: string;
                /** @description The response type. Only the code flow is supported. */
                response_type?: "code";
                /**
                 * @description The base64url-encoded SHA-256 hash of the application's `code_verifier` (RFC 7636). Required for PUBLIC clients.
                 * @example E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
                 */
                code_challenge?: string;
                /**
                 * @description The requested scopes. With `openid`, the request is an OpenID Connect request, and the exchange also returns an ID token. `profile` adds the name, and `phone` adds the number. Other scopes are ignored.
                 * @example openid profile phone
                 */
                scope?: string;
                /**
                 * @description The nonce to include in the ID token, at most 512 characters. Used only with the scope `openid`.
                 * @example n-0S6_WzA2Mj
                 */
                nonce?: string;
                /**
                 * @description The OpenID Connect prompt, used only with the scope `openid`. `none` returns the error `login_required` to `redirect_uri`, because each login requires a new message. For the same reason, `login`, `consent`, and `select_account` are always satisfied.
                 * @example login
                 */
                prompt?: string;
                /**
                 * @description The maximum age of the authentication, used only with the scope `openid`. It is always satisfied, because each login requires a new message.
                 * @example 300
                 */
                max_age?: string;
                /**
                 * @description An ID token of this client that is valid or expired at most 30 days ago. Used only with the scope `openid`. Only the same person can then prove the login. If another person sends the words, the login ends, and the application gets the error `login_required`.
                 * @example eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIwMUo5In0.c2lnbmF0dXJl
                 */
                id_token_hint?: string;
                /**
                 * @description The response mode, used only with the scope `openid`: `query`, or `form_post` for a page that posts the response to `redirect_uri`.
                 * @example query
                 */
                response_mode?: string;
                /**
                 * @description Languages for the waiting page, separated by spaces, in order of preference (OpenID Connect). A language that the person has chosen takes precedence.
                 * @example fr en
                 */
                ui_locales?: string;
                /** @description The method of `code_challenge`, if present. `plain` is rejected. */
                code_challenge_method?: "S256";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /**
             * @description The login is open, and the browser is redirected to the waiting page. For an OpenID Connect request with `prompt=none`, the browser returns to the
             *     application with an error and without a cookie.
             */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    /**
                     * @description The waiting page with the parameters that identify the login, or the application's `redirect_uri` with `error`.
                     * @example /waiting.html?loginKeyId=01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                     */
                    Location: string;
                    /**
                     * @description The session cookie `svc_sid`, for this login and the browser's most recent logins. It is HttpOnly and SameSite=Lax. It is also Secure if the service
                     *     is reached over https.
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
             * @description A parameter is invalid: `missing_parameter`, `malformed_parameter`, `state_length`, `state_required`, `unsupported_response_type`, `pkce_required`,
             *     `pkce_method`, `redirect_uri_mismatch`, `unknown_client`, `client_inactive`, or, for OpenID Connect, `openid_request`. The page of `openid_request` has a link that
             *     returns the error to the application.
             */
            400: components["responses"]["BadRequestPage"];
            429: components["responses"]["TooManyRequestsPage"];
            500: components["responses"]["InternalPage"];
            /** @description The login can't be opened now: `storage_unavailable`, `too_many_logins`, and for LIVE clients `no_login_number`. */
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
                    /** @description The requested scopes, which must include `openid`. */
                    scope: string;
                } & {
                    [key: string]: string;
                };
            };
        };
        responses: {
            /** @description A redirect to the same request by GET. */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    /**
                     * @description The URL of the request by GET.
                     * @example /authorize?client_id=cl_test_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D&redirect_uri=https%3A%2F%2Fshop.example%2Fcallback&scope=openid&state=s8Jq2mZp0aVx4LrT
                     */
                    Location: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequestPage"];
            /** @description The form isn't an OpenID Connect request: `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowedPage"];
            429: components["responses"]["TooManyRequestsPage"];
            500: components["responses"]["InternalPage"];
        };
    };
    getWaitingPage: {
        parameters: {
            query?: {
                /**
                 * @description The login's ID26. The page is returned for any value. If the login doesn't exist, the page's script reports that.
                 * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                loginKeyId?: string;
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
            /** @description The URL set a language or a theme (`lang`, `theme`), so the redirect leads to the same page without these parameters. Or the browser is Opera Mini, or the number of the login is no longer configured, so the redirect leads to the page without scripts. */
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
                 * @description The request's origin, which browsers send automatically. It must be the origin of this service.
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
                         * @description The link that opens WhatsApp. Null for TEST clients, and if no number is available to receive the message.
                         */
                        deeplink: string | null;
                    };
                };
            };
            /**
             * @description The body is invalid (`invalid_json`, `missing_parameter`, `malformed_parameter`, `unsupported_media_type`, `body_too_large`), or the login is past
             *     this step (`login_not_pending`, `login_expired`).
             */
            400: components["responses"]["BadRequest"];
            /** @description The browser doesn't have a session: `session_missing`, `session_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description The request came from another site or another browser: `origin_mismatch`, `session_mismatch`. */
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
                 * @description The login's ID.
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
            /** @description The current state of the login. */
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
            /** @description `loginKeyId` is missing or isn't an ID26: `missing_parameter`, `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The browser doesn't have a session: `session_missing`, `session_expired`. */
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
                 * @description The login's ID.
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
            /** @description The event stream. */
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
            /** @description `loginKeyId` is missing or isn't an ID26: `missing_parameter`, `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The browser doesn't have a session: `session_missing`, `session_expired`. */
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
                 * @description The login's ID.
                 * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                loginKeyId: components["parameters"]["LoginKeyId"];
                /**
                 * @description Set after a form was submitted. Because browsers don't follow a redirect from a form to another site, the page then reloads once more.
                 * @example 1
                 */
                posted?: string;
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
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /**
             * @description The login is proved, and the redirect returns to the application. Or the URL set a language or a theme (`lang`, `theme`), and the redirect leads to
             *     the same page without these parameters.
             */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    /**
                     * @description The application's `redirect_uri` with `code`, `state` if the request had it, and `iss`.
                     * @example https://shop.example/callback?code=7QX2M9F4T1ZB8RC6VN3K5WDJ0H&state=s8Jq2mZp0aVx4LrT&iss=https%3A%2F%2Fauth.example.com
                     */
                    Location: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `loginKeyId` is missing or isn't an ID26: `missing_parameter`, `malformed_parameter`. */
            400: components["responses"]["BadRequestPage"];
            /** @description The browser doesn't have a session: `session_missing`, `session_expired`. */
            401: components["responses"]["UnauthorizedPage"];
            /** @description The login belongs to another browser: `session_mismatch`. */
            403: components["responses"]["ForbiddenPage"];
            429: components["responses"]["TooManyRequestsPage"];
            500: components["responses"]["InternalPage"];
            /** @description The storage isn't available, or the login waits and the service has no login number: `storage_unavailable`, `no_login_number`. */
            503: components["responses"]["UnavailablePage"];
        };
    };
    submitPlainWaitingPage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The request's origin, which browsers send automatically. It must be the origin of this service.
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
                     * @description The action to perform.
                     * @enum {string}
                     */
                    action: "activate" | "sandbox" | "hidden";
                    /** @description One of the ten sandbox numbers. Used only with `sandbox`. */
                    phoneE164?: string;
                };
            };
        };
        responses: {
            /** @description The action is done, or the login is past this step. The page shows the login's status. */
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
             * @description The form is invalid (`missing_parameter`, `malformed_parameter`, `unsupported_media_type`, `body_too_large`), the number isn't one of the ten
             *     (`sandbox_number`), or the client is LIVE (`sandbox_live_client`).
             */
            400: components["responses"]["BadRequestPage"];
            /** @description The browser doesn't have a session: `session_missing`, `session_expired`. */
            401: components["responses"]["UnauthorizedPage"];
            /** @description The request came from another site or another browser: `origin_mismatch`, `session_mismatch`. */
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
                 * @description The login's ID.
                 * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                loginKeyId: components["parameters"]["LoginKeyId"];
                /**
                 * @description With `phones`, in `griot dev`, the virtual phones open instead of WhatsApp.
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
            /** @description A redirect to the deeplink or to the plain page. */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    /**
                     * @description The target URL.
                     * @example https://wa.me/22370000000?text=amber%20river%20seven
                     */
                    Location: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `loginKeyId` is missing or isn't an ID26: `missing_parameter`, `malformed_parameter`. */
            400: components["responses"]["BadRequestPage"];
            /** @description The browser doesn't have a session: `session_missing`, `session_expired`. */
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
                 * @description The login's ID.
                 * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                loginKeyId: components["parameters"]["LoginKeyId"];
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
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /**
             * @description A redirect to the plain page. Or the URL set a language or a theme (`lang`, `theme`), and the redirect leads to the same page without these
             *     parameters.
             */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    /**
                     * @description The target URL.
                     * @example /authorize/page?loginKeyId=01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                     */
                    Location: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `loginKeyId` is missing or isn't an ID26: `missing_parameter`, `malformed_parameter`. */
            400: components["responses"]["BadRequestPage"];
            /** @description The browser doesn't have a session: `session_missing`, `session_expired`. */
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
                 * @description The login's ID.
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
            /** @description A redirect to a new login, to the plain page, or to the application with an error. */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    /**
                     * @description The target URL.
                     * @example /authorize?client_id=cl_live_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                     */
                    Location: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `loginKeyId` is missing or isn't an ID26: `missing_parameter`, `malformed_parameter`. */
            400: components["responses"]["BadRequestPage"];
            /** @description The browser doesn't have a session: `session_missing`, `session_expired`. */
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
                 * @description The login's ID.
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
            /** @description The numbers of a login and the color of its page. */
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
                     *       "accent": "teal",
                     *       "returnHost": "app.example.com"
                     *     }
                     */
                    "application/json": {
                        /** @description The number to send the words to, in digits. Null for TEST clients, and if no number is available to receive the message. */
                        receiver: string | null;
                        /** @description The same number formatted for people, with a plus sign and no-break spaces between the groups. */
                        receiverText: string | null;
                        /** @description The number that sent the words, with the middle digits removed. Present after the words were received. */
                        phone: string | null;
                        /** @description The color of the tenant's waiting page. Null for the standard color. */
                        accent: string | null;
                        /** @description The host to which the login returns, with its port if the redirect address has one. The scheme of an address without a host. */
                        returnHost: string;
                    };
                };
            };
            /** @description `loginKeyId` is missing or isn't an ID26: `missing_parameter`, `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The browser doesn't have a session: `session_missing`, `session_expired`. */
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
                 * @description The login's ID.
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
                     * @description The browser can cache the response for the lifetime of the login.
                     * @example private, max-age=90
                     */
                    "Cache-Control": "private, max-age=90";
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description `loginKeyId` is missing or isn't an ID26: `missing_parameter`, `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The browser doesn't have a session: `session_missing`, `session_expired`. */
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
            /** @description A redirect to WhatsApp with the words filled in. */
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
            /** @description No pending login has this code: `not_found`. */
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
                 * @description The request's origin, which browsers send automatically. It must be the origin of this service.
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
             * @description The body is invalid (`invalid_json`, `missing_parameter`, `malformed_parameter`, `unsupported_media_type`, `body_too_large`), the number isn't one of
             *     the ten (`sandbox_number`), the client is LIVE (`sandbox_live_client`), or the login is past this step (`login_not_pending`, `login_expired`).
             */
            400: components["responses"]["BadRequest"];
            /** @description The browser doesn't have a session: `session_missing`, `session_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description The request came from another site, from another browser, or from a second phone: `origin_mismatch`, `session_mismatch`, `phone_conflict`, `person_mismatch`. */
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
            /** @description The token is no longer valid. */
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
             * @description The request is malformed (`invalid_json`, `missing_parameter`, `malformed_parameter`, `unsupported_media_type`, `body_too_large`), or the token
             *     belongs to another client (`token_client_mismatch`).
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
            /** @description The state of the token. */
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
            /**
             * @description The client's authentication failed, or the client is PUBLIC: `client_auth_failed`, `client_secret_missing`, `client_inactive`,
             *     `client_not_confidential`.
             */
            401: components["responses"]["TokenUnauthorized"];
            /** @description The request came from a page of another site: `origin_mismatch`. */
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
            /** @description The form is malformed, or the request has two tokens: `malformed_parameter`, `body_too_large`. */
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
                 * @description The ID token of the login. It must not have expired more than 30 days ago.
                 * @example eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIwMUo5In0.c2lnbmF0dXJl
                 */
                id_token_hint: string;
                /**
                 * @description One of the client's post-logout redirect URIs. It must match exactly. Without it, the browser is sent to a page of this service.
                 * @example https://shop.example/
                 */
                post_logout_redirect_uri?: string;
                /**
                 * @description A value that is returned unchanged.
                 * @example s8Jq2mZp
                 */
                state?: string;
                /**
                 * @description The client's ID. If present, it must be the client of the ID token.
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
            /** @description No one was signed out: `sign_out_request`, `unknown_client`, `client_inactive`, `malformed_parameter`. */
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
            /** @description No one was signed out: `sign_out_request`, `unknown_client`, `client_inactive`, `malformed_parameter`, `body_too_large`. */
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
             * @description The body is invalid (`invalid_json`, `missing_parameter`, `malformed_parameter`, `unsupported_media_type`, `body_too_large`) or doesn't prove this
             *     login (`login_unknown`, `timestamp_skew`, `receiver_mismatch`, `words_mismatch`, `message_replayed`, `login_not_pending`, `login_expired`).
             */
            400: components["responses"]["BadRequest"];
            /** @description The signature is missing or invalid: `signature_missing`, `signature_invalid`. */
            401: components["responses"]["Unauthorized"];
            /** @description The call came from another address or site, or a second phone sent the words: `not_loopback`, `origin_mismatch`, `phone_conflict`, `person_mismatch`. */
            403: components["responses"]["Forbidden"];
            /** @description The request was sent to a public listener, where this endpoint doesn't exist: `not_found`. */
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
            /** @description The public keys. */
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
            /** @description The metadata. Further fields might be added. */
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
            /** @description The metadata. Further fields might be added. */
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
                     *         "phone",
                     *         "email"
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
                     *         "name",
                     *         "email",
                     *         "email_verified",
                     *         "preferred_username"
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
            /** @description The service is healthy. */
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
            /** @description The service can't reach its storage, or the last write failed: `storage_unavailable`. The body has the fields of both a health report and an error. */
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
                 * @description The request's origin, which browsers send automatically. It must be the origin of this service.
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
            /** @description The dashboard session is open. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    /**
                     * @description The session cookie `svc_dashboard`. It is HttpOnly and SameSite=Lax. It is also Secure if the service is reached over https.
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
            /** @description The body is invalid: `invalid_json`, `missing_parameter`, `malformed_parameter`, `unsupported_media_type`, `body_too_large`. */
            400: components["responses"]["BadRequest"];
            /** @description The key isn't valid for this dashboard: `invitation_invalid`. */
            401: components["responses"]["Unauthorized"];
            /** @description The request came from another site: `origin_mismatch`. */
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
                 * @description The request's origin, which browsers send automatically. It must be the origin of this service.
                 * @example https://auth.example.com
                 */
                Origin: components["parameters"]["Origin"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    /**
                     * @description The header that deletes the session cookie.
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
            /** @description The URL is malformed: `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The request has no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description The request came from another site: `origin_mismatch`. */
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
            /** @description The URL is malformed: `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The request has no session: `dashboard_missing`, `dashboard_expired`. */
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
                 * @description The event type to return.
                 * @example login.verified
                 */
                type?: string;
                /**
                 * @description The login whose events to return. Only events within one day of its start are returned, including the start itself.
                 * @example 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                loginId?: components["schemas"]["Id26"];
                /**
                 * @description The `nextCursor` of the previous page.
                 * @example 01J9ZK4A7B8C9D0E1F2G3H4J5K
                 */
                cursor?: components["schemas"]["Id26"];
                /**
                 * @description The maximum number of items to return.
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
                        /** @description The cursor of the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description A parameter or the URL is malformed: `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The request has no session: `dashboard_missing`, `dashboard_expired`. */
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
                 * @description The mode of the clients to count.
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
                         * @description The mode of the clients to count.
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
                        /** @description The median time from start to redemption, in seconds, of the latest 1,000 redeemed logins. */
                        medianSeconds: number | null;
                        /** @description Whether all events of the 30 days were counted. */
                        complete: boolean;
                    };
                };
            };
            /** @description The mode or the URL is malformed: `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The request has no session: `dashboard_missing`, `dashboard_expired`. */
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
                 * @description The request's origin, which browsers send automatically. It must be the origin of this service.
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
            /** @description The client and its secret. */
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
                        /** @description The client's secret. Null for a PUBLIC client. */
                        clientSecret: string | null;
                    };
                };
            };
            /** @description The body is invalid: `invalid_json`, `missing_parameter`, `malformed_parameter`, `too_many_clients`, `unsupported_media_type`, `body_too_large`. */
            400: components["responses"]["BadRequest"];
            /** @description The request has no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description The request came from another site: `origin_mismatch`. */
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
                 * @description The request's origin, which browsers send automatically. It must be the origin of this service.
                 * @example https://auth.example.com
                 */
                Origin: components["parameters"]["Origin"];
            };
            path: {
                /**
                 * @description The client's `id`, which isn't its `clientId`.
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
                    /** @description Whether the client can start logins and get tokens. */
                    active: boolean;
                };
            };
        };
        responses: {
            /** @description The client after the change. */
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
            /** @description The ID isn't an ID26, or the body is invalid: `malformed_parameter`, `invalid_json`, `missing_parameter`, `unsupported_media_type`, `body_too_large`. */
            400: components["responses"]["BadRequest"];
            /** @description The request has no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description The request came from another site, or the tenant has no client with this ID: `origin_mismatch`, `client_not_found`. */
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
                 * @description The request's origin, which browsers send automatically. It must be the origin of this service.
                 * @example https://auth.example.com
                 */
                Origin: components["parameters"]["Origin"];
            };
            path: {
                /**
                 * @description The client's `id`, which isn't its `clientId`.
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
            /** @description The ID isn't an ID26, or the client has no secret: `malformed_parameter`, `client_is_public`. */
            400: components["responses"]["BadRequest"];
            /** @description The request has no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description The request came from another site, or the tenant has no client with this ID: `origin_mismatch`, `client_not_found`. */
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
                 * @description The client's `id`, which isn't its `clientId`.
                 * @example 01J9ZJ0A1B2C3D4E5F6G7H8J9K
                 */
                id: components["parameters"]["ClientPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ClientConnect"];
            /** @description The ID isn't an ID26: `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The request has no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description The tenant has no client with this ID: `client_not_found`. */
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
                 * @description The request's origin, which browsers send automatically. It must be the origin of this service.
                 * @example https://auth.example.com
                 */
                Origin: components["parameters"]["Origin"];
            };
            path: {
                /**
                 * @description The client's `id`, which isn't its `clientId`.
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
                    /** @description The https URL on the internet that receives logout tokens. Null or empty for none. */
                    backchannelLogoutUri?: string | null;
                    stateOptional?: components["schemas"]["StateOptional"] | null;
                    anyLoopbackPort?: components["schemas"]["AnyLoopbackPort"] | null;
                    /** @description The domain of the claim `email`. Null or empty for no claim. Another tenant must not have proven it. */
                    emailDomain?: string | null;
                    emailVerified?: components["schemas"]["EmailVerified"];
                    /** @description The form of the claim `preferred_username`. Null for no claim. */
                    preferredUsername?: components["schemas"]["UsernameForm"] | null;
                    /** @description The stored `emailDomain`, if the request changes or removes it. */
                    replacesEmailDomain?: string | null;
                    /** @description The stored `preferredUsername`, if the request changes or removes it. */
                    replacesPreferredUsername?: string | null;
                };
            };
        };
        responses: {
            200: components["responses"]["ClientConnect"];
            /**
             * @description The body or the ID is invalid, or a URL can't be used: `invalid_json`, `missing_parameter`, `malformed_parameter`, `unsupported_media_type`,
             *     `body_too_large`.
             */
            400: components["responses"]["BadRequest"];
            /** @description The request has no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description The request came from another site, or the tenant has no client with this ID: `origin_mismatch`, `client_not_found`. */
            403: components["responses"]["Forbidden"];
            /**
             * @description The request doesn't name a value that it replaces, another tenant has proven the domain, or `emailVerified` is true for a domain that the tenant hasn't
             *     proven: `replaces_mismatch`, `domain_taken`, `domain_not_proven`.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "invalid_request",
                     *       "error_code": "domain_taken",
                     *       "error_description": "Another tenant has proven this domain.",
                     *       "docs_url": "https://auth.example.com/docs/errors#domain_taken",
                     *       "request_id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
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
    listDomains: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domains. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domains": [
                     *         {
                     *           "domain": "people.example.com",
                     *           "record": {
                     *             "type": "TXT",
                     *             "name": "_griot.people.example.com",
                     *             "value": "griot-domain=3q2-7wQkY0mXo5xYkPZr1A"
                     *           },
                     *           "createdAt": "2026-03-01T12:00:31.007Z",
                     *           "verifiedAt": null,
                     *           "lostAt": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        domains: components["schemas"]["Domain"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description The request has no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    addDomain: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The request's origin, which browsers send automatically. It must be the origin of this service.
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
                 *       "domain": "people.example.com"
                 *     }
                 */
                "application/json": {
                    /** @description The domain. It must have at least two labels and at most 227 characters, and must not be a public suffix or an IP address. It is stored in lower-case A-labels. */
                    domain: string;
                };
            };
        };
        responses: {
            /** @description The tenant already has the domain. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domain": "people.example.com",
                     *       "record": {
                     *         "type": "TXT",
                     *         "name": "_griot.people.example.com",
                     *         "value": "griot-domain=3q2-7wQkY0mXo5xYkPZr1A"
                     *       },
                     *       "createdAt": "2026-03-01T12:00:31.007Z",
                     *       "verifiedAt": "2026-03-01T12:10:02.100Z",
                     *       "lostAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
            /** @description The domain was added. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domain": "people.example.com",
                     *       "record": {
                     *         "type": "TXT",
                     *         "name": "_griot.people.example.com",
                     *         "value": "griot-domain=3q2-7wQkY0mXo5xYkPZr1A"
                     *       },
                     *       "createdAt": "2026-03-01T12:00:31.007Z",
                     *       "verifiedAt": null,
                     *       "lostAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
            /** @description The body is invalid, or the tenant has 20 domains: `invalid_json`, `missing_parameter`, `malformed_parameter`, `too_many_domains`, `unsupported_media_type`, `body_too_large`. */
            400: components["responses"]["BadRequest"];
            /** @description The request has no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description The request came from another site: `origin_mismatch`. */
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    removeDomain: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The request's origin, which browsers send automatically. It must be the origin of this service.
                 * @example https://auth.example.com
                 */
                Origin: components["parameters"]["Origin"];
            };
            path: {
                /**
                 * @description The domain, as `/manage/domains` shows it.
                 * @example people.example.com
                 */
                domain: components["parameters"]["DomainPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result of the request. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "removed": true
                     *     }
                     */
                    "application/json": {
                        /** @description Whether the tenant had the domain. */
                        removed: boolean;
                    };
                };
            };
            /** @description The name isn't a domain: `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The request has no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description The request came from another site: `origin_mismatch`. */
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    verifyDomain: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The request's origin, which browsers send automatically. It must be the origin of this service.
                 * @example https://auth.example.com
                 */
                Origin: components["parameters"]["Origin"];
            };
            path: {
                /**
                 * @description The domain, as `/manage/domains` shows it.
                 * @example people.example.com
                 */
                domain: components["parameters"]["DomainPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain is proven. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domain": "people.example.com",
                     *       "record": {
                     *         "type": "TXT",
                     *         "name": "_griot.people.example.com",
                     *         "value": "griot-domain=3q2-7wQkY0mXo5xYkPZr1A"
                     *       },
                     *       "createdAt": "2026-03-01T12:00:31.007Z",
                     *       "verifiedAt": "2026-03-01T12:10:02.100Z",
                     *       "lostAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
            /** @description The name isn't a domain: `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The request has no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description The request came from another site: `origin_mismatch`. */
            403: components["responses"]["Forbidden"];
            /** @description The tenant doesn't have this domain: `domain_not_found`. */
            404: components["responses"]["NotFound"];
            /** @description DNS doesn't have the record, or doesn't answer, or another tenant has proven the domain and its record still exists: `domain_record_missing`, `domain_lookup_failed`, `domain_taken`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "invalid_request",
                     *       "error_code": "domain_record_missing",
                     *       "error_description": "The name has no TXT record.",
                     *       "docs_url": "https://auth.example.com/docs/errors#domain_record_missing",
                     *       "request_id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
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
    listPeople: {
        parameters: {
            query?: {
                /**
                 * @description The full number of the person to find, with or without a plus sign, which doesn't have to be escaped. If present, the other parameters are ignored.
                 * @example 22370011233
                 */
                phone?: string;
                /**
                 * @description The `nextCursor` of the previous page.
                 * @example 01J9ZK4A7B8C9D0E1F2G3H4J5K
                 */
                cursor?: components["schemas"]["Id26"];
                /**
                 * @description The maximum number of items to return.
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
                        /** @description The cursor of the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description A parameter or the URL is malformed: `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The request has no session: `dashboard_missing`, `dashboard_expired`. */
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
                 * @description The person's `id`, which is the subject of their tokens.
                 * @example 01J9ZK4A7B8C9D0E1F2G3H4J5K
                 */
                id: components["parameters"]["PersonPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The person's data. */
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
                        /** @description The masked number. */
                        phone: string | null;
                        /** @description The display name that the person uses. */
                        displayName: string | null;
                        firstSeenAt: components["schemas"]["Time"];
                        lastSeenAt: components["schemas"]["Time"];
                        detachedAt: components["schemas"]["TimeOrNull"];
                        /** @description The full number, in digits. */
                        phoneE164: string | null;
                        metadata: {
                            [key: string]: unknown;
                        };
                        events: components["schemas"]["Event"][];
                        /** @description Whether the response contains all events. */
                        complete: boolean;
                        /** @description The masked number that the person now has, as reported by WhatsApp. Absent if no other number is reported. */
                        newPhone?: string;
                        /** @description The full number that the person now has, in digits. Present only with `newPhone`. */
                        newPhoneE164?: string;
                        /** @description The time of this report. Present only with `newPhone`. */
                        numberChangedAt?: components["schemas"]["Time"];
                        /** @description The user name by the name for applications. Absent before its first use. */
                        preferredUsername?: string;
                    };
                };
            };
            /** @description The ID isn't an ID26: `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The request has no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description The tenant has no person with this ID: `person_not_found`. */
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
                 * @description The request's origin, which browsers send automatically. It must be the origin of this service.
                 * @example https://auth.example.com
                 */
                Origin: components["parameters"]["Origin"];
            };
            path: {
                /**
                 * @description The person's `id`, which is the subject of their tokens.
                 * @example 01J9ZK4A7B8C9D0E1F2G3H4J5K
                 */
                id: components["parameters"]["PersonPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result of the request. */
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
                        /** @description Whether the person existed. */
                        erased: boolean;
                    };
                };
            };
            /** @description The ID isn't an ID26: `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The request has no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description The request came from another site: `origin_mismatch`. */
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    movePerson: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The request's origin, which browsers send automatically. It must be the origin of this service.
                 * @example https://auth.example.com
                 */
                Origin: components["parameters"]["Origin"];
            };
            path: {
                /**
                 * @description The person's `id`, which is the subject of their tokens.
                 * @example 01J9ZK4A7B8C9D0E1F2G3H4J5K
                 */
                id: components["parameters"]["PersonPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "newPhoneE164": "22370011244"
                 *     }
                 */
                "application/json": {
                    /** @description The reported number. If WhatsApp has reported another one since you read it, the request is refused. */
                    newPhoneE164: string;
                };
            };
        };
        responses: {
            /** @description The person has the new number. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "logins": 0,
                     *       "tokens": 1
                     *     }
                     */
                    "application/json": {
                        /** @description The number of logins that have ended. */
                        logins: number;
                        /** @description The number of tokens that were revoked. */
                        tokens: number;
                    };
                };
            };
            /** @description The ID isn't an ID26, or the body is invalid: `malformed_parameter`, `missing_parameter`, `invalid_json`, `unsupported_media_type`, `body_too_large`. */
            400: components["responses"]["BadRequest"];
            /** @description The request has no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description The request came from another site: `origin_mismatch`. */
            403: components["responses"]["Forbidden"];
            /** @description The tenant has no person with this ID: `person_not_found`. */
            404: components["responses"]["NotFound"];
            /** @description WhatsApp hasn't reported this number as the person's new one, or another person of the tenant has it: `number_not_reported`, `number_taken`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "invalid_request",
                     *       "error_code": "number_taken",
                     *       "error_description": "Another person of the tenant has the new number.",
                     *       "docs_url": "https://auth.example.com/docs/errors#number_taken",
                     *       "request_id": "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"
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
            /** @description The URL is malformed: `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The request has no session: `dashboard_missing`, `dashboard_expired`. */
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
                 * @description The request's origin, which browsers send automatically. It must be the origin of this service.
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
                    /** @description The tenant's name. All characters must be visible, and spaces at the start or the end aren't allowed. */
                    name?: string;
                    /** @description One of `accents`. Empty for the standard color. */
                    accent?: string;
                };
            };
        };
        responses: {
            /** @description The appearance after the change. */
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
            /** @description The body is invalid: `malformed_parameter`, `invalid_json`, `unsupported_media_type`, `body_too_large`. */
            400: components["responses"]["BadRequest"];
            /** @description The request has no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description The request came from another site: `origin_mismatch`. */
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
            /** @description The endpoint. Null for a tenant without an endpoint. */
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
            /** @description The URL is malformed: `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The request has no session: `dashboard_missing`, `dashboard_expired`. */
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
                 * @description The request's origin, which browsers send automatically. It must be the origin of this service.
                 * @example https://auth.example.com
                 */
                Origin: components["parameters"]["Origin"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint after the change. */
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
            /** @description The tenant has no endpoint: `no_endpoint`. */
            400: components["responses"]["BadRequest"];
            /** @description The request has no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description The request came from another site, or the operator disabled the endpoint: `origin_mismatch`, `endpoint_disabled`. */
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
                 * @description The request's origin, which browsers send automatically. It must be the origin of this service.
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
            /** @description The tenant has no endpoint: `no_endpoint`. */
            400: components["responses"]["BadRequest"];
            /** @description The request has no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description The request came from another site: `origin_mismatch`. */
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
                 * @description The request's origin, which browsers send automatically. It must be the origin of this service.
                 * @example https://auth.example.com
                 */
                Origin: components["parameters"]["Origin"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event is stored for delivery. */
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
            /** @description The tenant has no endpoint: `no_endpoint`. */
            400: components["responses"]["BadRequest"];
            /** @description The request has no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description The request came from another site: `origin_mismatch`. */
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
                 * @description The delivery state of the events to return.
                 * @example failed
                 */
                delivery?: components["schemas"]["Delivery"];
                /**
                 * @description The `nextCursor` of the previous page.
                 * @example evt_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                cursor?: components["schemas"]["EventId"];
                /**
                 * @description The maximum number of items to return.
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
                        /** @description The cursor of the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description A parameter or the URL is malformed: `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The request has no session: `dashboard_missing`, `dashboard_expired`. */
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
                 * @description The event's `eventId`.
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
                        /** @description The event type, such as `login.verified`. Further types might be added. */
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
                        attempts: components["schemas"]["WebhookAttempt"][];
                    };
                };
            };
            /** @description The URL is malformed: `malformed_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The request has no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description The tenant has no event with this ID: `event_not_found`. */
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
                 * @description The request's origin, which browsers send automatically. It must be the origin of this service.
                 * @example https://auth.example.com
                 */
                Origin: components["parameters"]["Origin"];
            };
            path: {
                /**
                 * @description The event's `eventId`.
                 * @example evt_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D
                 */
                eventId: components["parameters"]["EventPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event after the change. */
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
            /** @description The tenant has no endpoint: `no_endpoint`. */
            400: components["responses"]["BadRequest"];
            /** @description The request has no session: `dashboard_missing`, `dashboard_expired`. */
            401: components["responses"]["Unauthorized"];
            /** @description The request came from another site: `origin_mismatch`. */
            403: components["responses"]["Forbidden"];
            /** @description The tenant has no event with this ID: `event_not_found`. */
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
    getSignedOutPage: {
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
            /** @description The page that `docs_url` links to. */
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
            404: components["responses"]["NotFoundPage"];
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
                 * @description The hash of the image, from a page.
                 * @example 2i2MH1CO4OClwi_7ENveDtFcJQO2_m3qUwS2SeCpu1c
                 */
                hash: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The image. */
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
