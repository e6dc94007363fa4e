-- The latest states of each sender's connection.
-- +goose Up
CREATE TABLE sender_state_changes (
    sender_id TEXT   NOT NULL,
    id        TEXT   NOT NULL, -- a time-ordered ID26
    at        BIGINT NOT NULL, -- since when it was so
    state     TEXT   NOT NULL,
    reason    TEXT   NOT NULL, -- '': unknown
    until_at  BIGINT,          -- when the gateway expected it to end; NULL: unknown
    PRIMARY KEY (sender_id, id)
);

-- +goose Down
DROP TABLE sender_state_changes;
