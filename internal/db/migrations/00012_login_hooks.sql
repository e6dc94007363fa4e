-- Webhooks of tenants. The three tables are those of accounts (00010), without listeners: internal/webhook works on both.
-- +goose Up
ALTER TABLE tenants ADD COLUMN webhook_url TEXT;
ALTER TABLE tenants ADD COLUMN webhook_secret TEXT; -- sealed
ALTER TABLE login_sessions ADD COLUMN told BIGINT NOT NULL DEFAULT 0; -- 1: when it started, its tenant had an endpoint

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
CREATE INDEX tenant_hook_events_pending ON tenant_hook_events (tenant_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX tenant_hook_events_failed ON tenant_hook_events (tenant_id, id) WHERE failed_at IS NOT NULL;

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

-- What is known of a tenant's endpoint beside its address and secret, which are the tenant's.
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

-- +goose Down
DROP TABLE tenant_hook_endpoints;
DROP TABLE tenant_hook_attempts;
DROP TABLE tenant_hook_events;
ALTER TABLE login_sessions DROP COLUMN told;
ALTER TABLE tenants DROP COLUMN webhook_secret;
ALTER TABLE tenants DROP COLUMN webhook_url;
