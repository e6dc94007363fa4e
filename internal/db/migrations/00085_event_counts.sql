-- Events that anybody can cause are one row a minute, with how many they were.
-- +goose Up
ALTER TABLE audit_events ADD COLUMN minute BIGINT;                     -- since 1970, of a row that counts events; NULL: one event with a row of its own
ALTER TABLE audit_events ADD COLUMN count BIGINT NOT NULL DEFAULT 1;   -- how many events the row stands for
CREATE UNIQUE INDEX audit_events_minute ON audit_events (tenant_id, type, COALESCE(client_id, ''), COALESCE(mode, ''), minute) WHERE minute IS NOT NULL;

-- The types are written out, as in the queries: a parameter would match no partial index.
DROP INDEX audit_events_latest;
DROP INDEX audit_events_started;
CREATE INDEX audit_events_latest ON audit_events (tenant_id, id) WHERE type NOT IN ('login.started', 'dashboard.login_failed');
CREATE INDEX audit_events_counted ON audit_events (id) WHERE type IN ('login.started', 'dashboard.login_failed');

-- +goose Down
DROP INDEX audit_events_counted;
DROP INDEX audit_events_latest;
CREATE INDEX audit_events_started ON audit_events (id) WHERE type = 'login.started';
CREATE INDEX audit_events_latest ON audit_events (tenant_id, id) WHERE type <> 'login.started';
DROP INDEX audit_events_minute;
ALTER TABLE audit_events DROP COLUMN count;
ALTER TABLE audit_events DROP COLUMN minute;
