-- +goose Up
-- Why a sender's connection is as it is; NULL: not looked at since there is this column.
ALTER TABLE sender_states ADD COLUMN reason TEXT;

-- +goose Down
ALTER TABLE sender_states DROP COLUMN reason;
