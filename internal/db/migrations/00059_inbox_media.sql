-- Attachments of what people wrote. They are fetched from the gateway once, and kept sealed as long as their message.
-- +goose Up
CREATE TABLE inbox_media (
    id         TEXT   NOT NULL PRIMARY KEY, -- med_ and a time-ordered ID26
    message_id TEXT UNIQUE REFERENCES inbox_messages (id) ON DELETE SET NULL, -- NULL: it is to be deleted
    account_id TEXT   NOT NULL,
    gateway    TEXT   NOT NULL,
    state      TEXT   NOT NULL CHECK (state IN ('pending', 'stored', 'missing')),
    reason     TEXT   NOT NULL, -- why it is missing
    source     TEXT   NOT NULL, -- of a pending one: where the gateway has it, sealed
    event      TEXT   NOT NULL, -- of a pending one: the message's webhook event, sealed; '': there is none
    tries      BIGINT NOT NULL,
    claim      TEXT   NOT NULL, -- of who fetches it
    due_at     BIGINT NOT NULL, -- when it is to be fetched, again if nobody has
    size       BIGINT NOT NULL, -- bytes; 0 until it is stored
    mime_type  TEXT   NOT NULL,
    shown      BIGINT NOT NULL  -- 1: a browser may show it in place
);
CREATE INDEX inbox_media_due ON inbox_media (gateway, due_at) WHERE state = 'pending';
CREATE INDEX inbox_media_account ON inbox_media (account_id, size);
CREATE INDEX inbox_media_deleted ON inbox_media (id) WHERE message_id IS NULL;

CREATE TABLE inbox_media_chunks (
    media_id TEXT   NOT NULL REFERENCES inbox_media (id),
    n        BIGINT NOT NULL,
    sealed   TEXT   NOT NULL,
    PRIMARY KEY (media_id, n)
);

-- +goose Down
DROP TABLE inbox_media_chunks;
DROP TABLE inbox_media;
