-- What was marked as read, and the gateways are yet to be told.
-- +goose Up
CREATE TABLE inbox_reads (
    conversation_id TEXT   NOT NULL PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
    sender_id       TEXT   NOT NULL, -- the account's number that the contact wrote to last: each is told in turn
    account_id      TEXT   NOT NULL,
    from_revision   BIGINT NOT NULL, -- messages that came with a later revision
    to_revision     BIGINT NOT NULL, -- up to this one
    at              BIGINT NOT NULL, -- when they were marked
    tries           BIGINT NOT NULL,
    claim           TEXT   NOT NULL, -- of who tells the gateway
    due_at          BIGINT NOT NULL -- when it is to be told, again if nobody has
);
CREATE INDEX inbox_reads_due ON inbox_reads (sender_id, due_at);

-- +goose Down
DROP TABLE inbox_reads;
