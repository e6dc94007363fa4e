-- Delivery: where a message is, who may write it, and which node delivers for a sender.

-- +goose Up
ALTER TABLE messages ADD COLUMN seq BIGINT;           -- the order of acceptance; one-time codes come below all others
ALTER TABLE messages ADD COLUMN order_key TEXT;       -- the group or address before which the order is kept; '' for none; NULL once nobody asks
ALTER TABLE messages ADD COLUMN may_have_left BIGINT; -- 1: a gateway has it, or may have it
UPDATE messages SET seq = 0, order_key = CASE WHEN sensitive = 1 THEN '' ELSE address END WHERE status IN ('SCHEDULED', 'QUEUED', 'SENDING');
UPDATE messages SET may_have_left = 1 WHERE sent_at IS NOT NULL OR unknown_at IS NOT NULL OR left_behind LIKE '%"sent":true%' OR left_behind LIKE '%"unknown":true%';
CREATE INDEX messages_ready ON messages (sender_id, seq, order_key) WHERE status = 'QUEUED' AND due_at IS NULL;

-- The processes that deliver. A node may write as long as nobody has raised its epoch.
CREATE TABLE nodes (
    id    TEXT   NOT NULL PRIMARY KEY,
    epoch BIGINT NOT NULL,
    until BIGINT NOT NULL, -- its lease, in the database's time
    UNIQUE (id, epoch)
);

-- Which node delivers for a sender: nobody when there is no node of that id and epoch.
CREATE TABLE sender_owners (
    sender_id    TEXT   NOT NULL PRIMARY KEY,
    node_id      TEXT   NOT NULL,
    node_epoch   BIGINT NOT NULL,
    pause        BIGINT NOT NULL DEFAULT 0, -- the circuit breaker's, in milliseconds; 0: it is closed
    paused_until BIGINT NOT NULL DEFAULT 0
);

-- A receipt may be faster than what it is about: then it is kept here until the other half comes.
ALTER TABLE provider_refs ADD COLUMN early TEXT; -- JSON, after two digits: the rank of its status
CREATE INDEX provider_refs_early ON provider_refs (ref, gateway) WHERE early IS NOT NULL;

-- +goose Down
DROP INDEX provider_refs_early;
ALTER TABLE provider_refs DROP COLUMN early;
DROP TABLE sender_owners;
DROP TABLE nodes;
DROP INDEX messages_ready;
ALTER TABLE messages DROP COLUMN may_have_left;
ALTER TABLE messages DROP COLUMN order_key;
ALTER TABLE messages DROP COLUMN seq;
