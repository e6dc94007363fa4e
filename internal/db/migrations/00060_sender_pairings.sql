-- Numbers that are being linked to a phone. What is to be scanned or typed is at the gateway alone.
-- +goose Up
CREATE TABLE sender_pairings (
    id         TEXT   NOT NULL PRIMARY KEY, -- a time-ordered ID26
    sender_id  TEXT   NOT NULL,
    account_id TEXT   NOT NULL, -- '': the platform's
    gateway    TEXT   NOT NULL,
    channel    TEXT   NOT NULL,
    address    TEXT   NOT NULL,
    method     TEXT   NOT NULL CHECK (method IN ('qr', 'code')),
    started_by TEXT   NOT NULL, -- an e-mail address; '': the operator
    connected  BIGINT NOT NULL, -- 1: the number was connected before
    state      TEXT   NOT NULL CHECK (state IN ('starting', 'open', 'paired', 'failed')),
    reason     TEXT   NOT NULL, -- why it failed
    started_at BIGINT NOT NULL,
    ended_at   BIGINT,          -- NULL: it is under way
    tries      BIGINT NOT NULL, -- to mail the owner
    due_at     BIGINT,          -- when somebody is next to look: how far it is, or whether the owner was mailed; NULL: nothing is to be done
    mail_id    TEXT             -- the message by which the owner was mailed
);
CREATE UNIQUE INDEX sender_pairings_open ON sender_pairings (sender_id) WHERE ended_at IS NULL;
CREATE INDEX sender_pairings_sender ON sender_pairings (sender_id, id);
CREATE INDEX sender_pairings_due ON sender_pairings (due_at) WHERE due_at IS NOT NULL;

-- +goose Down
DROP TABLE sender_pairings;
