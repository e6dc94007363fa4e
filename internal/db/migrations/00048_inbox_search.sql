-- A search in the texts of an account's conversations reads them from the newest on.
-- +goose Up
CREATE INDEX inbox_messages_account ON inbox_messages (account_id, at, id) WHERE conversation_id IS NOT NULL;

-- +goose Down
DROP INDEX inbox_messages_account;
