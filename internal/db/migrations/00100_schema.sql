-- The schema of Griot 0.2.0, on both engines. What differs between them is in 00101.
--
-- Times are Unix milliseconds. Days, hours, and minutes are counted since 1970-01-01 UTC. Flags are 0 or 1. Hashes are SHA-256 in
-- base64url. A sealed value is encrypted with the master key. An ID26 is an id of 26 characters; a time-ordered one sorts by its
-- creation time. A version is raised by each write of its row, and a write names the version that it has read, so that two writers
-- can't overwrite each other.

-- +goose Up

-- The oldest schema whose programs can still use this database. It has one row. A program reads it at its start and before it renews
-- its lease, and ends when its own schema is older.
CREATE TABLE schema_floor (
    oldest BIGINT NOT NULL -- The oldest schema version that can still be in use.
);
INSERT INTO schema_floor (oldest) VALUES (100);

-- The hash of the migrations that made this database. It has one row. Until 0.2.0 is released, a program refuses a database of other
-- migrations.
CREATE TABLE schema_hash (
    hash TEXT NOT NULL -- The hash of the migrations' statements, without their comments.
);

-- A number for each kind of data that processes keep in memory. A change of such data raises its number in the same transaction.
CREATE TABLE cache_epochs (
    kind  TEXT   NOT NULL PRIMARY KEY, -- The kind of data, such as accounts.
    epoch BIGINT NOT NULL              -- The number of changes so far.
);

-- A row that a process writes while writes fail, until one succeeds.
CREATE TABLE write_probe (
    id    BIGINT NOT NULL PRIMARY KEY, -- Always 1.
    tries BIGINT NOT NULL              -- The number of successful probes.
);

-- Master keys

-- The master key that seals, and the progress of the latest rotation. Before the first server start, the table is empty.
CREATE TABLE master_keys (
    id          BIGINT NOT NULL PRIMARY KEY, -- Always 1.
    first       TEXT   NOT NULL,             -- The name of the deployment's first key.
    previous    TEXT   NOT NULL,             -- The name of the key before the current one.
    sealing     TEXT   NOT NULL,             -- The name of the current key.
    pass        BIGINT NOT NULL,             -- The current pass over all sealed values; passes repeat until one finds nothing. 0 before the first rotation.
    found       BIGINT NOT NULL,             -- The number of values that this pass found sealed with another key.
    resealed    BIGINT NOT NULL,             -- The number of values that all passes have sealed again.
    unreadable  BIGINT NOT NULL,             -- The number of values that this pass found sealed with an unknown key.
    started_at  BIGINT NOT NULL,             -- The start of the rotation.
    finished_at BIGINT                       -- The end of the rotation. NULL while it is in progress.
);

-- The progress of a rotation in each table that has sealed values.
CREATE TABLE master_key_steps (
    place    TEXT   NOT NULL, -- The name of the table or kind of value.
    pass     BIGINT NOT NULL, -- The pass, as in master_keys.
    position TEXT   NOT NULL, -- The id of the last row that was checked.
    done     BIGINT NOT NULL, -- 1 when the pass has checked every row.
    PRIMARY KEY (place, pass)
);

-- Secrets that stay the same when the master key is rotated.
CREATE TABLE master_key_secrets (
    purpose TEXT NOT NULL PRIMARY KEY, -- The purpose of the secret.
    sealed  TEXT NOT NULL              -- The secret, sealed with the current key.
);

-- The processes that use the database, and the master keys that each of them has.
CREATE TABLE master_key_holders (
    id      TEXT   NOT NULL PRIMARY KEY, -- The process's random id.
    names   TEXT   NOT NULL,             -- The names of its keys, separated by spaces.
    sealing TEXT   NOT NULL,             -- The name of the key that it seals with.
    seen_at BIGINT NOT NULL              -- The time of its last sign of life, by the database's clock.
);

-- Login service: tenants, clients, and people

-- The tenants: organizations whose sites people sign in to.
CREATE TABLE tenants (
    id             TEXT   NOT NULL PRIMARY KEY, -- The tenant's id.
    name           TEXT   NOT NULL,             -- The name, as people see it.
    created_at     BIGINT NOT NULL,             -- The time of creation.
    webhook_url    TEXT,                        -- The endpoint for webhook events. NULL for none.
    webhook_secret TEXT,                        -- The signing secret of the endpoint, sealed.
    accent         TEXT   NOT NULL DEFAULT '',  -- The color of the waiting page, by its name in the palette. Empty for Griot's own.
    logo           TEXT   NOT NULL DEFAULT ''   -- The hash of the waiting page's logo. Empty for none.
);
CREATE INDEX tenants_logo ON tenants (logo) WHERE logo <> '';

-- The logos of tenants: at most one of each. They are apart from the tenants, which every login reads.
CREATE TABLE tenant_logos (
    tenant_id TEXT   NOT NULL PRIMARY KEY REFERENCES tenants (id) ON DELETE CASCADE, -- The tenant.
    content   TEXT   NOT NULL -- The file, in base64url: at most 32 KiB before.
);

-- Invitations of tenants: a link that opens the tenant's dashboard.
CREATE TABLE invitations (
    id         TEXT   NOT NULL PRIMARY KEY,             -- The invitation's id.
    tenant_id  TEXT   NOT NULL REFERENCES tenants (id), -- The tenant.
    key_hash   TEXT   NOT NULL UNIQUE,                  -- The hash of the key in the link.
    expires_at BIGINT NOT NULL,                         -- The end of its validity.
    created_at BIGINT NOT NULL,                         -- The time of creation.
    single_use BIGINT NOT NULL DEFAULT 0,               -- 1 when it opens one session only.
    used_at    BIGINT,                                  -- The time when it last opened a session. NULL for never.
    revoked_at BIGINT                                   -- The time when it was revoked. NULL while it is valid.
);
CREATE INDEX invitations_tenant ON invitations (tenant_id, id);

-- Sessions of the tenants' dashboard.
CREATE TABLE dashboard_sessions (
    id            TEXT   NOT NULL PRIMARY KEY,                 -- The session's id.
    tenant_id     TEXT   NOT NULL REFERENCES tenants (id),     -- The tenant.
    invitation_id TEXT   NOT NULL REFERENCES invitations (id), -- The invitation that opened the session.
    token_hash    TEXT   NOT NULL UNIQUE,                      -- The hash of the session's cookie.
    created_at    BIGINT NOT NULL,                             -- The time of the sign-in.
    expires_at    BIGINT NOT NULL                              -- The end of the session.
);
CREATE INDEX dashboard_sessions_invitation ON dashboard_sessions (invitation_id);
CREATE INDEX dashboard_sessions_expiry ON dashboard_sessions (expires_at);

-- OAuth clients: the applications of tenants.
CREATE TABLE oauth_clients (
    id            TEXT   NOT NULL PRIMARY KEY,             -- The client's internal id.
    tenant_id     TEXT   NOT NULL REFERENCES tenants (id), -- The tenant.
    client_id     TEXT   NOT NULL UNIQUE,                  -- The public client identifier.
    type          TEXT   NOT NULL CHECK (type IN ('PUBLIC', 'CONFIDENTIAL')), -- The OAuth client type.
    mode          TEXT   NOT NULL CHECK (mode IN ('TEST', 'LIVE')), -- TEST for simulated logins, LIVE for real ones.
    redirect_uris TEXT   NOT NULL,                         -- The allowed redirect URIs, as a JSON array.
    secret_hash   TEXT,                                    -- The hash of a CONFIDENTIAL client's secret. NULL for a PUBLIC client.
    active        BIGINT NOT NULL,                         -- 1 while logins with the client are allowed.
    created_at    BIGINT NOT NULL,                         -- The time of creation.
    name          TEXT   NOT NULL DEFAULT '',              -- The tenant's name for the client. Empty for none.
    post_logout_redirect_uris TEXT NOT NULL DEFAULT '[]',  -- The allowed redirect URIs after sign-out, as a JSON array.
    backchannel_logout_uri    TEXT,                        -- The address that gets logout tokens. NULL for none.
    state_optional    BIGINT NOT NULL DEFAULT 0,           -- 1 when OpenID Connect requests can lack state, nonce, and PKCE.
    any_loopback_port BIGINT NOT NULL DEFAULT 0,           -- 1 when redirect URIs of 127.0.0.1 and [::1] can have any port.
    email_domain       TEXT,                               -- The domain of the claim email, in lower-case A-labels. NULL for no claim.
    email_verified     BIGINT,                             -- The claim email_verified: 1 for true, 0 for false, NULL for none.
    preferred_username TEXT CHECK (preferred_username IN ('sub', 'name')) -- The form of the claim preferred_username. NULL for no claim.
);
CREATE INDEX oauth_clients_tenant ON oauth_clients (tenant_id, id);

-- Domains of tenants for the claim email. A tenant proves its domain by a TXT record that contains the token.
CREATE TABLE tenant_domains (
    tenant_id   TEXT   NOT NULL REFERENCES tenants (id), -- The tenant.
    domain      TEXT   NOT NULL,                         -- The domain, in lower-case A-labels.
    token       TEXT   NOT NULL,                         -- The random part of the TXT record.
    created_at  BIGINT NOT NULL,                         -- The time when the tenant added the domain.
    verified_at BIGINT,                                  -- The time of the proof. NULL while the domain isn't proven.
    lost_at     BIGINT,                                  -- The time when another tenant's proof replaced the tenant's. NULL for never, and after a new proof.
    PRIMARY KEY (tenant_id, domain)
);
CREATE UNIQUE INDEX tenant_domains_verified ON tenant_domains (domain) WHERE verified_at IS NOT NULL; -- A proven domain belongs to one tenant.

-- People who have signed in to a tenant's sites.
CREATE TABLE profiles (
    id            TEXT   NOT NULL PRIMARY KEY,             -- The person's id, the subject of tokens.
    tenant_id     TEXT   NOT NULL REFERENCES tenants (id), -- The tenant.
    phone         TEXT   NOT NULL,                         -- The phone number in E.164 digits. The profile's id when it was detached from its number.
    mode          TEXT   NOT NULL,                         -- TEST or LIVE, as of the client.
    display_name  TEXT,                                    -- The name that the person's messages carried. NULL for none.
    metadata      TEXT   NOT NULL,                         -- The tenant's own data about the person, as JSON.
    first_seen_at BIGINT NOT NULL,                         -- The time of the first login.
    last_seen_at  BIGINT,                                  -- The time of the latest login. NULL when it isn't known.
    detached_at   BIGINT,                                  -- The time when the profile was detached from its number, which has a new owner. NULL for never.
    changed_to    TEXT,                                    -- The number that the person has now, as reported by WhatsApp, in E.164 digits. NULL if it's phone.
    changed_at    BIGINT,                                  -- The time of the latest such report, by the gateway's clock, also after changed_to was removed. NULL for never.
    username      TEXT,                                    -- The user name for applications, made from name and id at its first use. It never changes. NULL before it.
    UNIQUE (tenant_id, phone, mode)
);
CREATE UNIQUE INDEX profiles_username ON profiles (tenant_id, mode, username) WHERE username IS NOT NULL;
CREATE INDEX profiles_tenant ON profiles (tenant_id, id);
CREATE INDEX profiles_phone ON profiles (phone);
CREATE INDEX profiles_changed ON profiles (changed_to) WHERE changed_to IS NOT NULL;

-- Login service: logins and tokens

-- Logins: a browser that waits until its person has sent the words on its page.
CREATE TABLE login_sessions (
    id              TEXT   NOT NULL PRIMARY KEY, -- The login's id.
    tenant_id       TEXT   NOT NULL,             -- The tenant.
    tenant_name     TEXT   NOT NULL,             -- The tenant's name, as shown to the person.
    client_id       TEXT   NOT NULL,             -- The public identifier of the OAuth client.
    mode            TEXT   NOT NULL,             -- TEST or LIVE, as of the client.
    cookie_hash     TEXT   NOT NULL,             -- The hash of the browser's cookie.
    redirect_uri    TEXT   NOT NULL,             -- The address to which the browser returns.
    state           TEXT   NOT NULL,             -- The application's state parameter.
    code_challenge  TEXT   NOT NULL,             -- The PKCE challenge. Empty for none.
    scope           TEXT,                        -- The scopes of an OpenID Connect request, separated by spaces. NULL for a request of OAuth alone.
    nonce           TEXT,                        -- The nonce of an OpenID Connect request. NULL for none.
    form_post       BIGINT NOT NULL DEFAULT 0,   -- 1 when the browser returns to the application by a form.
    subject         TEXT,                        -- The id of the only person who can prove the login. NULL for anybody.
    receiver        TEXT   NOT NULL,             -- The phone id that the words must be sent to. Empty when none was connected.
    words           TEXT   NOT NULL,             -- The words, as shown.
    words_key       TEXT   NOT NULL,             -- The words, as compared with messages.
    status          TEXT   NOT NULL,             -- The login's status.
    created_at      BIGINT NOT NULL,             -- The start of the login.
    expires_at      BIGINT NOT NULL,             -- The end of the time to send the words.
    live_until      BIGINT NOT NULL,             -- The end of the time to return to the application.
    verified_at     BIGINT,                      -- The time of the message with the words. NULL before it.
    phone           TEXT,                        -- The number that sent the words. NULL before it.
    provider        TEXT,                        -- The gateway that received the words. NULL before it.
    code_nonce      TEXT,                        -- The random part of the authorization code. NULL before it was issued.
    code_hash       TEXT   UNIQUE,               -- The hash of the authorization code. NULL before it was issued.
    code_expires_at BIGINT,                      -- The end of the authorization code's validity, set when the browser first returns.
    wrong_tries     BIGINT NOT NULL,             -- The number of wrong attempts to exchange the code.
    consumed_at     BIGINT,                      -- The time when the code was exchanged for a token. NULL before it.
    token_id        TEXT,                        -- The token's id (jti). NULL before it was issued.
    token_revoked   BIGINT NOT NULL,             -- 1 when the token was revoked.
    told            BIGINT NOT NULL DEFAULT 0,   -- 1 when the tenant had a webhook endpoint at the start of the login.
    ended_by        TEXT,                        -- The reason for an early end: second_phone, person, wrong_codes, client, or other_person. NULL for none.
    short_code      TEXT,                        -- The code in the short address of a LIVE login, for QR codes. NULL for none.
    lang            TEXT   NOT NULL DEFAULT '',  -- The language of the page at the start of the login. Empty for the default.
    held_portfolio  TEXT,                        -- The scope of held_id. NULL with it.
    held_id         TEXT,                        -- The WhatsApp ID that sent the words without a number. NULL for none. It never changes.
    asked_at        BIGINT,                      -- The time before Griot asked that person for the number, once. NULL before it.
    requested_at    BIGINT,                      -- The time when WhatsApp accepted, or might have accepted, that request. NULL before it, and if it was refused.
    replied_at      BIGINT                       -- The time before Griot told the person who proved the login that they are signed in, once. NULL before it.
);
CREATE INDEX login_sessions_held ON login_sessions (held_id, held_portfolio) WHERE held_id IS NOT NULL;
CREATE UNIQUE INDEX login_sessions_token ON login_sessions (token_id) WHERE token_id IS NOT NULL;
CREATE INDEX login_sessions_phone ON login_sessions (phone) WHERE phone IS NOT NULL;
CREATE UNIQUE INDEX login_sessions_short_code ON login_sessions (short_code) WHERE short_code IS NOT NULL;

-- The words in use, so that no two logins wait for the same words. An expired row can be replaced.
CREATE TABLE login_words (
    receiver   TEXT   NOT NULL, -- The phone id that the words must be sent to.
    words_key  TEXT   NOT NULL, -- The words, as compared with messages.
    session_id TEXT   NOT NULL, -- The login that uses the words.
    expires_at BIGINT NOT NULL, -- The time from which another login can use the words.
    PRIMARY KEY (receiver, words_key)
);
CREATE INDEX login_words_expiry ON login_words (expires_at);

-- The messages that proved, held, or canceled a login, so that a message does this to only one.
CREATE TABLE login_proofs (
    message_id TEXT   NOT NULL PRIMARY KEY, -- The provider's id of the message.
    session_id TEXT   NOT NULL,             -- The login.
    at         BIGINT NOT NULL,             -- The time when it was received.
    source     TEXT                         -- Why the number of a message that proved a login was known: shown, paired, or shared. NULL for others.
);
CREATE INDEX login_proofs_at ON login_proofs (at);

-- The latest message to a receiver that could not be read. Logins that wait there ask for their words once more.
CREATE TABLE login_unreadable (
    receiver TEXT   NOT NULL PRIMARY KEY, -- The phone id of the number that received it.
    at       BIGINT NOT NULL              -- The time when it was received. It is written at most every few seconds.
);

-- Signing keys of tokens.
CREATE TABLE signing_keys (
    kid            TEXT   NOT NULL PRIMARY KEY, -- The key id.
    sealed_private TEXT   NOT NULL,             -- The private key, sealed.
    public_jwk     TEXT   NOT NULL,             -- The public key as a JWK.
    status         TEXT   NOT NULL,             -- The status: next, active, previous, or retired.
    created_at     BIGINT NOT NULL,             -- The time when it was created and published.
    activated_at   BIGINT,                      -- The time from which it signs. NULL before it.
    stopped_at     BIGINT,                      -- The time when it stopped signing. NULL before it.
    retired_at     BIGINT,                      -- The time when it was removed from the JWKS. NULL before it.
    revoked        BIGINT NOT NULL DEFAULT 0,   -- 1 when an emergency rotation removed it, so that nothing that it signed counts.
    successor      TEXT                         -- The key id of the key that was published to follow it. NULL for none.
);
CREATE UNIQUE INDEX signing_keys_active ON signing_keys (status) WHERE status = 'active';
CREATE UNIQUE INDEX signing_keys_next ON signing_keys (status) WHERE status = 'next';

-- Login service: audit log and webhooks

-- The audit log of the login service.
CREATE TABLE audit_events (
    id         TEXT   NOT NULL PRIMARY KEY, -- A time-ordered ID26. It stays the same while the row counts more events.
    last_id    TEXT   NOT NULL,             -- The id of the latest event that the row stands for. Lists are in its order.
    tenant_id  TEXT   NOT NULL,             -- The tenant.
    type       TEXT   NOT NULL,             -- The type of event, such as login.started.
    at         BIGINT NOT NULL,             -- The time of the event. For a row that counts events, the time of the latest.
    first_at   BIGINT,                      -- The time of the first event of a row that counts events. NULL for one event in a row of its own.
    actor      TEXT   NOT NULL,             -- The actor's type.
    client_id  TEXT,                        -- The public identifier of the OAuth client. NULL for none.
    login_id   TEXT,                        -- The login. NULL for none.
    mode       TEXT,                        -- TEST or LIVE. NULL for none.
    result     TEXT   NOT NULL,             -- The result of the action.
    error_code TEXT,                        -- The code of the error. NULL for none.
    phone      TEXT,                        -- The phone number, masked. NULL for none.
    ip         TEXT,                        -- The network of the address, a /24 or /48. NULL for none.
    request_id TEXT,                        -- The request's id. NULL for none.
    profile_id TEXT,                        -- The person whom the event is about. NULL when it isn't known.
    minute     BIGINT,                      -- The minute of a row that counts events. NULL for one event in a row of its own.
    count      BIGINT NOT NULL DEFAULT 1,   -- The number of events that the row stands for.
    source     TEXT                         -- Why the number of a message that WhatsApp hides was known: paired or shared. NULL for others.
);
CREATE INDEX audit_events_tenant ON audit_events (tenant_id, last_id);
CREATE INDEX audit_events_type ON audit_events (tenant_id, type, last_id);
CREATE INDEX audit_events_profile ON audit_events (tenant_id, profile_id, id) WHERE profile_id IS NOT NULL;
CREATE UNIQUE INDEX audit_events_minute ON audit_events (tenant_id, type, COALESCE(client_id, ''), COALESCE(mode, ''), minute) WHERE minute IS NOT NULL;
-- Queries write the types out, as the indexes do: a parameter would match no partial index.
CREATE INDEX audit_events_latest ON audit_events (tenant_id, last_id) WHERE type NOT IN ('login.started', 'dashboard.login_failed');
CREATE INDEX audit_events_counted ON audit_events (id) WHERE type IN ('login.started', 'dashboard.login_failed');

-- Webhook events of tenants. The three tenant_hook tables are like the three webhook tables of accounts, and use the same code.
CREATE TABLE tenant_hook_events (
    tenant_id     TEXT   NOT NULL, -- The tenant.
    id            TEXT   NOT NULL, -- evt_ and the audit event's ID26. It is also the webhook-id.
    type          TEXT   NOT NULL, -- The type of event.
    body          TEXT   NOT NULL, -- The bytes of the request.
    due_at        BIGINT,          -- The time of the next attempt, or the end of the claim. NULL when nothing is left to do.
    claimed       BIGINT NOT NULL, -- 1 while a process delivers it.
    version       BIGINT NOT NULL, -- The row's version, raised by each claim.
    tries         BIGINT NOT NULL, -- The number of failed attempts, which sets the wait before the next one.
    delivered_at  BIGINT,          -- The time of the successful delivery. NULL before it.
    failed_at     BIGINT,          -- The time when it was given up after the last attempt. NULL for never.
    created_at    BIGINT NOT NULL, -- The time of the event.
    first_at      BIGINT,          -- The start of the first claim's attempt, which has no row in the table of attempts. NULL for none.
    first_status  BIGINT,          -- The HTTP status of its response. NULL for no response.
    first_latency BIGINT,          -- Its duration in milliseconds. NULL without it.
    first_answer  TEXT,            -- The first KiB of its response. NULL without it.
    first_error   TEXT,            -- The class of its error. NULL for a successful delivery.
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX tenant_hook_events_pending ON tenant_hook_events (tenant_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX tenant_hook_events_failed ON tenant_hook_events (tenant_id, id) WHERE failed_at IS NOT NULL;

-- Attempts to deliver the webhook events of tenants, except those of each event's first claim.
CREATE TABLE tenant_hook_attempts (
    tenant_id TEXT   NOT NULL, -- The tenant.
    event_id  TEXT   NOT NULL, -- The event.
    version   BIGINT NOT NULL, -- The version of the event's row that the attempt had claimed.
    at        BIGINT NOT NULL, -- The start of the attempt.
    status    BIGINT,          -- The HTTP status of the response. NULL for no response.
    latency   BIGINT NOT NULL, -- The duration in milliseconds.
    answer    TEXT   NOT NULL, -- The first KiB of the response.
    error     TEXT,            -- The class of the error. NULL for a successful delivery.
    PRIMARY KEY (tenant_id, event_id, version)
);

-- The state of each tenant's webhook endpoint. Its address and secret are in tenants.
CREATE TABLE tenant_hook_endpoints (
    tenant_id       TEXT   NOT NULL PRIMARY KEY, -- The tenant.
    owner           TEXT,                        -- The process that delivers to the endpoint. NULL for none.
    owner_until     BIGINT NOT NULL,             -- The end of that ownership.
    changed_at      BIGINT NOT NULL,             -- The time of the last change of settings, from which its state counts.
    previous_secret TEXT,                        -- The secret before, sealed, which also signs until previous_until. NULL for none.
    previous_until  BIGINT,                      -- The end of the previous secret's use. NULL for none.
    pause           BIGINT NOT NULL,             -- The circuit breaker's pause in milliseconds. 0 while it is closed.
    pause_until     BIGINT,                      -- The end of the pause. NULL while the breaker is closed.
    failing_since   BIGINT,                      -- The time since when every attempt has failed. NULL for none.
    failure_at      BIGINT,                      -- The time of the last failure. NULL for none.
    success_at      BIGINT,                      -- The time of the last success. NULL for none.
    last_status     BIGINT,                      -- The HTTP status of the last response. NULL for none.
    disabled_at     BIGINT,                      -- The time when the endpoint was disabled. NULL while it is enabled.
    disabled_for    TEXT,                        -- The reason: gone, failing, or operator. NULL while it is enabled.
    noticed_at      BIGINT                       -- The time when the audit log recorded that it is disabled. NULL before it.
);

-- Sign-ins that have ended, for clients that get logout tokens. The three client_logout tables are like the three tenant_hook tables,
-- and use the same code.
CREATE TABLE client_logout_events (
    client        TEXT   NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE, -- The client's id.
    id            TEXT   NOT NULL, -- evt_ and an ID26, the logout token's jti.
    type          TEXT   NOT NULL, -- Always logout.
    subject       TEXT   NOT NULL, -- The person's id, the logout token's sub.
    body          TEXT   NOT NULL, -- The name of the login, the logout token's sid. Empty when every login of the person has ended.
    due_at        BIGINT,          -- The time of the next attempt, or the end of the claim. NULL when nothing is left to do.
    claimed       BIGINT NOT NULL, -- 1 while a process delivers it.
    version       BIGINT NOT NULL, -- The row's version, raised by each claim.
    tries         BIGINT NOT NULL, -- The number of failed attempts, which sets the wait before the next one.
    delivered_at  BIGINT,          -- The time of the successful delivery. NULL before it.
    failed_at     BIGINT,          -- The time when it was refused, or given up after the last attempt. NULL for never.
    created_at    BIGINT NOT NULL, -- The time when the sign-in ended.
    first_at      BIGINT,          -- The start of the first claim's attempt, which has no row in the table of attempts. NULL for none.
    first_status  BIGINT,          -- The HTTP status of its response. NULL for no response.
    first_latency BIGINT,          -- Its duration in milliseconds. NULL without it.
    first_answer  TEXT,            -- The first KiB of its response. NULL without it.
    first_error   TEXT,            -- The class of its error. NULL for a successful delivery.
    PRIMARY KEY (client, id)
);
CREATE UNIQUE INDEX client_logout_events_login ON client_logout_events (subject, client, body);
CREATE INDEX client_logout_events_pending ON client_logout_events (client, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX client_logout_events_failed ON client_logout_events (client, id) WHERE failed_at IS NOT NULL;

-- Attempts to deliver logout tokens, except those of each event's first claim.
CREATE TABLE client_logout_attempts (
    client   TEXT   NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE, -- The client's id.
    event_id TEXT   NOT NULL, -- The event.
    version  BIGINT NOT NULL, -- The version of the event's row that the attempt had claimed.
    at       BIGINT NOT NULL, -- The start of the attempt.
    status   BIGINT,          -- The HTTP status of the response. NULL for no response.
    latency  BIGINT NOT NULL, -- The duration in milliseconds.
    answer   TEXT   NOT NULL, -- The first KiB of the response.
    error    TEXT,            -- The class of the error. NULL for a successful delivery.
    PRIMARY KEY (client, event_id, version)
);

-- The state of each client's address for logout tokens, which is in oauth_clients.
CREATE TABLE client_logout_endpoints (
    client          TEXT   NOT NULL PRIMARY KEY REFERENCES oauth_clients (id) ON DELETE CASCADE, -- The client's id.
    owner           TEXT,            -- The process that delivers to the address. NULL for none.
    owner_until     BIGINT NOT NULL, -- The end of that ownership.
    changed_at      BIGINT NOT NULL, -- The time of the last change of settings, from which its state counts.
    previous_secret TEXT,            -- Always NULL: logout tokens carry their own signature.
    previous_until  BIGINT,          -- Always NULL.
    pause           BIGINT NOT NULL, -- The circuit breaker's pause in milliseconds. 0 while it is closed.
    pause_until     BIGINT,          -- The end of the pause. NULL while the breaker is closed.
    failing_since   BIGINT,          -- The time since when every attempt has failed. NULL for none.
    failure_at      BIGINT,          -- The time of the last failure. NULL for none.
    success_at      BIGINT,          -- The time of the last success. NULL for none.
    last_status     BIGINT,          -- The HTTP status of the last response. NULL for none.
    disabled_at     BIGINT,          -- The time when the address was disabled. NULL while it is enabled.
    disabled_for    TEXT,            -- The reason: gone or failing. NULL while it is enabled.
    noticed_at      BIGINT           -- The time when the log recorded that it is disabled. NULL before it.
);

-- Messaging: accounts, keys, and members

-- Plans and their limits.
CREATE TABLE plans (
    name          TEXT   NOT NULL PRIMARY KEY, -- The plan's name.
    position      BIGINT NOT NULL,             -- The place from the smallest plan to the largest, so that a trial never lowers a plan.
    daily_limit   BIGINT,                      -- The number of messages per UTC day. NULL for no limit.
    rate          BIGINT,                      -- The number of requests per second and key. NULL for no limit.
    inbox         BIGINT NOT NULL,             -- 1 when the plan includes the inbox.
    recipient_cap BIGINT                       -- The number of messages per recipient and day, for accounts without their own. NULL for no limit.
);
INSERT INTO plans (name, position, daily_limit, rate, inbox) VALUES
    ('free', 0, 10, 2, 0),
    ('starter', 1, 500, 10, 0),
    ('pro', 2, 5000, 50, 1),
    ('business', 3, 50000, 200, 1),
    ('unlimited', 4, NULL, NULL, 1);

-- Accounts of the messaging service.
CREATE TABLE accounts (
    id              TEXT   NOT NULL PRIMARY KEY,   -- The account's id.
    name            TEXT   NOT NULL,               -- The account's name.
    email           TEXT   NOT NULL UNIQUE,        -- The owner's email address in lower case.
    plan            TEXT   NOT NULL,               -- The plan's name.
    recipient_cap   BIGINT,                        -- The number of messages per recipient and day. NULL for the plan's.
    webhook_url     TEXT,                          -- The endpoint for webhook events. NULL for none.
    webhook_secret  TEXT,                          -- The signing secret of the endpoint, sealed.
    created_at      BIGINT NOT NULL,               -- The time of creation.
    plan_expires_at BIGINT,                        -- The end of the plan, after which the account has the limits of free. NULL for none.
    trial_ends_at   BIGINT,                        -- The end of the trial, until which the account has the limits of pro. NULL for none.
    webhook_reads   BIGINT NOT NULL DEFAULT 1,     -- 1 when the endpoint receives message.read.
    listen_until    BIGINT,                        -- The time until which a stream of the account's events is open, for a program or a page. NULL for none.
    listened_at     BIGINT,                        -- The time when a program first opened a stream of the account's events. NULL for never.
    fallback_ms     BIGINT,                        -- The default time in milliseconds that auto waits for a delivery. NULL for no limit.
    lang            TEXT   NOT NULL DEFAULT 'fr',  -- The language of mails in the account's name.
    listen_turn     BIGINT NOT NULL DEFAULT 0,     -- The number of stream secrets so far, from which the current one is derived.
    time_zone       TEXT   NOT NULL DEFAULT 'UTC', -- The IANA name of the time zone.
    country         TEXT   NOT NULL DEFAULT '',    -- The country of numbers typed on pages without a plus: an ISO 3166-1 code or a calling code. Empty for none.
    closed_at       BIGINT,                        -- The time when the account was closed. NULL while it is open.
    whatsapp_off    BIGINT NOT NULL DEFAULT 0,     -- 1 when sign-in by WhatsApp is turned off.
    suspended_at    BIGINT,                        -- The time when an operator suspended the account. NULL while it can be used.
    suspended_for   TEXT                           -- The operator's reason, which the account's members read. NULL while it can be used.
);
CREATE INDEX accounts_closed ON accounts (id) WHERE closed_at IS NOT NULL;
CREATE INDEX accounts_suspended ON accounts (id) WHERE suspended_at IS NOT NULL;

-- Projects: parts of an account with keys of their own.
CREATE TABLE projects (
    id         TEXT   NOT NULL PRIMARY KEY,              -- The project's id.
    account_id TEXT   NOT NULL REFERENCES accounts (id), -- The account.
    name       TEXT   NOT NULL,                          -- The project's name.
    created_at BIGINT NOT NULL,                          -- The time of creation.
    deleted_at BIGINT                                    -- The time when it was deleted. NULL for never.
);
CREATE INDEX projects_account ON projects (account_id, id);

-- API keys.
CREATE TABLE api_keys (
    id           TEXT   NOT NULL PRIMARY KEY,              -- The key's id.
    account_id   TEXT   NOT NULL REFERENCES accounts (id), -- The account.
    project_id   TEXT   REFERENCES projects (id),          -- The project of a project key. NULL for the others.
    kind         TEXT   NOT NULL CHECK (kind IN ('live', 'test', 'project')), -- The kind of key.
    key_hash     TEXT   NOT NULL UNIQUE,                   -- The hash of the key.
    prefix       TEXT   NOT NULL,                          -- The first characters of the key, for display.
    created_at   BIGINT NOT NULL,                          -- The time of creation.
    revoked_at   BIGINT,                                   -- The time when it was revoked. NULL while it is valid.
    last_used_at BIGINT,                                   -- The time of the last use, to the minute. NULL for never.
    member_id    TEXT,                                     -- The member who created it. NULL for the owner or an operator.
    name         TEXT   NOT NULL DEFAULT '',               -- The name for display. Empty for none.
    expires_at   BIGINT,                                   -- The time when a key that has been replaced ends. NULL for none.
    assistant_tools TEXT NOT NULL DEFAULT ''               -- The groups of additional tools that the owner turned on for a live key at the assistant endpoint, separated by spaces. Empty for none. Unknown names have no effect.
);
CREATE INDEX api_keys_account ON api_keys (account_id, id);
CREATE INDEX api_keys_member ON api_keys (member_id) WHERE member_id IS NOT NULL;

-- Members of accounts, besides the owners.
CREATE TABLE members (
    id         TEXT   NOT NULL PRIMARY KEY,              -- The member's id.
    account_id TEXT   NOT NULL REFERENCES accounts (id), -- The account.
    email      TEXT   NOT NULL,                          -- The member's email address.
    keys_made  BIGINT NOT NULL DEFAULT 0,                -- The number of keys that the member created. The write makes a creation and a removal wait for each other.
    joined_at  BIGINT NOT NULL,                          -- The time of joining.
    removed_at BIGINT,                                   -- The time of the removal. NULL for never.
    role       TEXT   NOT NULL DEFAULT 'developer'       -- The role: developer or viewer.
);
CREATE UNIQUE INDEX members_account ON members (account_id, email) WHERE removed_at IS NULL;
CREATE INDEX members_email ON members (email) WHERE removed_at IS NULL;

-- The projects that a developer works on: created by the developer, or given by the owner.
CREATE TABLE project_members (
    member_id  TEXT NOT NULL REFERENCES members (id),  -- The member.
    project_id TEXT NOT NULL REFERENCES projects (id), -- The project.
    PRIMARY KEY (member_id, project_id)
);
CREATE INDEX project_members_project ON project_members (project_id);

-- Invitations to become a member.
CREATE TABLE member_invitations (
    id          TEXT   NOT NULL PRIMARY KEY,              -- The invitation's id.
    account_id  TEXT   NOT NULL REFERENCES accounts (id), -- The account.
    email       TEXT   NOT NULL,                          -- The invited email address.
    token_hash  TEXT   NOT NULL UNIQUE,                   -- The hash of the token in the link.
    created_at  BIGINT NOT NULL,                          -- The time of the invitation.
    expires_at  BIGINT NOT NULL,                          -- The end of its validity.
    accepted_at BIGINT,                                   -- The time when it was accepted. NULL before it.
    revoked_at  BIGINT,                                   -- The time when it was revoked. NULL for never.
    role        TEXT   NOT NULL DEFAULT 'developer',      -- The role that it gives.
    projects    TEXT   NOT NULL DEFAULT '*',              -- The ids of the projects that it gives, joined by commas. '*' gives all projects that exist when it is accepted.
    code_mac    TEXT   NOT NULL DEFAULT '',               -- The MAC of the code in the email. Empty when there is none.
    code_tries  BIGINT NOT NULL DEFAULT 0,                -- The number of attempts to enter the code.
    accepted_in TEXT                                      -- The id of the session in which it was accepted. NULL before it.
);
CREATE INDEX member_invitations_account ON member_invitations (account_id, id);
CREATE INDEX member_invitations_email ON member_invitations (email) WHERE accepted_at IS NULL AND revoked_at IS NULL;

-- Messaging: signing in to the dashboard

-- Sign-in emails and their codes. Each takes one of the places that a budget has in an hour.
CREATE TABLE sign_in_mails (
    email      TEXT   NOT NULL, -- The email address.
    budget     TEXT   NOT NULL, -- The hash of a browser that has signed in before. Empty for the budget of all others.
    place      BIGINT NOT NULL, -- The place in the budget, from 0.
    browser    TEXT   NOT NULL, -- The hash of the browser that asked, the only one in which the code is valid.
    id         TEXT   NOT NULL, -- The code's id.
    mac        TEXT   NOT NULL, -- The MAC of the code. Empty until the email is stored, and when later codes took its place.
    tries      BIGINT NOT NULL, -- The number of attempts to enter the code. Each attempt in the browser counts for all its codes that are valid.
    asked_at   BIGINT NOT NULL, -- The time of the request.
    expires_at BIGINT NOT NULL, -- The end of the code's validity.
    used_at    BIGINT,          -- The time when the code opened a session. NULL before it.
    PRIMARY KEY (email, budget, place)
);
CREATE INDEX sign_in_mails_browser ON sign_in_mails (email, browser);
CREATE INDEX sign_in_mails_asked ON sign_in_mails (asked_at);

-- Numbers that sign in to the dashboard by WhatsApp, one for an email address.
CREATE TABLE whatsapp_links (
    email     TEXT   NOT NULL PRIMARY KEY, -- The email address that the number signs in as.
    issuer    TEXT   NOT NULL,             -- The address of the login service.
    subject   TEXT   NOT NULL,             -- The login service's id of the number's owner.
    phone     TEXT   NOT NULL,             -- The phone number, masked.
    linked_at BIGINT NOT NULL,             -- The time of the link.
    UNIQUE (issuer, subject)
);

-- Sessions of the messaging dashboard. A session proves an email address, which can belong to several accounts.
CREATE TABLE account_sessions (
    id         TEXT   NOT NULL PRIMARY KEY, -- The session's id.
    email      TEXT   NOT NULL,             -- The email address.
    account_id TEXT,                        -- The account that the session shows. NULL for none.
    token_hash TEXT   NOT NULL UNIQUE,      -- The hash of the session's cookie.
    created_at BIGINT NOT NULL,             -- The time of the sign-in.
    expires_at BIGINT NOT NULL,             -- The end of the session.
    code_at    BIGINT                       -- The time of the last code from an email. NULL for never.
);
CREATE INDEX account_sessions_email ON account_sessions (email);
CREATE INDEX account_sessions_expiry ON account_sessions (expires_at);

-- The number of sign-in codes per day that were mailed to addresses without an account.
CREATE TABLE sign_up_days (
    day   BIGINT NOT NULL PRIMARY KEY, -- The day.
    codes BIGINT NOT NULL              -- The number of codes.
);

-- Messaging: audit log, alerts, and billing

-- The audit log of the messaging service.
CREATE TABLE account_audit_events (
    id          TEXT   NOT NULL PRIMARY KEY, -- A time-ordered ID26.
    account_id  TEXT   NOT NULL,             -- The account. Empty for the deployment: plans, gateways, and the platform's senders.
    at          BIGINT NOT NULL,             -- The time of the event.
    actor       TEXT   NOT NULL,             -- The actor's type: owner, member, key, operator, or system.
    actor_id    TEXT,                        -- The id of the member or key. NULL for others.
    actor_email TEXT,                        -- The email address of the owner or member. NULL for others.
    action      TEXT   NOT NULL,             -- The action.
    target      TEXT   NOT NULL,             -- The id or name of the changed object.
    details     TEXT,                        -- Details, as a JSON object of strings. NULL for none.
    ip          TEXT                         -- The network of the address, a /24 or /48. NULL for none.
);
CREATE INDEX account_audit_events_account ON account_audit_events (account_id, id);

-- Alerts for owners. Each one is mailed once.
CREATE TABLE account_alerts (
    account_id  TEXT   NOT NULL, -- The account.
    kind        TEXT   NOT NULL, -- The kind: quota_near, quota_used, sender_down, webhook_disabled, or billing_failed.
    subject     TEXT   NOT NULL, -- The day, the sender, the time when the endpoint was disabled, or the subscription.
    opened_at   BIGINT NOT NULL, -- The start of the alert.
    resolved_at BIGINT,          -- The end of the alert. NULL while it is open.
    tries       BIGINT NOT NULL, -- The number of mails that failed.
    mail_id     TEXT,            -- The message id of the mail. NULL before it.
    mail_at     BIGINT,          -- The time when a process next sends or checks the mail. NULL when nothing is left to do.
    mailed_at   BIGINT,          -- The time when the mail was sent. NULL before it.
    PRIMARY KEY (account_id, kind, subject)
);
CREATE INDEX account_alerts_open ON account_alerts (account_id) WHERE resolved_at IS NULL;

-- What accounts have asked their operator for: senders, and addresses for webhook events.
CREATE TABLE account_requests (
    id         TEXT   NOT NULL PRIMARY KEY,              -- req_ and a time-ordered ID26.
    account_id TEXT   NOT NULL REFERENCES accounts (id), -- The account.
    kind       TEXT   NOT NULL,                          -- The channel of the sender (whatsapp, sms, or email), or webhook.
    wanted     TEXT   NOT NULL,                          -- The sender's number, name, or email address, or the URL for events.
    note       TEXT   NOT NULL,                          -- The account's note to the operator. Empty for none.
    at         BIGINT NOT NULL,                          -- The time of the request.
    ended_at   BIGINT,                                   -- The time when it was carried out or declined. NULL while it is open.
    ended_as   TEXT,                                     -- The action in the audit log: request.done or request.declined. NULL while it is open.
    ended_by   TEXT                                      -- The type of actor that ended it: operator. NULL while it is open.
);
CREATE UNIQUE INDEX account_requests_open ON account_requests (account_id, kind, wanted) WHERE ended_at IS NULL;
CREATE INDEX account_requests_account ON account_requests (account_id);

-- Customers of a payment provider, and the provider's last known state of their subscription.
CREATE TABLE billing_customers (
    account_id      TEXT   NOT NULL REFERENCES accounts (id), -- The account.
    provider        TEXT   NOT NULL,                          -- The payment provider: stripe.
    mode            TEXT   NOT NULL,                          -- LIVE or TEST.
    customer_id     TEXT   NOT NULL,                          -- The provider's id of the customer.
    revision        BIGINT NOT NULL,                          -- The row's version.
    subscription_id TEXT,                                     -- The provider's id of the subscription. NULL for none.
    item_id         TEXT,                                     -- The provider's id of the subscription's item. NULL for none.
    price_id        TEXT,                                     -- The provider's id of the price. NULL for none.
    plan            TEXT,                                     -- The plan of the price when the state was read. NULL for none.
    status          TEXT,                                     -- The provider's status of the subscription. NULL for none.
    entitled        BIGINT NOT NULL,                          -- 1 when the account has the plan.
    period_end      BIGINT,                                   -- The end of the paid period. NULL for none.
    ends_at         BIGINT,                                   -- The end of a canceled subscription. NULL when it renews.
    trial_ends_at   BIGINT,                                   -- The end of the provider's trial. NULL for none.
    created_at      BIGINT NOT NULL,                          -- The time of creation.
    PRIMARY KEY (account_id, provider, mode)
);
CREATE UNIQUE INDEX billing_customers_customer ON billing_customers (provider, customer_id);

-- The payment provider's events that were processed, so that none is processed twice.
CREATE TABLE billing_events (
    id          TEXT   NOT NULL, -- The provider's id of the event.
    provider    TEXT   NOT NULL, -- The payment provider.
    account_id  TEXT   NOT NULL, -- The account.
    type        TEXT   NOT NULL, -- The provider's type of the event.
    received_at BIGINT NOT NULL, -- The time when it was received.
    PRIMARY KEY (provider, id)
);
CREATE INDEX billing_events_received ON billing_events (received_at);

-- Gateways and senders

-- Gateways that operators have added, besides those of the configuration.
CREATE TABLE gateways (
    name       TEXT   NOT NULL PRIMARY KEY, -- The gateway's name.
    kind       TEXT   NOT NULL,             -- The driver.
    settings   TEXT   NOT NULL,             -- The settings, sealed together with the name.
    revision   TEXT   NOT NULL,             -- A random value, replaced by each change.
    created_at BIGINT NOT NULL              -- The time of creation.
);

-- Phone numbers and WhatsApp IDs that were reported to belong to one person. An ID with several numbers identifies nobody.
CREATE TABLE whatsapp_ids (
    portfolio    TEXT   NOT NULL, -- The scope of the ID: a name, waba: and an id, or gateway: and a gateway's name.
    id           TEXT   NOT NULL, -- A business-scoped user ID, one of the parent portfolio, or a LID.
    number       TEXT   NOT NULL, -- The phone number in E.164 digits.
    source       TEXT   NOT NULL, -- The first report: message, receipt, change, gateway, or shared.
    learned_at   BIGINT NOT NULL, -- The time of the first report.
    confirmed_at BIGINT NOT NULL, -- The time of the latest report, to the day.
    withdrawn_at BIGINT,          -- The time since when the pair isn't used. NULL while it is.
    reason       TEXT   NOT NULL, -- The reason why it isn't used: newer_id, moved, or operator. Empty for none.
    PRIMARY KEY (portfolio, id, number)
);
CREATE INDEX whatsapp_ids_number ON whatsapp_ids (number);
CREATE INDEX whatsapp_ids_id ON whatsapp_ids (id);
CREATE INDEX whatsapp_ids_confirmed ON whatsapp_ids (confirmed_at);

-- Senders: the numbers and addresses that send and receive.
CREATE TABLE senders (
    id         TEXT   NOT NULL PRIMARY KEY,     -- The sender's id.
    account_id TEXT   REFERENCES accounts (id), -- The account. NULL for the platform's email address, which every account uses.
    channel    TEXT   NOT NULL CHECK (channel IN ('whatsapp', 'sms', 'email')), -- The channel.
    address    TEXT   NOT NULL,                 -- The number or address.
    form       TEXT   NOT NULL,                 -- The comparing form of the address: no two senders of a channel differ only in their spelling.
    gateway    TEXT   NOT NULL,                 -- The name of the gateway.
    position   BIGINT NOT NULL,                 -- The order in which an account's senders are tried.
    created_at BIGINT NOT NULL,                 -- The time of creation.
    warm_from  BIGINT,                          -- The day on which the warm-up starts. NULL for none.
    warm_first BIGINT NOT NULL DEFAULT 0,       -- The number of messages on the first day, which doubles each day.
    warm_days  BIGINT NOT NULL DEFAULT 0,       -- The number of days until there is no limit.
    paused_at  BIGINT,                          -- The time when the account paused the sender. NULL while it isn't paused.
    UNIQUE (channel, address),
    UNIQUE (form, channel)
);
CREATE INDEX senders_account ON senders (account_id, channel, position);

-- The number of messages that a sender has sent on a day of its warm-up.
CREATE TABLE sender_counts (
    sender_id TEXT   NOT NULL, -- The sender.
    day       BIGINT NOT NULL, -- The day.
    used      BIGINT NOT NULL, -- The number of messages.
    PRIMARY KEY (sender_id, day)
);

-- The last state of each sender's connection that its account was notified of.
CREATE TABLE sender_states (
    sender_id TEXT   NOT NULL PRIMARY KEY, -- The sender.
    state     TEXT   NOT NULL,             -- The connection's state.
    since     BIGINT NOT NULL,             -- The start of the state.
    reason    TEXT                         -- The reason. NULL when it was never read.
);

-- The latest states of each sender's connection.
CREATE TABLE sender_state_changes (
    sender_id TEXT   NOT NULL, -- The sender.
    id        TEXT   NOT NULL, -- A time-ordered ID26.
    at        BIGINT NOT NULL, -- The start of the state.
    state     TEXT   NOT NULL, -- The connection's state.
    reason    TEXT   NOT NULL, -- The reason. Empty when it isn't known.
    until_at  BIGINT,          -- The end that the gateway expected. NULL when it isn't known.
    PRIMARY KEY (sender_id, id)
);

-- The process that checks the connections of senders. It has one row.
CREATE TABLE sender_watch (
    id          BIGINT NOT NULL PRIMARY KEY, -- Always 1.
    owner       TEXT   NOT NULL,             -- The process. Empty for none.
    owner_until BIGINT NOT NULL              -- The end of its ownership.
);
INSERT INTO sender_watch (id, owner, owner_until) VALUES (1, '', 0);

-- Pairings: numbers that are being linked to a phone. The pairing code itself is at the gateway only.
CREATE TABLE sender_pairings (
    id         TEXT   NOT NULL PRIMARY KEY, -- A time-ordered ID26.
    sender_id  TEXT   NOT NULL,             -- The sender.
    account_id TEXT   NOT NULL,             -- The account. Empty for the platform.
    gateway    TEXT   NOT NULL,             -- The name of the gateway.
    channel    TEXT   NOT NULL,             -- The channel.
    address    TEXT   NOT NULL,             -- The number.
    method     TEXT   NOT NULL CHECK (method IN ('qr', 'code')), -- The method: a QR code to scan, or a pairing code to enter.
    started_by TEXT   NOT NULL,             -- The email address of the person who started it. Empty for the operator.
    connected  BIGINT NOT NULL,             -- 1 when the number was connected before.
    state      TEXT   NOT NULL CHECK (state IN ('starting', 'open', 'paired', 'failed')), -- The pairing's state.
    reason     TEXT   NOT NULL,             -- The reason for a failure. Empty for none.
    started_at BIGINT NOT NULL,             -- The start.
    ended_at   BIGINT,                      -- The end. NULL while it is in progress.
    tries      BIGINT NOT NULL,             -- The number of attempts to mail the owner.
    due_at     BIGINT,                      -- The time when a process next checks the pairing or its mail. NULL when nothing is left to do.
    mail_id    TEXT                         -- The message id of the mail to the owner. NULL before it.
);
CREATE UNIQUE INDEX sender_pairings_open ON sender_pairings (sender_id) WHERE ended_at IS NULL;
CREATE INDEX sender_pairings_sender ON sender_pairings (sender_id, id);
CREATE INDEX sender_pairings_due ON sender_pairings (due_at) WHERE due_at IS NOT NULL;

-- Messages and their delivery

-- Messages, from their acceptance to the end of their retention.
CREATE TABLE messages (
    id                TEXT   NOT NULL PRIMARY KEY, -- msg_ or sb_, and a time-ordered ID26.
    notification_id   TEXT   NOT NULL,             -- ntf_ and the same ID26.
    account_id        TEXT   NOT NULL,             -- The account.
    project_id        TEXT,                        -- The project of the key. NULL for none.
    requested_channel TEXT   NOT NULL,             -- The requested channel, or auto.
    channel           TEXT   NOT NULL,             -- The channel of the current route.
    recipient         TEXT   NOT NULL,             -- The recipient, as shown to the account.
    address           TEXT   NOT NULL,             -- The recipient's address on the current route, in the form that gateways use.
    sender_id         TEXT,                        -- The sender of the current route. NULL for none.
    from_address      TEXT,                        -- The sender's address at that time. NULL for none.
    gateway           TEXT,                        -- The name of the gateway of the current route. NULL for none.
    content           TEXT   NOT NULL,             -- The content as JSON. A sensitive content is sealed until the message ends, and then removed.
    sensitive         BIGINT NOT NULL,             -- 1 for one-time codes and other sensitive contents.
    source            TEXT   NOT NULL,             -- The origin of the request, such as api.
    status            TEXT   NOT NULL,             -- The status.
    rank              BIGINT NOT NULL,             -- The place of the status in the order of statuses.
    version           BIGINT NOT NULL,             -- The row's version.
    due_at            BIGINT,                      -- The time when it is next sent, or looked at again. NULL when it is ready, or nothing is left to do.
    unknown_at        BIGINT,                      -- The time since when the outcome of the call is unknown. NULL when it is known.
    provider_id       TEXT,                        -- The provider's id of the message. NULL for none.
    failure           TEXT,                        -- The failure as JSON: code, class, and the provider's code. NULL for none.
    timeline          TEXT   NOT NULL,             -- The steps as JSON objects joined by commas, so that a step is added without reading the others.
    charged_day       BIGINT,                      -- The day whose quota it used. NULL for none, or after a refund.
    created_at        BIGINT NOT NULL,             -- The time of acceptance.
    scheduled_at      BIGINT,                      -- The requested time. NULL for immediately.
    expires_at        BIGINT NOT NULL,             -- The time when it is no longer sent.
    canceled_at       BIGINT,                      -- The time when it was canceled. NULL for never.
    sent_at           BIGINT,                      -- The time when a gateway accepted it. NULL before it.
    delivered_at      BIGINT,                      -- The time of delivery. NULL before it.
    read_at           BIGINT,                      -- The time when it was read. NULL before it.
    failed_at         BIGINT,                      -- The time when it failed or expired. NULL for never.
    options           TEXT,                        -- The options of the request besides the content, as JSON. NULL for none.
    route_index       BIGINT NOT NULL DEFAULT 1,   -- The number of the current route, from 1.
    tried_routes      TEXT,                        -- The routes before, as a JSON array. NULL for none.
    tries             BIGINT NOT NULL DEFAULT 0,   -- The number of calls on this route that the gateway didn't accept.
    calls             BIGINT NOT NULL DEFAULT 0,   -- The number of calls of gateways, on all routes.
    conversation_id   TEXT,                        -- The conversation of the inbox in which it is shown. NULL for none.
    metadata          TEXT,                        -- The account's own data about the message, as a JSON object of strings. NULL for none.
    seq               BIGINT,                      -- The order of acceptance. One-time codes have numbers below all others.
    order_key         TEXT,                        -- The group or address whose messages are sent in order. Empty for no order. NULL when it is no longer needed.
    handed_over       BIGINT,                      -- 1 when a gateway has the message, or might have it. NULL otherwise.
    pricing           TEXT                         -- What the provider reported about the price: + when it charges for the message or - when it doesn't, and the category. NULL for nothing.
);
CREATE INDEX messages_due ON messages (sender_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX messages_ready ON messages (sender_id, seq, order_key) WHERE status = 'QUEUED' AND due_at IS NULL;
CREATE INDEX messages_repeated ON messages (sender_id, order_key, seq) WHERE status = 'SENDING' AND due_at = unknown_at; -- those that a gateway is called with again
CREATE INDEX messages_account ON messages (account_id, created_at, id);
CREATE INDEX messages_simulated ON messages (account_id, created_at, id) WHERE status = 'SANDBOX';
CREATE INDEX messages_failed ON messages (account_id, created_at, id) WHERE failure IS NOT NULL;

-- Idempotency keys of stored messages.
CREATE TABLE idempotency_keys (
    account_id  TEXT NOT NULL, -- The account.
    key         TEXT NOT NULL, -- The key.
    message_id  TEXT NOT NULL, -- The message.
    fingerprint TEXT NOT NULL, -- The hash of the request, to refuse another request with the same key.
    PRIMARY KEY (account_id, key)
);

-- The number of messages per account and day.
CREATE TABLE quotas (
    account_id TEXT   NOT NULL, -- The account.
    day        BIGINT NOT NULL, -- The day.
    used       BIGINT NOT NULL, -- The number of messages.
    PRIMARY KEY (account_id, day)
);
CREATE INDEX quotas_day ON quotas (day);

-- The number of messages per account, recipient, and day.
CREATE TABLE recipient_counts (
    account_id TEXT   NOT NULL, -- The account.
    recipient  TEXT   NOT NULL, -- The recipient, as in person_aliases.person.
    day        BIGINT NOT NULL, -- The day.
    used       BIGINT NOT NULL, -- The number of messages.
    PRIMARY KEY (account_id, recipient, day)
);

-- The ids under which receipts name messages, for gateways that don't return the reference of a message.
CREATE TABLE provider_refs (
    gateway     TEXT   NOT NULL, -- The name of the gateway.
    provider_id TEXT   NOT NULL, -- The provider's id.
    ref         TEXT   NOT NULL, -- The message's reference: its id, and the number of its route. Empty while only the receipt is known.
    at          BIGINT NOT NULL, -- The time of the call or of the receipt.
    early       TEXT,            -- A receipt that came before the id was stored: two digits for the rank of its status, and JSON. NULL for none.
    PRIMARY KEY (gateway, provider_id)
);
CREATE INDEX provider_refs_at ON provider_refs (at);
CREATE INDEX provider_refs_early ON provider_refs (ref, gateway) WHERE early IS NOT NULL;

-- Reports of delivered parts, for gateways that report each part of a message. A message is delivered when all its parts are.
CREATE TABLE part_receipts (
    ref   TEXT   NOT NULL, -- The message's reference, as in provider_refs.
    part  TEXT   NOT NULL, -- The id of the report. Empty for the report that the message was sent.
    total BIGINT NOT NULL, -- The number of the message's parts, as the report states it. 0 when it doesn't.
    at    BIGINT NOT NULL, -- The time when the report arrived.
    PRIMARY KEY (ref, part)
);
CREATE INDEX part_receipts_at ON part_receipts (at);

-- Recipients who have opted out. One-time codes are sent to them nevertheless. The channel whatsapp_marketing stands for
-- marketing messages on WhatsApp, which people can refuse without refusing others.
CREATE TABLE opt_outs (
    account_id TEXT   NOT NULL, -- The account.
    channel    TEXT   NOT NULL, -- The channel, or whatsapp_marketing.
    person     TEXT   NOT NULL, -- The recipient, as in person_aliases.person.
    address    TEXT   NOT NULL, -- The recipient's address, as it was given.
    reason     TEXT   NOT NULL, -- The reason: said for the recipient's own words, provider for a refusal by the provider's list, bounced or complained for an email, added by the account.
    at         BIGINT NOT NULL, -- The time of the opt-out. For a refusal, one second before the provider was called.
    PRIMARY KEY (account_id, channel, person)
);
CREATE INDEX opt_outs_list ON opt_outs (account_id, channel, address);

-- The last STOP or START of each person, and their last choice about marketing messages, so that one that arrives late
-- doesn't undo a later one.
CREATE TABLE opt_out_keywords (
    account_id TEXT   NOT NULL, -- The account.
    channel    TEXT   NOT NULL, -- The channel, or whatsapp_marketing.
    person     TEXT   NOT NULL, -- The person, as in person_aliases.person.
    at         BIGINT NOT NULL, -- The time when the person wrote or chose it, or the known time of a provider's refusal.
    PRIMARY KEY (account_id, channel, person)
);
CREATE INDEX opt_out_keywords_at ON opt_out_keywords (at);

-- Whether accounts' templates are marketing, as the prices of their messages said last. For requests that don't say so. At most
-- 500 for each account; the oldest goes.
CREATE TABLE template_categories (
    account_id TEXT   NOT NULL, -- The account.
    name       TEXT   NOT NULL, -- The template's name.
    language   TEXT   NOT NULL, -- The template's language.
    marketing  BIGINT NOT NULL, -- 1 if the category is marketing, otherwise 0.
    at         BIGINT NOT NULL, -- The time when this category was first reported.
    PRIMARY KEY (account_id, name, language)
);

-- Other forms of people's addresses. A provider has acknowledged a message to the alias under the person's own id, or has
-- reported the alias, a WhatsApp ID, together with the person's number.
CREATE TABLE person_aliases (
    account_id TEXT NOT NULL, -- The account.
    alias      TEXT NOT NULL, -- The form of an address, in which all spellings of it are the same. A pseudonym after an erasure.
    person     TEXT NOT NULL, -- The form that stands for the person, which is no alias itself.
    PRIMARY KEY (account_id, alias)
);
CREATE INDEX person_aliases_person ON person_aliases (account_id, person);
CREATE INDEX person_aliases_alias ON person_aliases (alias);

-- The processes that deliver, on PostgreSQL. A node can write until another node raises its epoch.
CREATE TABLE nodes (
    id    TEXT   NOT NULL PRIMARY KEY, -- The node's random id.
    epoch BIGINT NOT NULL,             -- The node's epoch.
    until BIGINT NOT NULL,             -- The end of its lease, by the database's clock.
    UNIQUE (id, epoch)
);

-- The node that delivers for each sender. A row whose node and epoch don't exist stands for no node.
CREATE TABLE sender_owners (
    sender_id    TEXT   NOT NULL PRIMARY KEY, -- The sender.
    node_id      TEXT   NOT NULL,             -- The node.
    node_epoch   BIGINT NOT NULL,             -- The node's epoch when it became the owner.
    pause        BIGINT NOT NULL DEFAULT 0,   -- The circuit breaker's pause in milliseconds. 0 while it is closed.
    paused_until BIGINT NOT NULL DEFAULT 0    -- The end of the pause.
);

-- The pause of all sending. While it has its one row, no process sends, until an operator resumes sending.
CREATE TABLE sending_pause (
    id            BIGINT NOT NULL PRIMARY KEY, -- Always 1.
    paused_at     BIGINT NOT NULL,             -- The start of the pause.
    reason        TEXT   NOT NULL CHECK (reason IN ('operator', 'restored')), -- The reason.
    restored_from BIGINT,                      -- The time of the latest data in the restored database. NULL for an operator's pause.
    end_before    BIGINT                       -- Messages that were due before this time are still to be ended. NULL when none are left.
);

-- The progress of the cleanup of messages and of their contents.
CREATE TABLE retention_marks (
    name     TEXT NOT NULL PRIMARY KEY, -- The name of the cleanup.
    position TEXT NOT NULL              -- The id of the last message that was checked. Empty at the start.
);

-- Messages that a cleanup has skipped because they hadn't ended.
CREATE TABLE retention_later (
    message_id TEXT   NOT NULL PRIMARY KEY, -- The message.
    at         BIGINT NOT NULL              -- The time when its content is checked again.
);
CREATE INDEX retention_later_at ON retention_later (at);

-- Erasures of a person's data, which continue after a crash. A finished one doesn't name the person.
CREATE TABLE person_erasures (
    id          TEXT   NOT NULL PRIMARY KEY, -- era_ and a time-ordered ID26.
    account_id  TEXT   NOT NULL,             -- The account.
    pseudonym   TEXT   NOT NULL,             -- The value that replaces the person's address.
    person      TEXT,                        -- The address, sealed. NULL when the erasure has ended.
    step        BIGINT NOT NULL,             -- The current step.
    position    TEXT   NOT NULL,             -- The position within the step. Empty at its start.
    messages    BIGINT NOT NULL,             -- The number of messages to the person.
    canceled    BIGINT NOT NULL,             -- The number of these that were canceled.
    received    BIGINT NOT NULL,             -- The number of messages from the person.
    events      BIGINT NOT NULL,             -- The number of webhook events about the person.
    retry_at    BIGINT NOT NULL,             -- The time when another process can continue.
    created_at  BIGINT NOT NULL,             -- The start.
    finished_at BIGINT                       -- The end. NULL while it is in progress.
);
CREATE UNIQUE INDEX person_erasures_open ON person_erasures (account_id, pseudonym) WHERE finished_at IS NULL;
CREATE INDEX person_erasures_account ON person_erasures (account_id, id);

-- Webhooks of accounts

-- Webhook events of accounts. The account is first in the key, so that one index finds, lists, and deletes an account's events.
CREATE TABLE webhook_events (
    account_id    TEXT   NOT NULL, -- The account.
    id            TEXT   NOT NULL, -- evt_ and a time-ordered ID26. It is also the webhook-id.
    type          TEXT   NOT NULL, -- The type of event.
    body          TEXT   NOT NULL, -- The bytes of the request.
    due_at        BIGINT,          -- The time of the next attempt, or the end of the claim. NULL when nothing is left to do.
    claimed       BIGINT NOT NULL, -- 1 while a process delivers it.
    version       BIGINT NOT NULL, -- The row's version, raised by each claim.
    tries         BIGINT NOT NULL, -- The number of failed attempts, which sets the wait before the next one.
    delivered_at  BIGINT,          -- The time of the successful delivery. NULL before it.
    failed_at     BIGINT,          -- The time when it was given up after the last attempt. NULL for never.
    heard_at      BIGINT,          -- The time when it was stored, for open streams of events. NULL when none was open.
    streamed_at   BIGINT,          -- The time when a program got it by a stream. NULL for never, or if there was an endpoint.
    created_at    BIGINT NOT NULL, -- The time of the event.
    first_at      BIGINT,          -- The start of the first claim's attempt, which has no row in the table of attempts. NULL for none.
    first_status  BIGINT,          -- The HTTP status of its response. NULL for no response.
    first_latency BIGINT,          -- Its duration in milliseconds. NULL without it.
    first_answer  TEXT,            -- The first KiB of its response. NULL without it.
    first_error   TEXT,            -- The class of its error. NULL for a successful delivery.
    PRIMARY KEY (account_id, id)
);
CREATE INDEX webhook_events_pending ON webhook_events (account_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_events_failed ON webhook_events (account_id, id) WHERE failed_at IS NOT NULL;
CREATE INDEX webhook_events_heard ON webhook_events (account_id, heard_at) WHERE heard_at IS NOT NULL;

-- Attempts to deliver the webhook events of accounts, except those of each event's first claim.
CREATE TABLE webhook_attempts (
    account_id TEXT   NOT NULL, -- The account.
    event_id   TEXT   NOT NULL, -- The event.
    version    BIGINT NOT NULL, -- The version of the event's row that the attempt had claimed.
    at         BIGINT NOT NULL, -- The start of the attempt.
    status     BIGINT,          -- The HTTP status of the response. NULL for no response.
    latency    BIGINT NOT NULL, -- The duration in milliseconds.
    answer     TEXT   NOT NULL, -- The first KiB of the response.
    error      TEXT,            -- The class of the error. NULL for a successful delivery.
    PRIMARY KEY (account_id, event_id, version)
);

-- The state of each account's webhook endpoint. Its address and secret are in accounts.
CREATE TABLE webhook_endpoints (
    account_id      TEXT   NOT NULL PRIMARY KEY, -- The account.
    owner           TEXT,                        -- The process that delivers to the endpoint. NULL for none.
    owner_until     BIGINT NOT NULL,             -- The end of that ownership.
    changed_at      BIGINT NOT NULL,             -- The time of the last change of settings, from which its state counts.
    previous_secret TEXT,                        -- The secret before, sealed, which also signs until previous_until. NULL for none.
    previous_until  BIGINT,                      -- The end of the previous secret's use. NULL for none.
    pause           BIGINT NOT NULL,             -- The circuit breaker's pause in milliseconds. 0 while it is closed.
    pause_until     BIGINT,                      -- The end of the pause. NULL while the breaker is closed.
    failing_since   BIGINT,                      -- The time since when every attempt has failed. NULL for none.
    failure_at      BIGINT,                      -- The time of the last failure. NULL for none.
    success_at      BIGINT,                      -- The time of the last success. NULL for none.
    last_status     BIGINT,                      -- The HTTP status of the last response. NULL for none.
    disabled_at     BIGINT,                      -- The time when the endpoint was disabled. NULL while it is enabled.
    disabled_for    TEXT,                        -- The reason: gone, failing, or operator. NULL while it is enabled.
    noticed_at      BIGINT                       -- The time when the account was notified that it is disabled. NULL before it.
);

-- One-time codes

-- Challenges: one-time codes to verify. The code itself is not stored.
CREATE TABLE otp_challenges (
    id          TEXT   NOT NULL PRIMARY KEY, -- otp_ and a random ID26.
    account_id  TEXT   NOT NULL,             -- The account.
    address     TEXT   NOT NULL,             -- The recipient, as in person_aliases.person.
    prefix      TEXT   NOT NULL,             -- The number's first digits, by which fraud is detected.
    message_id  TEXT   NOT NULL,             -- The message with the code. The challenge is void when no gateway accepted it.
    sandbox     BIGINT NOT NULL,             -- 1 when the message is simulated.
    turn        BIGINT NOT NULL,             -- The order of the requests for one number.
    code_mac    TEXT   NOT NULL,             -- The HMAC of the challenge's id and the code, in base64url.
    request_mac TEXT   NOT NULL,             -- The MAC of the request, to refuse another request with the same idempotency key.
    attempts    BIGINT NOT NULL,             -- The number of codes that were compared.
    created_at  BIGINT NOT NULL,             -- The time of the request.
    expires_at  BIGINT NOT NULL,             -- The end of the code's validity.
    used_at     BIGINT                       -- The time when the right code was entered. NULL before it.
);
CREATE UNIQUE INDEX otp_challenges_message ON otp_challenges (message_id);
CREATE INDEX otp_challenges_number ON otp_challenges (account_id, address, turn);
CREATE INDEX otp_challenges_prefix ON otp_challenges (account_id, prefix, created_at);
CREATE INDEX otp_challenges_expiry ON otp_challenges (expires_at);

-- The last three requests of an account for a number.
CREATE TABLE otp_rates (
    account_id TEXT   NOT NULL, -- The account.
    address    TEXT   NOT NULL, -- The recipient, as in person_aliases.person.
    turn       BIGINT NOT NULL, -- The number of requests so far.
    at1        BIGINT NOT NULL, -- The time of the latest request.
    at2        BIGINT NOT NULL, -- The time of the request before it.
    at3        BIGINT NOT NULL, -- The time of the request before that.
    PRIMARY KEY (account_id, address)
);
CREATE INDEX otp_rates_at ON otp_rates (at1);

-- Idempotency keys whose first request is in progress. Repetitions of it don't count as requests.
CREATE TABLE otp_claims (
    account_id TEXT   NOT NULL, -- The account.
    key        TEXT   NOT NULL, -- The idempotency key.
    at         BIGINT NOT NULL, -- The time of the first request.
    PRIMARY KEY (account_id, key)
);
CREATE INDEX otp_claims_at ON otp_claims (at);

-- The number of codes of all accounts per hour to a country or a prefix.
CREATE TABLE otp_caps (
    area TEXT   NOT NULL, -- The area, such as country:223 or prefix:2237600.
    hour BIGINT NOT NULL, -- The hour.
    sent BIGINT NOT NULL, -- The number of codes.
    PRIMARY KEY (area, hour)
);
CREATE INDEX otp_caps_hour ON otp_caps (hour);

-- Prefixes that are blocked for an account because too few of its codes to them were verified.
CREATE TABLE otp_blocks (
    account_id TEXT   NOT NULL, -- The account.
    prefix     TEXT   NOT NULL, -- The prefix.
    since      BIGINT NOT NULL, -- The start of the block. Earlier codes no longer count.
    until      BIGINT NOT NULL, -- The end of the block.
    PRIMARY KEY (account_id, prefix)
);
CREATE INDEX otp_blocks_until ON otp_blocks (until);

-- The inbox

-- The state of each account's inbox. A visible change locks this row and raises its revision.
CREATE TABLE inbox_states (
    account_id   TEXT   NOT NULL PRIMARY KEY, -- The account.
    revision     BIGINT NOT NULL,             -- The number of visible changes so far.
    unread       BIGINT NOT NULL,             -- The number of unread messages in all conversations.
    hidden_since BIGINT                       -- The time since when the plan doesn't include the inbox, which is emptied 30 days later. NULL while it is shown.
);

-- Conversations of an account, one for each contact.
CREATE TABLE conversations (
    id           TEXT   NOT NULL PRIMARY KEY, -- cnv_ and a time-ordered ID26.
    account_id   TEXT   NOT NULL,             -- The account.
    person       TEXT   NOT NULL,             -- The contact, as in person_aliases.person.
    phone        TEXT   NOT NULL,             -- The contact's number in E.164 digits. Empty when it isn't known.
    contact_id   TEXT,                        -- The contact's WhatsApp ID. NULL when it isn't known.
    username     TEXT,                        -- The contact's WhatsApp username without @. NULL for none.
    sender_id    TEXT   NOT NULL,             -- The account's number that the contact wrote to last.
    name         TEXT,                        -- The contact's name. NULL when it isn't known.
    last_at      BIGINT NOT NULL,             -- The time of the newest message.
    last_preview TEXT   NOT NULL,             -- The start of the newest message.
    last_out     BIGINT NOT NULL DEFAULT 0,   -- 1 when the account sent the newest message.
    unread       BIGINT NOT NULL,             -- The number of unread messages.
    read_to      BIGINT NOT NULL,             -- The revision up to which messages are read.
    UNIQUE (account_id, person)
);
CREATE INDEX conversations_newest ON conversations (account_id, last_at, id);

-- Messages between an account and its contacts: those of conversations, and those received by SMS, which are in none.
CREATE TABLE inbox_messages (
    id              TEXT   NOT NULL PRIMARY KEY, -- msg_ and a time-ordered ID26. For a message that was sent through Griot, the id in messages.
    account_id      TEXT   NOT NULL,             -- The account.
    conversation_id TEXT,                        -- The conversation. NULL for none.
    direction       TEXT   NOT NULL CHECK (direction IN ('in', 'out')), -- in for a received message, out for a sent one.
    channel         TEXT   NOT NULL,             -- The channel.
    type            TEXT   NOT NULL,             -- The type of content, such as text.
    content         TEXT   NOT NULL,             -- The text.
    media_url       TEXT,                        -- The address of the attachment. NULL for none.
    mime_type       TEXT,                        -- The attachment's type. NULL for none.
    file_name       TEXT,                        -- The attachment's file name. NULL for none.
    from_address    TEXT   NOT NULL,             -- The author's address: a number or a WhatsApp ID, or local: and the sender of an SMS that isn't an international number.
    sender_id       TEXT   NOT NULL,             -- The account's number.
    provider_id     TEXT,                        -- The provider's id of a received message, or of one that the owner of the account's number wrote on another device. NULL for one that was sent through Griot.
    revision        BIGINT NOT NULL,             -- The revision of the inbox when it was added. 0 outside of conversations.
    at              BIGINT NOT NULL,             -- The time of the message.
    choice_id       TEXT,                        -- The id of the pressed button or row. NULL for none.
    choice_title    TEXT,                        -- The title of the pressed button or row. NULL for none.
    response        TEXT,                        -- The answers of a form, as a JSON object. NULL for none.
    reply_to        TEXT,                        -- The id of the message that it replies to. NULL when it isn't known.
    edited_at       BIGINT,                      -- The time of its author's last edit. NULL for none.
    deleted_at      BIGINT,                      -- The time when its author deleted it, and thereby its content. NULL when it isn't deleted.
    standby         BIGINT NOT NULL DEFAULT 0,   -- 1 when the provider's own agent had the conversation when it was received.
    UNIQUE (sender_id, provider_id)
);
CREATE INDEX inbox_messages_newest ON inbox_messages (conversation_id, at, id);
CREATE INDEX inbox_messages_age ON inbox_messages (at, id);
CREATE INDEX inbox_messages_account ON inbox_messages (account_id, at, id) WHERE conversation_id IS NOT NULL;
CREATE INDEX inbox_messages_outside ON inbox_messages (account_id, at, id) WHERE conversation_id IS NULL;

-- Attachments of received messages. They are fetched from the gateway once, and stored sealed as long as their message.
CREATE TABLE inbox_media (
    id         TEXT   NOT NULL PRIMARY KEY, -- med_ and a time-ordered ID26.
    message_id TEXT   UNIQUE REFERENCES inbox_messages (id) ON DELETE SET NULL, -- The message. NULL when the attachment is to be deleted.
    account_id TEXT   NOT NULL,             -- The account.
    gateway    TEXT   NOT NULL,             -- The name of the gateway.
    state      TEXT   NOT NULL CHECK (state IN ('pending', 'stored', 'missing')), -- The state.
    reason     TEXT   NOT NULL,             -- The reason why it is missing. Empty for none.
    source     TEXT   NOT NULL,             -- The place of a pending attachment at the gateway, sealed.
    event      TEXT   NOT NULL,             -- The webhook event of a pending attachment's message, sealed. Empty for none.
    tries      BIGINT NOT NULL,             -- The number of attempts to fetch it.
    announced  BIGINT NOT NULL DEFAULT 0,   -- 1 when the webhook event was sent before the attachment was fetched.
    claim      TEXT   NOT NULL,             -- The claim of the process that fetches it.
    due_at     BIGINT NOT NULL,             -- The time of the next attempt, or the end of the claim.
    size       BIGINT NOT NULL,             -- The size in bytes. 0 until it is stored.
    mime_type  TEXT   NOT NULL,             -- The attachment's type.
    shown      BIGINT NOT NULL              -- 1 when a browser can show it within a page.
);
CREATE INDEX inbox_media_due ON inbox_media (gateway, due_at) WHERE state = 'pending';
CREATE INDEX inbox_media_account ON inbox_media (account_id, size);
CREATE INDEX inbox_media_deleted ON inbox_media (id) WHERE message_id IS NULL;

-- The contents of attachments, in pieces.
CREATE TABLE inbox_media_chunks (
    media_id TEXT   NOT NULL REFERENCES inbox_media (id), -- The attachment.
    n        BIGINT NOT NULL,                             -- The number of the piece, from 0.
    sealed   TEXT   NOT NULL,                             -- The piece, sealed.
    PRIMARY KEY (media_id, n)
);

-- Conversations that were marked as read, which the gateways are still to be notified of.
CREATE TABLE inbox_reads (
    conversation_id TEXT   NOT NULL PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE, -- The conversation.
    sender_id       TEXT   NOT NULL, -- The account's number that the contact wrote to last.
    account_id      TEXT   NOT NULL, -- The account.
    from_revision   BIGINT NOT NULL, -- The revision after which the read messages start.
    to_revision     BIGINT NOT NULL, -- The revision of the last read message.
    at              BIGINT NOT NULL, -- The time when they were marked as read.
    tries           BIGINT NOT NULL, -- The number of attempts to notify the gateway.
    claim           TEXT   NOT NULL, -- The claim of the process that notifies the gateway.
    due_at          BIGINT NOT NULL  -- The time of the next attempt, or the end of the claim.
);
CREATE INDEX inbox_reads_due ON inbox_reads (sender_id, due_at);
