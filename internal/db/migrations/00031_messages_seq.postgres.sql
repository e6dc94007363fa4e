-- The order of acceptance. One number at a time: a session that kept some in stock would hand out old ones late.

-- +goose Up
CREATE SEQUENCE messages_seq CACHE 1;

-- +goose Down
DROP SEQUENCE messages_seq;
