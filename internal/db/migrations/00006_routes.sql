-- Messages that may go more than one way, or more than once.
-- +goose Up
ALTER TABLE messages ADD COLUMN wish TEXT;                       -- JSON: what was asked for beside the content (message.Wish); NULL: nothing
ALTER TABLE messages ADD COLUMN hop BIGINT NOT NULL DEFAULT 1;   -- which way it is on: 1 is the first
ALTER TABLE messages ADD COLUMN left_behind TEXT;                -- JSON: the ways that were tried before (message.Way)
ALTER TABLE messages ADD COLUMN tries BIGINT NOT NULL DEFAULT 0; -- attempts on this way that handed nothing over
ALTER TABLE messages ADD COLUMN calls BIGINT NOT NULL DEFAULT 0; -- how often a gateway was asked to carry it
ALTER TABLE messages ADD COLUMN conversation_id TEXT;            -- the inbox's, if it shows there

-- What is due is taken up sender by sender.
DROP INDEX messages_due;
CREATE INDEX messages_due ON messages (sender_id, due_at) WHERE due_at IS NOT NULL;

-- The ids under which receipts come from gateways that do not carry our reference.
CREATE TABLE provider_refs (
    gateway     TEXT   NOT NULL,
    provider_id TEXT   NOT NULL,
    ref         TEXT   NOT NULL,
    at          BIGINT NOT NULL,
    PRIMARY KEY (gateway, provider_id)
);
CREATE INDEX provider_refs_at ON provider_refs (at);

-- Who wants no more messages. Codes come all the same.
CREATE TABLE opt_outs (
    account_id TEXT   NOT NULL,
    channel    TEXT   NOT NULL,
    address    TEXT   NOT NULL,
    reason     TEXT   NOT NULL, -- said: the person said so; bounced, complained: an e-mail came back
    at         BIGINT NOT NULL,
    PRIMARY KEY (account_id, channel, address)
);

-- +goose Down
DROP INDEX messages_due;
CREATE INDEX messages_due ON messages (due_at) WHERE due_at IS NOT NULL;
DROP TABLE opt_outs;
DROP TABLE provider_refs;
ALTER TABLE messages DROP COLUMN conversation_id;
ALTER TABLE messages DROP COLUMN calls;
ALTER TABLE messages DROP COLUMN tries;
ALTER TABLE messages DROP COLUMN left_behind;
ALTER TABLE messages DROP COLUMN hop;
ALTER TABLE messages DROP COLUMN wish;
