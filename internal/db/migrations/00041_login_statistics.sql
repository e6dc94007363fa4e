-- Counting a tenant's events of one type, and listing them.
-- +goose Up
CREATE INDEX audit_events_type ON audit_events (tenant_id, type, id);

-- +goose Down
DROP INDEX audit_events_type;
