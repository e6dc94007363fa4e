-- Who pays through a payment provider, what the provider said of them last, and which of its events were taken.
-- +goose Up
CREATE TABLE billing_customers (
    account_id      TEXT   NOT NULL REFERENCES accounts (id),
    provider        TEXT   NOT NULL, -- stripe
    mode            TEXT   NOT NULL, -- LIVE or TEST
    customer_id     TEXT   NOT NULL, -- the provider's
    revision        BIGINT NOT NULL, -- raised by every write: what was read before it is not stored after it
    subscription_id TEXT,            -- NULL: no subscription
    item_id         TEXT,
    price_id        TEXT,
    plan            TEXT,            -- by the allow-list of prices when the state was read; NULL: none
    status          TEXT,            -- the provider's word
    entitled        BIGINT NOT NULL, -- 1: the plan is given
    period_end      BIGINT,
    ends_at         BIGINT,          -- NULL: it renews
    trial_ends_at   BIGINT,
    created_at      BIGINT NOT NULL,
    PRIMARY KEY (account_id, provider, mode)
);
CREATE UNIQUE INDEX billing_customers_customer ON billing_customers (provider, customer_id);

CREATE TABLE billing_events (
    id          TEXT   NOT NULL, -- the provider's
    provider    TEXT   NOT NULL,
    account_id  TEXT   NOT NULL,
    type        TEXT   NOT NULL,
    received_at BIGINT NOT NULL,
    PRIMARY KEY (provider, id)
);
CREATE INDEX billing_events_received ON billing_events (received_at);

-- +goose Down
DROP TABLE billing_events;
DROP TABLE billing_customers;
