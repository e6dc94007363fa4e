-- Plans as rows, members and their invitations, dashboard sessions. Times are Unix milliseconds; hashes are SHA-256 as base64url.
-- +goose Up
CREATE TABLE plans (
    name          TEXT   NOT NULL PRIMARY KEY,
    position      BIGINT NOT NULL, -- the smallest plan first: a trial lifts, and never lowers
    daily_limit   BIGINT,          -- messages a UTC day; NULL: no limit
    rate          BIGINT,          -- requests a second and key; NULL: no limit
    inbox         BIGINT NOT NULL,
    recipient_cap BIGINT           -- of accounts without one of their own; NULL: none
);
INSERT INTO plans (name, position, daily_limit, rate, inbox) VALUES
    ('free', 0, 10, 2, 0),
    ('starter', 1, 500, 10, 0),
    ('pro', 2, 5000, 50, 1),
    ('business', 3, 50000, 200, 1),
    ('unlimited', 4, NULL, NULL, 1);

ALTER TABLE accounts ADD COLUMN plan_expires_at BIGINT; -- then it is as good as free
ALTER TABLE accounts ADD COLUMN trial_ends_at BIGINT;   -- until then it is as good as pro
-- People sign in by their address, in small letters.
UPDATE accounts SET email = lower(email)
 WHERE NOT EXISTS (SELECT 1 FROM accounts o WHERE o.id <> accounts.id AND lower(o.email) = lower(accounts.email));

ALTER TABLE api_keys ADD COLUMN last_used_at BIGINT; -- to the minute
ALTER TABLE api_keys ADD COLUMN member_id TEXT;      -- who made it; NULL: the owner or an operator
CREATE INDEX api_keys_account ON api_keys (account_id, id);
CREATE INDEX api_keys_member ON api_keys (member_id) WHERE member_id IS NOT NULL;
CREATE INDEX projects_account ON projects (account_id, id);

CREATE TABLE members (
    id         TEXT   NOT NULL PRIMARY KEY,
    account_id TEXT   NOT NULL REFERENCES accounts (id),
    email      TEXT   NOT NULL,
    keys_made  BIGINT NOT NULL DEFAULT 0, -- counted where a key is made, so that this waits for a removal and a removal for this
    joined_at  BIGINT NOT NULL,
    removed_at BIGINT
);
CREATE UNIQUE INDEX members_account ON members (account_id, email) WHERE removed_at IS NULL;
CREATE INDEX members_email ON members (email) WHERE removed_at IS NULL;

CREATE TABLE member_invitations (
    id          TEXT   NOT NULL PRIMARY KEY,
    account_id  TEXT   NOT NULL REFERENCES accounts (id),
    email       TEXT   NOT NULL,
    token_hash  TEXT   NOT NULL UNIQUE,
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL,
    accepted_at BIGINT,
    revoked_at  BIGINT
);
CREATE INDEX member_invitations_account ON member_invitations (account_id, id);
CREATE INDEX member_invitations_email ON member_invitations (email) WHERE accepted_at IS NULL AND revoked_at IS NULL;

-- One code an address. The window counts how many were asked for of late.
CREATE TABLE sign_in_codes (
    email      TEXT   NOT NULL PRIMARY KEY,
    id         TEXT   NOT NULL,
    mac        TEXT   NOT NULL, -- '' once it was used
    tries      BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    window_at  BIGINT NOT NULL,
    issued     BIGINT NOT NULL
);
CREATE INDEX sign_in_codes_expiry ON sign_in_codes (expires_at);

-- A session proves an address; account_id is the account that it looks at.
CREATE TABLE account_sessions (
    id         TEXT   NOT NULL PRIMARY KEY,
    email      TEXT   NOT NULL,
    account_id TEXT,
    token_hash TEXT   NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX account_sessions_email ON account_sessions (email);
CREATE INDEX account_sessions_expiry ON account_sessions (expires_at);

-- +goose Down
DROP TABLE account_sessions;
DROP TABLE sign_in_codes;
DROP TABLE member_invitations;
DROP TABLE members;
DROP INDEX projects_account;
DROP INDEX api_keys_member;
DROP INDEX api_keys_account;
ALTER TABLE api_keys DROP COLUMN member_id;
ALTER TABLE api_keys DROP COLUMN last_used_at;
ALTER TABLE accounts DROP COLUMN trial_ends_at;
ALTER TABLE accounts DROP COLUMN plan_expires_at;
DROP TABLE plans;
