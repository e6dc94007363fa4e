-- Delivering webhooks. An event's key begins with its account, so that an account's events lie together and one index is enough to find, page and sweep them.
-- +goose Up
ALTER TABLE accounts ADD COLUMN webhook_reads BIGINT NOT NULL DEFAULT 1; -- 0: message.read is not told
ALTER TABLE accounts ADD COLUMN listen_until BIGINT;                     -- until when somebody listens to the account's events

CREATE TABLE webhook_outbox (
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
INSERT INTO webhook_outbox (account_id, id, type, body, due_at, claimed, attempt, tries, created_at)
    SELECT account_id, id, type, body, due_at, 0, attempt, 0, created_at FROM webhook_events;
DROP TABLE webhook_events;
ALTER TABLE webhook_outbox RENAME TO webhook_events;
CREATE INDEX webhook_events_pending ON webhook_events (account_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_events_failed ON webhook_events (account_id, id) WHERE failed_at IS NOT NULL;
CREATE INDEX webhook_events_heard ON webhook_events (account_id, heard_at) WHERE heard_at IS NOT NULL;

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

-- What is known of an account's endpoint beside its address and secret, which are the account's.
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

-- +goose Down
DROP TABLE webhook_endpoints;
DROP TABLE webhook_attempts;
CREATE TABLE webhook_inbox (
    id         TEXT   NOT NULL PRIMARY KEY,
    account_id TEXT   NOT NULL,
    type       TEXT   NOT NULL,
    body       TEXT   NOT NULL,
    due_at     BIGINT,
    attempt    BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
INSERT INTO webhook_inbox (id, account_id, type, body, due_at, attempt, created_at) SELECT id, account_id, type, body, due_at, attempt, created_at FROM webhook_events;
DROP TABLE webhook_events;
ALTER TABLE webhook_inbox RENAME TO webhook_events;
CREATE INDEX webhook_events_due ON webhook_events (due_at) WHERE due_at IS NOT NULL;
ALTER TABLE accounts DROP COLUMN listen_until;
ALTER TABLE accounts DROP COLUMN webhook_reads;
