-- How many sign-in codes were mailed on a day to addresses that had no account.
-- +goose Up
CREATE TABLE sign_up_days (
    day   BIGINT NOT NULL PRIMARY KEY, -- days since 1970-01-01 UTC
    codes BIGINT NOT NULL
);

-- +goose Down
DROP TABLE sign_up_days;
