-- Deliveries to webhooks by account and UTC day. No references, as in usage_hours.
CREATE TABLE webhook_usage_days (
  account_id integer NOT NULL,
  day date NOT NULL,
  -- Attempts, without tests: those that the receiver accepted, and the others.
  accepted bigint NOT NULL,
  failed bigint NOT NULL,
  -- The events of accepted messages.
  events bigint NOT NULL,
  PRIMARY KEY (account_id, day)
);
