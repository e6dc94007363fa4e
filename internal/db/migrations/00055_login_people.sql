-- People in the tenants' dashboard, and how a tenant's waiting page looks.
-- +goose Up
ALTER TABLE profiles ADD COLUMN last_seen_at BIGINT; -- of the latest login; NULL: that was before this migration
CREATE INDEX profiles_tenant ON profiles (tenant_id, id);

ALTER TABLE audit_events ADD COLUMN profile_id TEXT; -- of the person whom the event is about, as far as the login knew the number
CREATE INDEX audit_events_profile ON audit_events (tenant_id, profile_id, id) WHERE profile_id IS NOT NULL;

ALTER TABLE tenants ADD COLUMN accent TEXT NOT NULL DEFAULT ''; -- a name of the palette; '': Griot's own

-- +goose Down
ALTER TABLE tenants DROP COLUMN accent;
DROP INDEX audit_events_profile;
ALTER TABLE audit_events DROP COLUMN profile_id;
DROP INDEX profiles_tenant;
ALTER TABLE profiles DROP COLUMN last_seen_at;
