-- The part of the schema that is for SQLite only.

-- +goose Up

-- What remains of an idempotency key after its message was deleted, so that the key is never used for another message.
CREATE TABLE swept_keys (
    account_id  TEXT   NOT NULL, -- The account.
    key_hash    TEXT   NOT NULL, -- Half of an HMAC of the account and the key, with its version. Its secret stays the same when the master key is rotated.
    message_id  TEXT   NOT NULL, -- The message.
    fingerprint TEXT   NOT NULL, -- The start of the request's hash.
    status      TEXT   NOT NULL, -- The message's last status.
    channel     TEXT   NOT NULL, -- The message's last channel.
    project_id  TEXT,            -- The project of the key. NULL for none.
    simulated   BIGINT NOT NULL, -- 1 when the message was simulated.
    PRIMARY KEY (account_id, key_hash)
) WITHOUT ROWID;

-- The changes of messages that are not yet part of message_counts. Each batch of changes has one row, written in its transaction.
CREATE TABLE message_count_log (
    seq    INTEGER PRIMARY KEY, -- The row's number.
    deltas TEXT NOT NULL        -- A line for each change of a counter: account, kind, and the number to add; then hour, project, channel, and simulated, unless they are those of the line before. Separated by tabs.
);

-- The number of messages for statistics.
CREATE TABLE message_counts (
    account_id TEXT   NOT NULL REFERENCES accounts (id), -- The account.
    step       BIGINT NOT NULL, -- 1 for an hour, 24 for a day.
    at         BIGINT NOT NULL, -- The start of the hour or day in which the messages were accepted, in hours since 1970.
    project_id TEXT   NOT NULL, -- The project of the key. Empty for none.
    channel    TEXT   NOT NULL, -- The channel of the current route.
    simulated  BIGINT NOT NULL, -- 1 for simulated messages.
    kind       TEXT   NOT NULL, -- What is counted, such as total or failed:CODE.
    n          BIGINT NOT NULL, -- The number of messages.
    PRIMARY KEY (account_id, step, at, project_id, channel, simulated, kind)
) WITHOUT ROWID;
