-- How long messages are kept (retention): how far the sweeps of messages and of what they say have come, and what they
-- have passed because it had not ended yet.
-- +goose Up
CREATE TABLE retention_marks (
    name     TEXT NOT NULL PRIMARY KEY, -- of a sweep
    position TEXT NOT NULL              -- the last id that it has looked at; '' at its beginning
);

CREATE TABLE retention_later (
    message_id TEXT   NOT NULL PRIMARY KEY,
    at         BIGINT NOT NULL -- when what it says is looked at again
);
CREATE INDEX retention_later_at ON retention_later (at);

-- +goose Down
DROP TABLE retention_later;
DROP TABLE retention_marks;
