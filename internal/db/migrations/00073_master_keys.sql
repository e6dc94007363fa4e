-- +goose Up
-- Which master key seals, by its name. No row: no server has used the database yet.
CREATE TABLE master_keys (
    id            BIGINT NOT NULL PRIMARY KEY, -- 1
    first         TEXT   NOT NULL, -- that the deployment had first
    previous      TEXT   NOT NULL, -- in whose place the one that seals has come
    sealing       TEXT   NOT NULL,
    pass          BIGINT NOT NULL, -- the walk through all that is sealed, which is repeated until it finds nothing; 0: there was no rotation yet
    found         BIGINT NOT NULL, -- by this walk: sealed with another key than the one that seals
    resealed      BIGINT NOT NULL, -- by all walks
    unreadable    BIGINT NOT NULL, -- by this walk: sealed with a key that is not known
    started_at    BIGINT NOT NULL,
    finished_at   BIGINT           -- NULL: it is under way
);

CREATE TABLE master_key_steps (
    place    TEXT   NOT NULL,
    pass     BIGINT NOT NULL,
    position TEXT   NOT NULL, -- the last row that was looked at
    done     BIGINT NOT NULL,
    PRIMARY KEY (place, pass)
);

-- Secrets that outlast a master key, sealed with the one that seals.
CREATE TABLE master_key_secrets (
    purpose TEXT NOT NULL PRIMARY KEY,
    sealed  TEXT NOT NULL
);

-- The processes that use the database, and which keys they have, in the database's time.
CREATE TABLE master_key_holders (
    id      TEXT   NOT NULL PRIMARY KEY,
    names   TEXT   NOT NULL, -- separated by spaces
    sealing TEXT   NOT NULL,
    seen_at BIGINT NOT NULL
);

-- +goose Down
DROP TABLE master_key_holders;
DROP TABLE master_key_secrets;
DROP TABLE master_key_steps;
DROP TABLE master_keys;
