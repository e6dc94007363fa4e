-- Erasures of persons' data, which go on after a crash. What stays of one that has ended names nobody.
-- +goose Up
CREATE TABLE person_erasures (
    id          TEXT   NOT NULL PRIMARY KEY, -- era_ and a time-ordered ID26
    account_id  TEXT   NOT NULL,
    pseudonym   TEXT   NOT NULL, -- what stands in the address's place
    person      TEXT,            -- the address, sealed; NULL once it has ended
    step        BIGINT NOT NULL,
    position    TEXT   NOT NULL, -- within the step; '' at its beginning
    messages    BIGINT NOT NULL, -- to the person
    canceled    BIGINT NOT NULL, -- of these
    received    BIGINT NOT NULL, -- from the person
    events      BIGINT NOT NULL,
    retry_at    BIGINT NOT NULL, -- when another process may go on with it
    created_at  BIGINT NOT NULL,
    finished_at BIGINT
);
CREATE UNIQUE INDEX person_erasures_open ON person_erasures (account_id, pseudonym) WHERE finished_at IS NULL;
CREATE INDEX person_erasures_account ON person_erasures (account_id, id);

-- +goose Down
DROP TABLE person_erasures;
