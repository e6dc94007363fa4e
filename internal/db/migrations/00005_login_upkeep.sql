-- What cancelling by message and the sweeper look for.
-- +goose Up
CREATE INDEX login_sessions_phone ON login_sessions (phone) WHERE phone IS NOT NULL;
CREATE INDEX login_words_expiry ON login_words (expires_at);
CREATE INDEX login_proofs_at ON login_proofs (at);

-- +goose Down
DROP INDEX login_proofs_at;
DROP INDEX login_words_expiry;
DROP INDEX login_sessions_phone;
