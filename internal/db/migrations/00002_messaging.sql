-- Messaging. Times are Unix milliseconds; hashes are SHA-256 as base64url.
-- +goose Up
CREATE TABLE accounts (
    id             TEXT   NOT NULL PRIMARY KEY,
    name           TEXT   NOT NULL,
    email          TEXT   NOT NULL UNIQUE,
    plan           TEXT   NOT NULL,
    recipient_cap  BIGINT,          -- messages a recipient and day; NULL: none
    webhook_url    TEXT,
    webhook_secret TEXT,            -- sealed
    created_at     BIGINT NOT NULL
);

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
);

CREATE TABLE senders (
    id         TEXT   NOT NULL PRIMARY KEY,
    account_id TEXT   REFERENCES accounts (id), -- NULL: every account's (the platform's e-mail address)
    channel    TEXT   NOT NULL CHECK (channel IN ('whatsapp', 'sms', 'email')),
    address    TEXT   NOT NULL,
    gateway    TEXT   NOT NULL,
    position   BIGINT NOT NULL, -- the order in which an account's senders are tried
    created_at BIGINT NOT NULL,
    UNIQUE (channel, address)
);
CREATE INDEX senders_account ON senders (account_id, channel, position);

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
);
CREATE INDEX messages_due ON messages (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX messages_account ON messages (account_id, created_at, id);

-- Keys never expire, and so have a table of their own.
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

CREATE TABLE webhook_events (
    id         TEXT   NOT NULL PRIMARY KEY, -- evt_ and a time-ordered ID26; the webhook-id
    account_id TEXT   NOT NULL,
    type       TEXT   NOT NULL,
    body       TEXT   NOT NULL, -- the bytes that will be delivered
    due_at     BIGINT,
    attempt    BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX webhook_events_due ON webhook_events (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE inbound_messages (
    id           TEXT   NOT NULL PRIMARY KEY,
    account_id   TEXT   NOT NULL,
    sender_id    TEXT   NOT NULL, -- the account's number that received it
    provider_id  TEXT   NOT NULL,
    channel      TEXT   NOT NULL,
    from_address TEXT   NOT NULL,
    display_name TEXT,
    text         TEXT   NOT NULL,
    at           BIGINT NOT NULL,
    received_at  BIGINT NOT NULL,
    UNIQUE (sender_id, provider_id)
);
CREATE INDEX inbound_messages_account ON inbound_messages (account_id, id);

-- +goose Down
DROP TABLE inbound_messages;
DROP TABLE webhook_events;
DROP TABLE recipient_counts;
DROP TABLE quotas;
DROP TABLE idempotency_keys;
DROP TABLE messages;
DROP TABLE senders;
DROP TABLE api_keys;
DROP TABLE projects;
DROP TABLE accounts;
