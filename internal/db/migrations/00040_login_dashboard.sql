-- What the tenants' dashboard shows.
-- +goose Up
ALTER TABLE oauth_clients ADD COLUMN name TEXT NOT NULL DEFAULT ''; -- the tenant's own; '': none

-- +goose Down
ALTER TABLE oauth_clients DROP COLUMN name;
