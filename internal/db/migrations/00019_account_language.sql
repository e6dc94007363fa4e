-- The language in which Griot writes in an account's name.
-- +goose Up
ALTER TABLE accounts ADD COLUMN lang TEXT NOT NULL DEFAULT 'fr';

-- +goose Down
ALTER TABLE accounts DROP COLUMN lang;
