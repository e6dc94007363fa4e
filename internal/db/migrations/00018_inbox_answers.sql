-- What people pressed, what they filled in, and which message they answered.
-- +goose Up
ALTER TABLE inbox_messages ADD COLUMN choice_id TEXT;    -- of the button or row that was pressed; NULL: none was, or it has no id
ALTER TABLE inbox_messages ADD COLUMN choice_title TEXT; -- NULL: none was
ALTER TABLE inbox_messages ADD COLUMN response TEXT;     -- JSON, an object: what a form was answered with; NULL: none was
ALTER TABLE inbox_messages ADD COLUMN reply_to TEXT;     -- our id of the message that it answers; NULL: none, or not known

-- +goose Down
ALTER TABLE inbox_messages DROP COLUMN reply_to;
ALTER TABLE inbox_messages DROP COLUMN response;
ALTER TABLE inbox_messages DROP COLUMN choice_title;
ALTER TABLE inbox_messages DROP COLUMN choice_id;
