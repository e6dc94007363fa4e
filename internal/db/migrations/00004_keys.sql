-- Rotation of the signing keys; finding a token by its id. Times are Unix milliseconds.
-- +goose Up
ALTER TABLE signing_keys ADD COLUMN activated_at BIGINT; -- began to sign; created_at is also when it was published
ALTER TABLE signing_keys ADD COLUMN stopped_at BIGINT;   -- ceased to sign
ALTER TABLE signing_keys ADD COLUMN retired_at BIGINT;   -- left the JWKS
ALTER TABLE signing_keys ADD COLUMN successor TEXT;      -- the key that was published to follow it
UPDATE signing_keys SET activated_at = created_at;
CREATE UNIQUE INDEX signing_keys_next ON signing_keys (status) WHERE status = 'next';
CREATE UNIQUE INDEX login_sessions_token ON login_sessions (token_id) WHERE token_id IS NOT NULL;

-- +goose Down
DROP INDEX login_sessions_token;
DROP INDEX signing_keys_next;
ALTER TABLE signing_keys DROP COLUMN successor;
ALTER TABLE signing_keys DROP COLUMN retired_at;
ALTER TABLE signing_keys DROP COLUMN stopped_at;
ALTER TABLE signing_keys DROP COLUMN activated_at;
