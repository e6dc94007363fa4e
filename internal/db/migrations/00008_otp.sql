-- One-time codes. The code itself is nowhere: code_mac is an HMAC over the challenge's id and the code, in base64url.
-- +goose Up
CREATE TABLE otp_challenges (
    id          TEXT   NOT NULL PRIMARY KEY, -- otp_ and a random ID26
    account_id  TEXT   NOT NULL,
    address     TEXT   NOT NULL, -- the number, as gateways take it
    prefix      TEXT   NOT NULL, -- the number's first digits, by which pumping is seen
    message_id  TEXT   NOT NULL, -- what carries the code; a challenge is void when that was never handed over
    sandbox     BIGINT NOT NULL,
    turn        BIGINT NOT NULL, -- orders the requests for one number
    code_mac    TEXT   NOT NULL,
    request_mac TEXT   NOT NULL, -- of what was asked for, to notice a replay with another body
    attempts    BIGINT NOT NULL, -- guesses that were judged
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL,
    used_at     BIGINT           -- when the right code came; NULL: not yet
);
CREATE UNIQUE INDEX otp_challenges_message ON otp_challenges (message_id);
CREATE INDEX otp_challenges_number ON otp_challenges (account_id, address, turn);
CREATE INDEX otp_challenges_prefix ON otp_challenges (account_id, prefix, created_at);
CREATE INDEX otp_challenges_expiry ON otp_challenges (expires_at);

-- The last three requests of an account for a number, the latest first.
CREATE TABLE otp_rates (
    account_id TEXT   NOT NULL,
    address    TEXT   NOT NULL,
    turn       BIGINT NOT NULL, -- how many there have been
    at1        BIGINT NOT NULL,
    at2        BIGINT NOT NULL,
    at3        BIGINT NOT NULL,
    PRIMARY KEY (account_id, address)
);
CREATE INDEX otp_rates_at ON otp_rates (at1);

-- Idempotency keys whose first request is under way: its doubles do not count as requests.
CREATE TABLE otp_claims (
    account_id TEXT   NOT NULL,
    key        TEXT   NOT NULL,
    at         BIGINT NOT NULL,
    PRIMARY KEY (account_id, key)
);
CREATE INDEX otp_claims_at ON otp_claims (at);

-- Codes of an hour to a country or a prefix, of all accounts.
CREATE TABLE otp_caps (
    area TEXT   NOT NULL, -- country:223 or prefix:2237600
    hour BIGINT NOT NULL, -- hours since 1970-01-01 UTC
    sent BIGINT NOT NULL,
    PRIMARY KEY (area, hour)
);
CREATE INDEX otp_caps_hour ON otp_caps (hour);

-- An account's prefixes of whose codes too few were verified.
CREATE TABLE otp_blocks (
    account_id TEXT   NOT NULL,
    prefix     TEXT   NOT NULL,
    since      BIGINT NOT NULL, -- what was sent before no longer counts
    until      BIGINT NOT NULL,
    PRIMARY KEY (account_id, prefix)
);
CREATE INDEX otp_blocks_until ON otp_blocks (until);

-- +goose Down
DROP TABLE otp_blocks;
DROP TABLE otp_caps;
DROP TABLE otp_claims;
DROP TABLE otp_rates;
DROP TABLE otp_challenges;
