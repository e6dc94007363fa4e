-- Since when an account's plan has had no inbox: the inbox is hidden then, and emptied after 30 days.
-- +goose Up
ALTER TABLE inbox_states ADD COLUMN hidden_since BIGINT; -- NULL: it is not hidden

-- +goose Down
ALTER TABLE inbox_states DROP COLUMN hidden_since;
