-- The dashboard's sign-in by WhatsApp: which number, as the login service names its owner, enters for which address.
-- +goose Up
CREATE TABLE whatsapp_links (
    email     TEXT   NOT NULL PRIMARY KEY,
    issuer    TEXT   NOT NULL,
    subject   TEXT   NOT NULL, -- the login service's name for the number's owner
    phone     TEXT   NOT NULL, -- masked
    linked_at BIGINT NOT NULL,
    UNIQUE (issuer, subject)
);
ALTER TABLE accounts ADD COLUMN whatsapp_off BIGINT NOT NULL DEFAULT 0; -- 1: nobody enters by WhatsApp

-- +goose Down
ALTER TABLE accounts DROP COLUMN whatsapp_off;
DROP TABLE whatsapp_links;
