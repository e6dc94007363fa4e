-- +goose Up
-- A row means that nothing is sent, by any process, until an operator resumes.
CREATE TABLE sending_pause (
    id            BIGINT NOT NULL PRIMARY KEY, -- 1
    paused_at     BIGINT NOT NULL,
    reason        TEXT   NOT NULL CHECK (reason IN ('operator', 'restored')),
    restored_from BIGINT,          -- what the restored database knows ends here
    end_before    BIGINT           -- messages that were due until then are still to be ended; NULL: all are
);

-- +goose Down
DROP TABLE sending_pause;
