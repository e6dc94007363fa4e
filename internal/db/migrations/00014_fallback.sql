-- +goose Up
ALTER TABLE accounts ADD COLUMN fallback_ms BIGINT; -- how long auto waits for a delivery unless the request says; NULL: for ever

-- +goose Down
ALTER TABLE accounts DROP COLUMN fallback_ms;
