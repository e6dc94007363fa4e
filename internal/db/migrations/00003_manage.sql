-- The tenants' dashboard. Times are Unix milliseconds; hashes are SHA-256 as base64url.
-- +goose Up
ALTER TABLE invitations ADD COLUMN single_use BIGINT NOT NULL DEFAULT 0;
ALTER TABLE invitations ADD COLUMN used_at BIGINT;    -- when it last opened a session
ALTER TABLE invitations ADD COLUMN revoked_at BIGINT;
CREATE INDEX invitations_tenant ON invitations (tenant_id, id);
CREATE INDEX oauth_clients_tenant ON oauth_clients (tenant_id, id);

CREATE TABLE dashboard_sessions (
    id            TEXT   NOT NULL PRIMARY KEY,
    tenant_id     TEXT   NOT NULL REFERENCES tenants (id),
    invitation_id TEXT   NOT NULL REFERENCES invitations (id),
    token_hash    TEXT   NOT NULL UNIQUE,
    created_at    BIGINT NOT NULL,
    expires_at    BIGINT NOT NULL
);
CREATE INDEX dashboard_sessions_invitation ON dashboard_sessions (invitation_id);
CREATE INDEX dashboard_sessions_expiry ON dashboard_sessions (expires_at);

-- Events of messages, which come from no address, used to say so in these words.
UPDATE audit_events SET ip = NULL WHERE ip = 'invalid Prefix';

-- +goose Down
DROP TABLE dashboard_sessions;
DROP INDEX oauth_clients_tenant;
DROP INDEX invitations_tenant;
ALTER TABLE invitations DROP COLUMN revoked_at;
ALTER TABLE invitations DROP COLUMN used_at;
ALTER TABLE invitations DROP COLUMN single_use;
