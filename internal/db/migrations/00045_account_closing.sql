-- Since when an account is closed: its data is erased 30 days later.
-- +goose Up
ALTER TABLE accounts ADD COLUMN closed_at BIGINT; -- NULL: it is open
CREATE INDEX accounts_closed ON accounts (id) WHERE closed_at IS NOT NULL;

-- +goose Down
DROP INDEX accounts_closed;
ALTER TABLE accounts DROP COLUMN closed_at;
