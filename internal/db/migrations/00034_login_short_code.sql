-- The short address of a LIVE login, for QR codes that a cheap phone reads. TEST logins, and those from before, have none.
-- +goose Up
ALTER TABLE login_sessions ADD COLUMN short_code TEXT;
CREATE UNIQUE INDEX login_sessions_short_code ON login_sessions (short_code) WHERE short_code IS NOT NULL;

-- +goose Down
DROP INDEX login_sessions_short_code;
ALTER TABLE login_sessions DROP COLUMN short_code;
