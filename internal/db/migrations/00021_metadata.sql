-- What an account notes on a message for itself; and times in their order.
-- +goose Up
ALTER TABLE messages ADD COLUMN metadata TEXT; -- JSON, an object of texts; NULL: none

-- A gateway's clock may be behind ours: receipts could say that a message arrived before it was sent.
UPDATE messages SET delivered_at = sent_at WHERE delivered_at < sent_at;
UPDATE messages SET read_at = delivered_at WHERE read_at < delivered_at;

-- +goose Down
ALTER TABLE messages DROP COLUMN metadata;
