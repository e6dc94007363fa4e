-- Why a login ended before its time, and what the overview and the sweeper look for.
-- +goose Up
ALTER TABLE login_sessions ADD COLUMN ended_by TEXT; -- second_phone, person, wrong_codes, client; NULL: time, or it has not ended

-- The type is written out, as in the queries: a parameter would match no partial index.
CREATE INDEX audit_events_latest ON audit_events (tenant_id, id) WHERE type <> 'login.started';
CREATE INDEX audit_events_started ON audit_events (id) WHERE type = 'login.started';

-- +goose Down
DROP INDEX audit_events_started;
DROP INDEX audit_events_latest;
ALTER TABLE login_sessions DROP COLUMN ended_by;
