-- One row, written while writes fail, until that succeeds.
-- +goose Up
CREATE TABLE write_probe (
    id    BIGINT NOT NULL PRIMARY KEY,
    tries BIGINT NOT NULL
);

-- +goose Down
DROP TABLE write_probe;
