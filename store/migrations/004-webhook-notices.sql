-- Whether the account's people are still to be told that the service has disabled a webhook.
ALTER TABLE webhooks ADD COLUMN notice_due boolean NOT NULL DEFAULT false;
-- Finds the notices that are due.
CREATE INDEX webhooks_by_notice ON webhooks (id) WHERE notice_due;
