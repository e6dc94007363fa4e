-- What test keys see, secrets of streams that can be renewed, and sign-in codes that are good in one browser.
-- +goose Up
-- Simulated messages are few among the others, and test keys see nothing else.
CREATE INDEX messages_simulated ON messages (account_id, created_at, id) WHERE status = 'SANDBOX';

ALTER TABLE accounts ADD COLUMN listen_turn BIGINT NOT NULL DEFAULT 0; -- counts the secrets of its streams: the secret is made from it

-- A sign-in mail takes one of the places that a budget has in an hour; its code is in the same row. This takes
-- the place of sign_in_codes, which only an earlier version reads.
CREATE TABLE sign_in_mails (
    email      TEXT   NOT NULL,
    budget     TEXT   NOT NULL, -- the hash of a browser that has signed in before; '' is what all others share
    place      BIGINT NOT NULL, -- from 0
    browser    TEXT   NOT NULL, -- the hash of the browser that asked: the code is good there only
    id         TEXT   NOT NULL,
    mac        TEXT   NOT NULL, -- '' until the mail is stored, and once the code was used
    tries      BIGINT NOT NULL,
    asked_at   BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (email, budget, place)
);
CREATE INDEX sign_in_mails_browser ON sign_in_mails (email, browser);
CREATE INDEX sign_in_mails_asked ON sign_in_mails (asked_at);

-- +goose Down
DROP TABLE sign_in_mails;
ALTER TABLE accounts DROP COLUMN listen_turn;
DROP INDEX messages_simulated;
