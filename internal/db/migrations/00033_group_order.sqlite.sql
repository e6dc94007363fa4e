-- Messages to a group keep their order among those to the group, not among those to the number that was named with it.
-- +goose Up
UPDATE messages SET order_key = json_extract(wish, '$.group') WHERE order_key > '' AND wish LIKE '%"group":%' AND status IN ('SCHEDULED', 'QUEUED', 'SENDING');

-- +goose Down
SELECT 1;
