-- Profiles that were detached from their number when it changed hands. The phone of such a profile is its id, which is no number.
-- +goose Up
ALTER TABLE profiles ADD COLUMN detached_at BIGINT;

-- +goose Down
ALTER TABLE profiles DROP COLUMN detached_at;
