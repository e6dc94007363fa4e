-- What somebody has written outside of conversations is looked for among an account's own messages.
-- +goose Up
CREATE INDEX inbox_messages_outside ON inbox_messages (account_id, at, id) WHERE conversation_id IS NULL;

-- +goose Down
DROP INDEX inbox_messages_outside;
