-- What an account's owner ought to know: each is mailed once for each time that it comes.
-- +goose Up
CREATE TABLE account_alerts (
    account_id  TEXT   NOT NULL,
    kind        TEXT   NOT NULL, -- quota_near, quota_used, sender_down, webhook_disabled, billing_failed
    subject     TEXT   NOT NULL, -- the day, the sender, when the endpoint was disabled, the subscription
    opened_at   BIGINT NOT NULL,
    resolved_at BIGINT,          -- NULL: it is open
    tries       BIGINT NOT NULL, -- mails that have failed
    mail_id     TEXT,            -- the message that is its mail; NULL: none yet
    mail_at     BIGINT,          -- when somebody is next to look after its mail; NULL: nothing is to be done
    mailed_at   BIGINT,
    PRIMARY KEY (account_id, kind, subject)
);
CREATE INDEX account_alerts_open ON account_alerts (account_id) WHERE resolved_at IS NULL;
CREATE INDEX quotas_day ON quotas (day);

-- Who was mailed that the endpoint is disabled is not mailed again.
INSERT INTO account_alerts (account_id, kind, subject, opened_at, tries, mailed_at)
SELECT s.account_id, 'webhook_disabled', CAST(s.disabled_at AS TEXT), s.disabled_at, 0, s.noticed_at FROM webhook_endpoints s WHERE s.disabled_at IS NOT NULL AND s.noticed_at IS NOT NULL;

-- +goose Down
DROP INDEX quotas_day;
DROP TABLE account_alerts;
