-- What is left of an idempotency key once its message was swept: it is never used for another message.
-- +goose Up
CREATE TABLE swept_keys (
    account_id  TEXT   NOT NULL,
    key_hash    TEXT   NOT NULL, -- half of an HMAC of the account and the key, under a secret that outlasts the master key, with its version
    message_id  TEXT   NOT NULL,
    fingerprint TEXT   NOT NULL, -- its beginning
    status      TEXT   NOT NULL, -- the message's last
    channel     TEXT   NOT NULL,
    project_id  TEXT,
    simulated   BIGINT NOT NULL,
    PRIMARY KEY (account_id, key_hash)
);

-- +goose Down
DROP TABLE swept_keys;
