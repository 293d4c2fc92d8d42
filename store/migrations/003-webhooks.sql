-- Webhooks: addresses to which the consumers' role "deliver" sends the changes that pass a filter.

-- Null is the service's own limit, ten.
ALTER TABLE plans ADD COLUMN max_webhooks integer CHECK (max_webhooks BETWEEN 1 AND 10);
UPDATE plans SET max_webhooks = 1 WHERE name = 'free';
UPDATE plans SET max_webhooks = 5 WHERE name = 'standard';

ALTER TABLE api_keys
  DROP CONSTRAINT api_keys_scopes_check,
  ADD CONSTRAINT api_keys_scopes_check CHECK (
    scopes <@ ARRAY['data:read', 'stream:read', 'subscriptions:write', 'endorsements:write', 'webhooks:write']
    AND cardinality(scopes) > 0);

-- The processes that deliver. Each renews its row; one that has expired loses its webhooks to the others.
CREATE TABLE webhook_deliverers (
  id uuid PRIMARY KEY,
  -- By this database's clock.
  expires_at timestamptz NOT NULL
);

-- A webhook is a cursor, a filter and an address. The cursor moves after the receiver's 2xx.
CREATE TABLE webhooks (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id integer NOT NULL REFERENCES accounts,
  -- Not all digits, so that a name cannot be read as an id.
  name text NOT NULL CHECK (name <> '' AND name !~ '^[0-9]+$'),
  url text NOT NULL CHECK (url <> ''),
  -- Either a subscription, whose filter is followed, or a filter. A subscription in use cannot be deleted.
  subscription_id integer REFERENCES subscriptions,
  filter jsonb CHECK (jsonb_typeof(filter) = 'object'),
  -- Sealed with a key that the database does not have. After a rotation the previous secret signs too, for a while.
  secret bytea NOT NULL,
  previous_secret bytea,
  previous_secret_until timestamptz,
  -- The position after the last delivered batch, or a later one up to which no change matched.
  cursor text NOT NULL,
  state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'failing', 'disabled')),
  reason text CHECK (reason IN
    ('receiver_gone', 'receiver_failed', 'position_expired', 'by_account', 'by_operator')),
  -- Failed attempts since the last success.
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  next_attempt_at timestamptz,
  -- All attempts, tests included.
  attempts bigint NOT NULL DEFAULT 0,
  delivered_batches bigint NOT NULL DEFAULT 0,
  delivered_events bigint NOT NULL DEFAULT 0,
  -- Grows with every change that its deliverer has to follow, so that an attempt under way does not undo the change.
  revision bigint NOT NULL DEFAULT 1,
  -- The id of a test message that is to be sent; null without one.
  test_message text,
  -- The process that delivers it; null for one that waits for a process.
  deliverer_id uuid REFERENCES webhook_deliverers ON DELETE SET NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT one_webhook_per_name UNIQUE (account_id, name),
  CONSTRAINT webhooks_of_one_filter CHECK (num_nonnulls(subscription_id, filter) = 1),
  CONSTRAINT webhooks_reason CHECK ((state = 'disabled') = (reason IS NOT NULL)),
  CONSTRAINT webhooks_previous_secret CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL))
);
-- The webhooks of a process, and those that wait for one.
CREATE INDEX webhooks_by_deliverer ON webhooks (deliverer_id);
-- Finds the webhooks of a subscription, before it is deleted.
CREATE INDEX webhooks_by_subscription ON webhooks (subscription_id) WHERE subscription_id IS NOT NULL;

-- The batch that a webhook has begun to send: every attempt sends the same bytes with the same id
-- (docs/decisions/0049).
CREATE TABLE webhook_batches (
  webhook_id integer PRIMARY KEY REFERENCES webhooks ON DELETE CASCADE,
  message_id text NOT NULL,
  body bytea NOT NULL,
  events integer NOT NULL CHECK (events > 0),
  -- The position after it.
  cursor text NOT NULL
);

-- The newest attempts of each webhook, at most a thousand, for some days.
CREATE TABLE webhook_attempts (
  webhook_id integer NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  -- 1, 2, 3 ... of the webhook.
  number bigint NOT NULL,
  message_id text NOT NULL,
  is_test boolean NOT NULL,
  attempted_at timestamptz(3) NOT NULL,
  duration_ms integer NOT NULL,
  outcome text NOT NULL,
  -- The status of the answer; null without an answer.
  status smallint,
  events integer NOT NULL,
  -- The size of the body that was sent.
  bytes integer NOT NULL,
  -- The beginning of the answer.
  answer text NOT NULL CHECK (length(answer) <= 1024),
  PRIMARY KEY (webhook_id, number)
);
-- Finds old attempts to delete.
CREATE INDEX webhook_attempts_by_age ON webhook_attempts (attempted_at);

ALTER TABLE idempotency_keys
  ADD COLUMN webhook_id integer,
  DROP CONSTRAINT idempotency_keys_of_one_record,
  ADD CONSTRAINT idempotency_keys_of_one_record CHECK (num_nonnulls(subscription_id, publication_id, webhook_id) = 1);
