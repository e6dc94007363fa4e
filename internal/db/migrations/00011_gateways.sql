-- Gateways that operators add while Griot runs, beside those of the configuration; and how senders' connections are.
-- +goose Up
CREATE TABLE gateways (
    name       TEXT   NOT NULL PRIMARY KEY,
    kind       TEXT   NOT NULL,
    settings   TEXT   NOT NULL, -- sealed, about the name
    revision   TEXT   NOT NULL, -- another one with each change
    created_at BIGINT NOT NULL
);

-- How a sender's connection is, as its account was told.
CREATE TABLE sender_states (
    sender_id TEXT   NOT NULL PRIMARY KEY,
    state     TEXT   NOT NULL,
    since     BIGINT NOT NULL
);

-- One row: the process that looks at the connections. Another one's gateways may be connected otherwise.
CREATE TABLE sender_watch (
    id          BIGINT NOT NULL PRIMARY KEY,
    owner       TEXT   NOT NULL,
    owner_until BIGINT NOT NULL
);
INSERT INTO sender_watch (id, owner, owner_until) VALUES (1, '', 0);

-- +goose Down
DROP TABLE sender_watch;
DROP TABLE sender_states;
DROP TABLE gateways;
