-- What the processes of a deployment keep in memory: each kind has a number that every change raises, in its transaction.
-- +goose Up
CREATE TABLE cache_epochs (
    kind  TEXT   NOT NULL PRIMARY KEY,
    epoch BIGINT NOT NULL
);

-- +goose Down
DROP TABLE cache_epochs;
