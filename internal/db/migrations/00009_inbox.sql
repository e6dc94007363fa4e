-- The inbox. Every change that its owner can see is made while the account's row of inbox_states is locked, and counts in it.
-- +goose Up
CREATE TABLE inbox_states (
    account_id TEXT   NOT NULL PRIMARY KEY,
    revision   BIGINT NOT NULL, -- how many visible changes there were
    unread     BIGINT NOT NULL  -- of all conversations
);

CREATE TABLE conversations (
    id           TEXT   NOT NULL PRIMARY KEY, -- cnv_ and a time-ordered ID26
    account_id   TEXT   NOT NULL,
    phone        TEXT   NOT NULL, -- the contact's, E.164 digits
    sender_id    TEXT   NOT NULL, -- the account's number that the contact wrote to last
    name         TEXT,
    last_at      BIGINT NOT NULL, -- of the newest message
    last_preview TEXT   NOT NULL,
    unread       BIGINT NOT NULL,
    read_to      BIGINT NOT NULL, -- messages that came with a later revision are unread
    UNIQUE (account_id, phone)
);
CREATE INDEX conversations_newest ON conversations (account_id, last_at, id);

-- What an account and its contacts wrote: WhatsApp, and what came by SMS, which is in no conversation.
CREATE TABLE inbox_messages (
    id              TEXT   NOT NULL PRIMARY KEY, -- msg_ and a time-ordered ID26; of one that went out, the message's own
    account_id      TEXT   NOT NULL,
    conversation_id TEXT,
    direction       TEXT   NOT NULL CHECK (direction IN ('in', 'out')),
    channel         TEXT   NOT NULL,
    type            TEXT   NOT NULL,
    content         TEXT   NOT NULL,
    media_url       TEXT,
    mime_type       TEXT,
    file_name       TEXT,
    from_address    TEXT   NOT NULL,
    sender_id       TEXT   NOT NULL, -- the account's number
    provider_id     TEXT,            -- NULL for what went out: its status is the message's
    revision        BIGINT NOT NULL, -- the account's when it came; 0: in no conversation
    at              BIGINT NOT NULL,
    UNIQUE (sender_id, provider_id)
);
CREATE INDEX inbox_messages_newest ON inbox_messages (conversation_id, at, id);
CREATE INDEX inbox_messages_age ON inbox_messages (at, id);

INSERT INTO inbox_messages (id, account_id, conversation_id, direction, channel, type, content, from_address, sender_id, provider_id, revision, at)
SELECT id, account_id,
       CASE WHEN channel = 'whatsapp' THEN (SELECT 'cnv_' || substr(min(f.id), 5) FROM inbound_messages f
           WHERE f.account_id = m.account_id AND f.from_address = m.from_address AND f.channel = 'whatsapp') END,
       'in', channel, 'text', text, from_address, sender_id, provider_id, CASE WHEN channel = 'whatsapp' THEN 1 ELSE 0 END, at
FROM inbound_messages m;

INSERT INTO conversations (id, account_id, phone, sender_id, name, last_at, last_preview, unread, read_to)
SELECT 'cnv_' || substr(min(id), 5), account_id, from_address, max(sender_id), max(display_name), max(at),
       (SELECT substr(l.text, 1, 120) FROM inbound_messages l
           WHERE l.account_id = m.account_id AND l.from_address = m.from_address AND l.channel = 'whatsapp' ORDER BY l.at DESC, l.id DESC LIMIT 1),
       count(*), 0
FROM inbound_messages m WHERE channel = 'whatsapp' GROUP BY account_id, from_address;

INSERT INTO inbox_states (account_id, revision, unread)
SELECT account_id, 1, count(*) FROM inbound_messages WHERE channel = 'whatsapp' GROUP BY account_id;

DROP TABLE inbound_messages;

-- +goose Down
CREATE TABLE inbound_messages (
    id           TEXT   NOT NULL PRIMARY KEY,
    account_id   TEXT   NOT NULL,
    sender_id    TEXT   NOT NULL,
    provider_id  TEXT   NOT NULL,
    channel      TEXT   NOT NULL,
    from_address TEXT   NOT NULL,
    display_name TEXT,
    text         TEXT   NOT NULL,
    at           BIGINT NOT NULL,
    received_at  BIGINT NOT NULL,
    UNIQUE (sender_id, provider_id)
);
CREATE INDEX inbound_messages_account ON inbound_messages (account_id, id);
INSERT INTO inbound_messages (id, account_id, sender_id, provider_id, channel, from_address, display_name, text, at, received_at)
SELECT m.id, m.account_id, m.sender_id, m.provider_id, m.channel, m.from_address, c.name, m.content, m.at, m.at
FROM inbox_messages m LEFT JOIN conversations c ON c.id = m.conversation_id WHERE m.provider_id IS NOT NULL;
DROP TABLE inbox_messages;
DROP TABLE conversations;
DROP TABLE inbox_states;
