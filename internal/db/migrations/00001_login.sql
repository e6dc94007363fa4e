-- Login by message. Times are Unix milliseconds; hashes are SHA-256 as base64url.
-- +goose Up
CREATE TABLE tenants (
    id         TEXT   NOT NULL PRIMARY KEY,
    name       TEXT   NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE invitations (
    id         TEXT   NOT NULL PRIMARY KEY,
    tenant_id  TEXT   NOT NULL REFERENCES tenants (id),
    key_hash   TEXT   NOT NULL UNIQUE,
    expires_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);

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
);

-- The words in use: one session per receiver and words. A row whose time is over may be taken again.
CREATE TABLE login_words (
    receiver   TEXT   NOT NULL,
    words_key  TEXT   NOT NULL,
    session_id TEXT   NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (receiver, words_key)
);

-- One message proves one session.
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
);
CREATE UNIQUE INDEX signing_keys_active ON signing_keys (status) WHERE status = 'active';

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
CREATE INDEX audit_events_tenant ON audit_events (tenant_id, id);

-- +goose Down
DROP TABLE audit_events;
DROP TABLE signing_keys;
DROP TABLE login_proofs;
DROP TABLE login_words;
DROP TABLE login_sessions;
DROP TABLE profiles;
DROP TABLE oauth_clients;
DROP TABLE invitations;
DROP TABLE tenants;
