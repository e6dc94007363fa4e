-- +goose Up
ALTER TABLE api_keys ADD COLUMN name TEXT NOT NULL DEFAULT ''; -- for people
ALTER TABLE api_keys ADD COLUMN expires_at BIGINT; -- another key takes its place until then; NULL: it does not end by itself

-- +goose Down
ALTER TABLE api_keys DROP COLUMN expires_at;
ALTER TABLE api_keys DROP COLUMN name;
