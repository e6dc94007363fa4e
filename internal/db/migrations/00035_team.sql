-- The messaging service's audit log, members' roles, and who works on which project.
-- +goose Up
CREATE TABLE account_audit_events (
    id          TEXT   NOT NULL PRIMARY KEY, -- a time-ordered ID26
    account_id  TEXT   NOT NULL,             -- '' for the deployment's own: plans, gateways, the platform's senders
    at          BIGINT NOT NULL,
    actor       TEXT   NOT NULL,             -- owner, member, key, operator, system
    actor_id    TEXT,                        -- of a member or a key
    actor_email TEXT,                        -- of an owner or a member
    action      TEXT   NOT NULL,
    target      TEXT   NOT NULL,             -- the id or name of what was changed
    details     TEXT,                        -- a JSON object of strings
    ip          TEXT                         -- a /24 or /48
);
CREATE INDEX account_audit_events_account ON account_audit_events (account_id, id);

ALTER TABLE members ADD COLUMN role TEXT NOT NULL DEFAULT 'developer';            -- developer or viewer
ALTER TABLE member_invitations ADD COLUMN role TEXT NOT NULL DEFAULT 'developer';
ALTER TABLE member_invitations ADD COLUMN projects TEXT NOT NULL DEFAULT '*';     -- ids joined by commas; '*': those that there are when it is accepted
ALTER TABLE account_sessions ADD COLUMN code_at BIGINT;                           -- when its person last gave a code from an e-mail; NULL: never
UPDATE account_sessions SET code_at = created_at;
ALTER TABLE projects ADD COLUMN deleted_at BIGINT;

-- The projects of developers: those that they made, and those that the owner gave them. Until now every member had all of them.
CREATE TABLE project_members (
    member_id  TEXT NOT NULL REFERENCES members (id),
    project_id TEXT NOT NULL REFERENCES projects (id),
    PRIMARY KEY (member_id, project_id)
);
CREATE INDEX project_members_project ON project_members (project_id);
INSERT INTO project_members (member_id, project_id) SELECT m.id, p.id FROM members m JOIN projects p ON p.account_id = m.account_id WHERE m.removed_at IS NULL;

-- +goose Down
DROP TABLE project_members;
ALTER TABLE projects DROP COLUMN deleted_at;
ALTER TABLE account_sessions DROP COLUMN code_at;
ALTER TABLE member_invitations DROP COLUMN projects;
ALTER TABLE member_invitations DROP COLUMN role;
ALTER TABLE members DROP COLUMN role;
DROP TABLE account_audit_events;
