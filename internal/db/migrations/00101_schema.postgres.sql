-- The part of the schema that is for PostgreSQL only.

-- +goose Up

-- The order of acceptance of messages, which SQLite takes from the number of the row. A cache of more than one number would let a
-- session use old numbers late.
CREATE SEQUENCE messages_seq CACHE 1;

-- What remains of an idempotency key after its message was deleted, so that the key is never used for another message.
CREATE TABLE swept_keys (
    account_id  TEXT   NOT NULL, -- The account.
    key_hash    TEXT   NOT NULL, -- Half of an HMAC of the account and the key, with its version. Its secret stays the same when the master key is rotated.
    message_id  TEXT   NOT NULL, -- The message.
    fingerprint TEXT   NOT NULL, -- The start of the request's hash.
    status      TEXT   NOT NULL, -- The message's last status.
    channel     TEXT   NOT NULL, -- The message's last channel.
    project_id  TEXT,            -- The project of the key. NULL for none.
    simulated   BIGINT NOT NULL, -- 1 when the message was simulated.
    PRIMARY KEY (account_id, key_hash)
);

-- Storage parameters of tables whose rows change often. Free space in a page takes the new version of a row next to the old one
-- when no indexed column changes. Vacuum removes old versions before they are a fifth of a table of millions of rows.
ALTER TABLE messages              SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE webhook_events        SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE conversations         SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE login_sessions        SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE inbox_messages        SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE audit_events          SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE quotas                SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
ALTER TABLE inbox_states          SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
ALTER TABLE recipient_counts      SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
ALTER TABLE sender_counts         SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
ALTER TABLE otp_rates             SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
ALTER TABLE otp_caps              SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
ALTER TABLE webhook_endpoints     SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
ALTER TABLE tenant_hook_endpoints SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
