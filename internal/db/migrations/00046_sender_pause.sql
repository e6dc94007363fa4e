-- An account may pause its senders.
-- +goose Up
ALTER TABLE senders ADD COLUMN paused_at BIGINT; -- NULL: it is not paused

-- +goose Down
ALTER TABLE senders DROP COLUMN paused_at;
