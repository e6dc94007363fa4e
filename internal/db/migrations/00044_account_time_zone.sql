-- In which time zone an account's people live.
-- +goose Up
ALTER TABLE accounts ADD COLUMN time_zone TEXT NOT NULL DEFAULT 'UTC'; -- an IANA name

-- +goose Down
ALTER TABLE accounts DROP COLUMN time_zone;
