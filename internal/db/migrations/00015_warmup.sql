-- Senders that are new begin slowly.
-- +goose Up
ALTER TABLE senders ADD COLUMN warm_from BIGINT;                    -- the UTC day on which its warm-up begins; NULL: it has none
ALTER TABLE senders ADD COLUMN warm_first BIGINT NOT NULL DEFAULT 0; -- messages of the first day; each day after has twice as many
ALTER TABLE senders ADD COLUMN warm_days BIGINT NOT NULL DEFAULT 0;  -- after so many days there is no limit

-- What went by a sender on a day of its warm-up.
CREATE TABLE sender_counts (
    sender_id TEXT   NOT NULL,
    day       BIGINT NOT NULL, -- days since 1970-01-01 UTC
    used      BIGINT NOT NULL,
    PRIMARY KEY (sender_id, day)
);

-- +goose Down
DROP TABLE sender_counts;
ALTER TABLE senders DROP COLUMN warm_days;
ALTER TABLE senders DROP COLUMN warm_first;
ALTER TABLE senders DROP COLUMN warm_from;
