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
