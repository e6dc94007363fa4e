PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE goose_db_version (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);
INSERT INTO goose_db_version VALUES(1,0,1,'2026-11-22 00:00:00');
INSERT INTO goose_db_version VALUES(2,1,1,'2026-11-22 00:00:00');
INSERT INTO goose_db_version VALUES(3,2,1,'2026-11-22 00:00:00');
INSERT INTO goose_db_version VALUES(4,3,1,'2026-11-22 00:00:00');
INSERT INTO goose_db_version VALUES(5,4,1,'2026-11-22 00:00:00');
INSERT INTO goose_db_version VALUES(6,5,1,'2026-11-22 00:00:00');
INSERT INTO goose_db_version VALUES(7,6,1,'2026-11-22 00:00:00');
INSERT INTO goose_db_version VALUES(8,7,1,'2026-11-22 00:00:00');
INSERT INTO goose_db_version VALUES(9,8,1,'2026-11-22 00:00:00');
INSERT INTO goose_db_version VALUES(10,9,1,'2026-11-22 00:00:00');
INSERT INTO goose_db_version VALUES(11,10,1,'2026-11-22 00:00:00');
INSERT INTO goose_db_version VALUES(12,11,1,'2026-11-22 00:00:00');
INSERT INTO goose_db_version VALUES(13,12,1,'2026-11-22 00:00:00');
INSERT INTO goose_db_version VALUES(14,14,1,'2026-11-22 00:00:00');
INSERT INTO goose_db_version VALUES(15,15,1,'2026-11-22 00:00:00');
CREATE TABLE tenants (
    id         TEXT   NOT NULL PRIMARY KEY,
    name       TEXT   NOT NULL,
    created_at BIGINT NOT NULL
, webhook_url TEXT, webhook_secret TEXT);
CREATE TABLE invitations (
    id         TEXT   NOT NULL PRIMARY KEY,
    tenant_id  TEXT   NOT NULL REFERENCES tenants (id),
    key_hash   TEXT   NOT NULL UNIQUE,
    expires_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL
, single_use BIGINT NOT NULL DEFAULT 0, used_at BIGINT, revoked_at BIGINT);
CREATE TABLE oauth_clients (
    id            TEXT   NOT NULL PRIMARY KEY,
    tenant_id     TEXT   NOT NULL REFERENCES tenants (id),
    client_id     TEXT   NOT NULL UNIQUE,
    type          TEXT   NOT NULL CHECK (type IN ('PUBLIC', 'CONFIDENTIAL')),
    mode          TEXT   NOT NULL CHECK (mode IN ('TEST', 'LIVE')),
    redirect_uris TEXT   NOT NULL, -- a JSON array
    secret_hash   TEXT,            -- CONFIDENTIAL only
    active        BIGINT NOT NULL,
    created_at    BIGINT NOT NULL
);
CREATE TABLE profiles (
    id            TEXT   NOT NULL PRIMARY KEY,
    tenant_id     TEXT   NOT NULL REFERENCES tenants (id),
    phone         TEXT   NOT NULL,
    mode          TEXT   NOT NULL,
    display_name  TEXT,
    metadata      TEXT   NOT NULL,
    first_seen_at BIGINT NOT NULL,
    UNIQUE (tenant_id, phone, mode)
);
CREATE TABLE login_sessions (
    id              TEXT   NOT NULL PRIMARY KEY,
    tenant_id       TEXT   NOT NULL,
    tenant_name     TEXT   NOT NULL, -- as shown to the person
    client_id       TEXT   NOT NULL, -- the public identifier
    mode            TEXT   NOT NULL,
    cookie_hash     TEXT   NOT NULL,
    redirect_uri    TEXT   NOT NULL,
    state           TEXT   NOT NULL,
    code_challenge  TEXT   NOT NULL, -- '' when there is none
    receiver        TEXT   NOT NULL, -- the phone id that the words must be sent to; '' when none was connected
    words           TEXT   NOT NULL, -- as shown
    words_key       TEXT   NOT NULL, -- as matched
    status          TEXT   NOT NULL,
    created_at      BIGINT NOT NULL,
    expires_at      BIGINT NOT NULL, -- the end of the time to prove
    live_until      BIGINT NOT NULL, -- the end of the time to hand back
    verified_at     BIGINT,
    phone           TEXT,            -- of the proof, like the next three
    provider        TEXT,
    code_nonce      TEXT,
    code_hash       TEXT   UNIQUE,
    code_expires_at BIGINT,          -- set by the first hand-back
    wrong_tries     BIGINT NOT NULL,
    consumed_at     BIGINT,
    token_id        TEXT,            -- jti of the token that was issued
    token_revoked   BIGINT NOT NULL
, told BIGINT NOT NULL DEFAULT 0);
CREATE TABLE login_words (
    receiver   TEXT   NOT NULL,
    words_key  TEXT   NOT NULL,
    session_id TEXT   NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (receiver, words_key)
);
CREATE TABLE login_proofs (
    message_id TEXT   NOT NULL PRIMARY KEY,
    session_id TEXT   NOT NULL,
    at         BIGINT NOT NULL
);
CREATE TABLE signing_keys (
    kid            TEXT   NOT NULL PRIMARY KEY,
    sealed_private TEXT   NOT NULL,
    public_jwk     TEXT   NOT NULL,
    status         TEXT   NOT NULL,
    created_at     BIGINT NOT NULL
, activated_at BIGINT, stopped_at BIGINT, retired_at BIGINT, successor TEXT);
CREATE TABLE audit_events (
    id         TEXT   NOT NULL PRIMARY KEY,
    tenant_id  TEXT   NOT NULL,
    type       TEXT   NOT NULL,
    at         BIGINT NOT NULL,
    actor      TEXT   NOT NULL,
    client_id  TEXT,
    login_id   TEXT,
    mode       TEXT,
    result     TEXT   NOT NULL,
    error_code TEXT,
    phone      TEXT, -- masked
    ip         TEXT, -- /24 or /48
    request_id TEXT
);
CREATE TABLE accounts (
    id             TEXT   NOT NULL PRIMARY KEY,
    name           TEXT   NOT NULL,
    email          TEXT   NOT NULL UNIQUE,
    plan           TEXT   NOT NULL,
    recipient_cap  BIGINT,          -- messages a recipient and day; NULL: none
    webhook_url    TEXT,
    webhook_secret TEXT,            -- sealed
    created_at     BIGINT NOT NULL
, plan_expires_at BIGINT, trial_ends_at BIGINT, webhook_reads BIGINT NOT NULL DEFAULT 1, listen_until BIGINT, fallback_ms BIGINT);
CREATE TABLE projects (
    id         TEXT   NOT NULL PRIMARY KEY,
    account_id TEXT   NOT NULL REFERENCES accounts (id),
    name       TEXT   NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE TABLE api_keys (
    id         TEXT   NOT NULL PRIMARY KEY,
    account_id TEXT   NOT NULL REFERENCES accounts (id),
    project_id TEXT   REFERENCES projects (id),
    kind       TEXT   NOT NULL CHECK (kind IN ('live', 'test', 'project')),
    key_hash   TEXT   NOT NULL UNIQUE,
    prefix     TEXT   NOT NULL, -- what a dashboard may show
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
, last_used_at BIGINT, member_id TEXT);
CREATE TABLE senders (
    id         TEXT   NOT NULL PRIMARY KEY,
    account_id TEXT   REFERENCES accounts (id), -- NULL: every account's (the platform's e-mail address)
    channel    TEXT   NOT NULL CHECK (channel IN ('whatsapp', 'sms', 'email')),
    address    TEXT   NOT NULL,
    gateway    TEXT   NOT NULL,
    position   BIGINT NOT NULL, -- the order in which an account's senders are tried
    created_at BIGINT NOT NULL, warm_from BIGINT, warm_first BIGINT NOT NULL DEFAULT 0, warm_days BIGINT NOT NULL DEFAULT 0,
    UNIQUE (channel, address)
);
CREATE TABLE messages (
    id                TEXT   NOT NULL PRIMARY KEY, -- msg_ or sb_ and a time-ordered ID26
    notification_id   TEXT   NOT NULL,             -- ntf_ and the same ID26
    account_id        TEXT   NOT NULL,
    project_id        TEXT,
    requested_channel TEXT   NOT NULL,
    channel           TEXT   NOT NULL,
    recipient         TEXT   NOT NULL, -- as received
    address           TEXT   NOT NULL, -- as gateways take it
    sender_id         TEXT,
    from_address      TEXT,            -- the sender's address when it was sent
    gateway           TEXT,
    content           TEXT   NOT NULL, -- JSON: text, html, subject; sealed while a sensitive message is on its way, then nothing
    sensitive         BIGINT NOT NULL,
    source            TEXT   NOT NULL,
    status            TEXT   NOT NULL,
    rank              BIGINT NOT NULL,
    attempt           BIGINT NOT NULL, -- the fence: only the attempt's owner may finish it
    claimed_from      TEXT,            -- the status that the last claim found
    due_at            BIGINT,          -- when it is next to be looked at: QUEUED to be sent, SENDING when its lease is over
    unknown_at        BIGINT,          -- since when its outcome is unknown
    provider_id       TEXT,
    failure           TEXT,            -- JSON: code, class, providerCode
    timeline          TEXT   NOT NULL, -- JSON objects joined by commas, so that a step is added without reading
    charged_day       BIGINT,          -- the day whose quota it used; NULL: none
    created_at        BIGINT NOT NULL,
    scheduled_at      BIGINT,          -- when it was asked to be sent; NULL: at once
    expires_at        BIGINT NOT NULL,
    canceled_at       BIGINT,
    sent_at           BIGINT,
    delivered_at      BIGINT,
    read_at           BIGINT,
    failed_at         BIGINT
, wish TEXT, hop BIGINT NOT NULL DEFAULT 1, left_behind TEXT, tries BIGINT NOT NULL DEFAULT 0, calls BIGINT NOT NULL DEFAULT 0, conversation_id TEXT);
CREATE TABLE idempotency_keys (
    account_id  TEXT NOT NULL,
    key         TEXT NOT NULL,
    message_id  TEXT NOT NULL,
    fingerprint TEXT NOT NULL, -- hash of what was asked for
    PRIMARY KEY (account_id, key)
);
CREATE TABLE quotas (
    account_id TEXT   NOT NULL,
    day        BIGINT NOT NULL, -- days since 1970-01-01 UTC
    used       BIGINT NOT NULL,
    PRIMARY KEY (account_id, day)
);
CREATE TABLE recipient_counts (
    account_id TEXT   NOT NULL,
    recipient  TEXT   NOT NULL,
    day        BIGINT NOT NULL,
    used       BIGINT NOT NULL,
    PRIMARY KEY (account_id, recipient, day)
);
CREATE TABLE dashboard_sessions (
    id            TEXT   NOT NULL PRIMARY KEY,
    tenant_id     TEXT   NOT NULL REFERENCES tenants (id),
    invitation_id TEXT   NOT NULL REFERENCES invitations (id),
    token_hash    TEXT   NOT NULL UNIQUE,
    created_at    BIGINT NOT NULL,
    expires_at    BIGINT NOT NULL
);
CREATE TABLE provider_refs (
    gateway     TEXT   NOT NULL,
    provider_id TEXT   NOT NULL,
    ref         TEXT   NOT NULL,
    at          BIGINT NOT NULL,
    PRIMARY KEY (gateway, provider_id)
);
CREATE TABLE opt_outs (
    account_id TEXT   NOT NULL,
    channel    TEXT   NOT NULL,
    address    TEXT   NOT NULL,
    reason     TEXT   NOT NULL, -- said: the person said so; bounced, complained: an e-mail came back
    at         BIGINT NOT NULL,
    PRIMARY KEY (account_id, channel, address)
);
CREATE TABLE plans (
    name          TEXT   NOT NULL PRIMARY KEY,
    position      BIGINT NOT NULL, -- the smallest plan first: a trial lifts, and never lowers
    daily_limit   BIGINT,          -- messages a UTC day; NULL: no limit
    rate          BIGINT,          -- requests a second and key; NULL: no limit
    inbox         BIGINT NOT NULL,
    recipient_cap BIGINT           -- of accounts without one of their own; NULL: none
);
INSERT INTO plans VALUES('free',0,10,2,0,NULL);
INSERT INTO plans VALUES('starter',1,500,10,0,NULL);
INSERT INTO plans VALUES('pro',2,5000,50,1,NULL);
INSERT INTO plans VALUES('business',3,50000,200,1,NULL);
INSERT INTO plans VALUES('unlimited',4,NULL,NULL,1,NULL);
CREATE TABLE members (
    id         TEXT   NOT NULL PRIMARY KEY,
    account_id TEXT   NOT NULL REFERENCES accounts (id),
    email      TEXT   NOT NULL,
    keys_made  BIGINT NOT NULL DEFAULT 0, -- counted where a key is made, so that this waits for a removal and a removal for this
    joined_at  BIGINT NOT NULL,
    removed_at BIGINT
);
CREATE TABLE member_invitations (
    id          TEXT   NOT NULL PRIMARY KEY,
    account_id  TEXT   NOT NULL REFERENCES accounts (id),
    email       TEXT   NOT NULL,
    token_hash  TEXT   NOT NULL UNIQUE,
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL,
    accepted_at BIGINT,
    revoked_at  BIGINT
);
CREATE TABLE sign_in_codes (
    email      TEXT   NOT NULL PRIMARY KEY,
    id         TEXT   NOT NULL,
    mac        TEXT   NOT NULL, -- '' once it was used
    tries      BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    window_at  BIGINT NOT NULL,
    issued     BIGINT NOT NULL
);
CREATE TABLE account_sessions (
    id         TEXT   NOT NULL PRIMARY KEY,
    email      TEXT   NOT NULL,
    account_id TEXT,
    token_hash TEXT   NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE TABLE otp_challenges (
    id          TEXT   NOT NULL PRIMARY KEY, -- otp_ and a random ID26
    account_id  TEXT   NOT NULL,
    address     TEXT   NOT NULL, -- the number, as gateways take it
    prefix      TEXT   NOT NULL, -- the number's first digits, by which pumping is seen
    message_id  TEXT   NOT NULL, -- what carries the code; a challenge is void when that was never handed over
    sandbox     BIGINT NOT NULL,
    turn        BIGINT NOT NULL, -- orders the requests for one number
    code_mac    TEXT   NOT NULL,
    request_mac TEXT   NOT NULL, -- of what was asked for, to notice a replay with another body
    attempts    BIGINT NOT NULL, -- guesses that were judged
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL,
    used_at     BIGINT           -- when the right code came; NULL: not yet
);
CREATE TABLE otp_rates (
    account_id TEXT   NOT NULL,
    address    TEXT   NOT NULL,
    turn       BIGINT NOT NULL, -- how many there have been
    at1        BIGINT NOT NULL,
    at2        BIGINT NOT NULL,
    at3        BIGINT NOT NULL,
    PRIMARY KEY (account_id, address)
);
CREATE TABLE otp_claims (
    account_id TEXT   NOT NULL,
    key        TEXT   NOT NULL,
    at         BIGINT NOT NULL,
    PRIMARY KEY (account_id, key)
);
CREATE TABLE otp_caps (
    area TEXT   NOT NULL, -- country:223 or prefix:2237600
    hour BIGINT NOT NULL, -- hours since 1970-01-01 UTC
    sent BIGINT NOT NULL,
    PRIMARY KEY (area, hour)
);
CREATE TABLE otp_blocks (
    account_id TEXT   NOT NULL,
    prefix     TEXT   NOT NULL,
    since      BIGINT NOT NULL, -- what was sent before no longer counts
    until      BIGINT NOT NULL,
    PRIMARY KEY (account_id, prefix)
);
CREATE TABLE inbox_states (
    account_id TEXT   NOT NULL PRIMARY KEY,
    revision   BIGINT NOT NULL, -- how many visible changes there were
    unread     BIGINT NOT NULL  -- of all conversations
);
CREATE TABLE conversations (
    id           TEXT   NOT NULL PRIMARY KEY, -- cnv_ and a time-ordered ID26
    account_id   TEXT   NOT NULL,
    phone        TEXT   NOT NULL, -- the contact's, E.164 digits
    sender_id    TEXT   NOT NULL, -- the account's number that the contact wrote to last
    name         TEXT,
    last_at      BIGINT NOT NULL, -- of the newest message
    last_preview TEXT   NOT NULL,
    unread       BIGINT NOT NULL,
    read_to      BIGINT NOT NULL, -- messages that came with a later revision are unread
    UNIQUE (account_id, phone)
);
CREATE TABLE inbox_messages (
    id              TEXT   NOT NULL PRIMARY KEY, -- msg_ and a time-ordered ID26; of one that went out, the message's own
    account_id      TEXT   NOT NULL,
    conversation_id TEXT,
    direction       TEXT   NOT NULL CHECK (direction IN ('in', 'out')),
    channel         TEXT   NOT NULL,
    type            TEXT   NOT NULL,
    content         TEXT   NOT NULL,
    media_url       TEXT,
    mime_type       TEXT,
    file_name       TEXT,
    from_address    TEXT   NOT NULL,
    sender_id       TEXT   NOT NULL, -- the account's number
    provider_id     TEXT,            -- NULL for what went out: its status is the message's
    revision        BIGINT NOT NULL, -- the account's when it came; 0: in no conversation
    at              BIGINT NOT NULL,
    UNIQUE (sender_id, provider_id)
);
CREATE TABLE IF NOT EXISTS "webhook_events" (
    account_id   TEXT   NOT NULL,
    id           TEXT   NOT NULL, -- evt_ and a time-ordered ID26; the webhook-id
    type         TEXT   NOT NULL,
    body         TEXT   NOT NULL, -- the bytes that will be delivered
    due_at       BIGINT,          -- when it is next to be tried, or its lease ends; NULL: nothing more to do
    claimed      BIGINT NOT NULL, -- 1: a worker has it
    attempt      BIGINT NOT NULL, -- the fence: only the claim's owner may finish it
    tries        BIGINT NOT NULL, -- that failed: its place in the schedule
    delivered_at BIGINT,
    failed_at    BIGINT,          -- given up after all its tries
    heard_at     BIGINT,          -- when it was written down, for listeners; NULL: there was none
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE TABLE webhook_attempts (
    account_id TEXT   NOT NULL,
    event_id   TEXT   NOT NULL,
    attempt    BIGINT NOT NULL,
    at         BIGINT NOT NULL,
    status     BIGINT,          -- NULL: there was no answer
    latency    BIGINT NOT NULL, -- milliseconds
    answer     TEXT   NOT NULL, -- the first KiB
    error      TEXT,            -- NULL: delivered
    PRIMARY KEY (account_id, event_id, attempt)
);
CREATE TABLE webhook_endpoints (
    account_id      TEXT   NOT NULL PRIMARY KEY,
    owner           TEXT,            -- the process that delivers to it
    owner_until     BIGINT NOT NULL,
    changed_at      BIGINT NOT NULL, -- what was learned before is void
    previous_secret TEXT,            -- sealed; signs too until previous_until
    previous_until  BIGINT,
    pause           BIGINT NOT NULL, -- the breaker's, in milliseconds; 0: it is closed
    pause_until     BIGINT,
    failing_since   BIGINT,
    failure_at      BIGINT,
    success_at      BIGINT,
    last_status     BIGINT,
    disabled_at     BIGINT,
    disabled_for    TEXT,            -- gone, failing, operator
    noticed_at      BIGINT           -- when the account was told that it is disabled
);
CREATE TABLE gateways (
    name       TEXT   NOT NULL PRIMARY KEY,
    kind       TEXT   NOT NULL,
    settings   TEXT   NOT NULL, -- sealed, about the name
    revision   TEXT   NOT NULL, -- another one with each change
    created_at BIGINT NOT NULL
);
CREATE TABLE sender_states (
    sender_id TEXT   NOT NULL PRIMARY KEY,
    state     TEXT   NOT NULL,
    since     BIGINT NOT NULL
);
CREATE TABLE sender_watch (
    id          BIGINT NOT NULL PRIMARY KEY,
    owner       TEXT   NOT NULL,
    owner_until BIGINT NOT NULL
);
INSERT INTO sender_watch VALUES(1,'',0);
CREATE TABLE tenant_hook_events (
    tenant_id    TEXT   NOT NULL,
    id           TEXT   NOT NULL, -- evt_ and the audit event's ID26; the webhook-id
    type         TEXT   NOT NULL,
    body         TEXT   NOT NULL, -- the bytes that will be delivered
    due_at       BIGINT,          -- when it is next to be tried, or its lease ends; NULL: nothing more to do
    claimed      BIGINT NOT NULL, -- 1: a process has it
    attempt      BIGINT NOT NULL, -- the fence: only the claim's owner may finish it
    tries        BIGINT NOT NULL, -- that failed: its place in the schedule
    delivered_at BIGINT,
    failed_at    BIGINT,          -- given up after all its tries
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE TABLE tenant_hook_attempts (
    tenant_id TEXT   NOT NULL,
    event_id  TEXT   NOT NULL,
    attempt   BIGINT NOT NULL,
    at        BIGINT NOT NULL,
    status    BIGINT,          -- NULL: there was no answer
    latency   BIGINT NOT NULL, -- milliseconds
    answer    TEXT   NOT NULL, -- the first KiB
    error     TEXT,            -- NULL: delivered
    PRIMARY KEY (tenant_id, event_id, attempt)
);
CREATE TABLE tenant_hook_endpoints (
    tenant_id       TEXT   NOT NULL PRIMARY KEY,
    owner           TEXT,            -- the process that delivers to it
    owner_until     BIGINT NOT NULL,
    changed_at      BIGINT NOT NULL, -- what was learned before is void
    previous_secret TEXT,            -- sealed; signs too until previous_until
    previous_until  BIGINT,
    pause           BIGINT NOT NULL, -- the breaker's, in milliseconds; 0: it is closed
    pause_until     BIGINT,
    failing_since   BIGINT,
    failure_at      BIGINT,
    success_at      BIGINT,
    last_status     BIGINT,
    disabled_at     BIGINT,
    disabled_for    TEXT,            -- gone, failing, operator
    noticed_at      BIGINT           -- when that became an audit event
);
CREATE TABLE sender_counts (
    sender_id TEXT   NOT NULL,
    day       BIGINT NOT NULL, -- days since 1970-01-01 UTC
    used      BIGINT NOT NULL,
    PRIMARY KEY (sender_id, day)
);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('goose_db_version',15);
CREATE UNIQUE INDEX signing_keys_active ON signing_keys (status) WHERE status = 'active';
CREATE INDEX audit_events_tenant ON audit_events (tenant_id, id);
CREATE INDEX senders_account ON senders (account_id, channel, position);
CREATE INDEX messages_account ON messages (account_id, created_at, id);
CREATE INDEX invitations_tenant ON invitations (tenant_id, id);
CREATE INDEX oauth_clients_tenant ON oauth_clients (tenant_id, id);
CREATE INDEX dashboard_sessions_invitation ON dashboard_sessions (invitation_id);
CREATE INDEX dashboard_sessions_expiry ON dashboard_sessions (expires_at);
CREATE UNIQUE INDEX signing_keys_next ON signing_keys (status) WHERE status = 'next';
CREATE UNIQUE INDEX login_sessions_token ON login_sessions (token_id) WHERE token_id IS NOT NULL;
CREATE INDEX login_sessions_phone ON login_sessions (phone) WHERE phone IS NOT NULL;
CREATE INDEX login_words_expiry ON login_words (expires_at);
CREATE INDEX login_proofs_at ON login_proofs (at);
CREATE INDEX messages_due ON messages (sender_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX provider_refs_at ON provider_refs (at);
CREATE INDEX api_keys_account ON api_keys (account_id, id);
CREATE INDEX api_keys_member ON api_keys (member_id) WHERE member_id IS NOT NULL;
CREATE INDEX projects_account ON projects (account_id, id);
CREATE UNIQUE INDEX members_account ON members (account_id, email) WHERE removed_at IS NULL;
CREATE INDEX members_email ON members (email) WHERE removed_at IS NULL;
CREATE INDEX member_invitations_account ON member_invitations (account_id, id);
CREATE INDEX member_invitations_email ON member_invitations (email) WHERE accepted_at IS NULL AND revoked_at IS NULL;
CREATE INDEX sign_in_codes_expiry ON sign_in_codes (expires_at);
CREATE INDEX account_sessions_email ON account_sessions (email);
CREATE INDEX account_sessions_expiry ON account_sessions (expires_at);
CREATE UNIQUE INDEX otp_challenges_message ON otp_challenges (message_id);
CREATE INDEX otp_challenges_number ON otp_challenges (account_id, address, turn);
CREATE INDEX otp_challenges_prefix ON otp_challenges (account_id, prefix, created_at);
CREATE INDEX otp_challenges_expiry ON otp_challenges (expires_at);
CREATE INDEX otp_rates_at ON otp_rates (at1);
CREATE INDEX otp_claims_at ON otp_claims (at);
CREATE INDEX otp_caps_hour ON otp_caps (hour);
CREATE INDEX otp_blocks_until ON otp_blocks (until);
CREATE INDEX conversations_newest ON conversations (account_id, last_at, id);
CREATE INDEX inbox_messages_newest ON inbox_messages (conversation_id, at, id);
CREATE INDEX inbox_messages_age ON inbox_messages (at, id);
CREATE INDEX webhook_events_pending ON webhook_events (account_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_events_failed ON webhook_events (account_id, id) WHERE failed_at IS NOT NULL;
CREATE INDEX webhook_events_heard ON webhook_events (account_id, heard_at) WHERE heard_at IS NOT NULL;
CREATE INDEX tenant_hook_events_pending ON tenant_hook_events (tenant_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX tenant_hook_events_failed ON tenant_hook_events (tenant_id, id) WHERE failed_at IS NOT NULL;
COMMIT;
