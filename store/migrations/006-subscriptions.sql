-- Saved filters, an account's own.

CREATE TABLE subscriptions (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id integer NOT NULL REFERENCES accounts,
  -- Not all digits: a name must not read as an id.
  name text NOT NULL CHECK (name <> '' AND name !~ '^[0-9]+$'),
  filter jsonb NOT NULL CHECK (jsonb_typeof(filter) = 'object'),
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT one_subscription_per_name UNIQUE (account_id, name)
);

-- What a POST with an Idempotency-Key made, so that the same request again makes nothing more.
CREATE TABLE idempotency_keys (
  account_id integer NOT NULL REFERENCES accounts,
  key text NOT NULL,
  -- SHA-256 of the request's body.
  request_hash bytea NOT NULL,
  -- No reference: the answer is repeated even when the subscription is gone since.
  subscription_id integer NOT NULL,
  -- The body of the answer, as it was.
  answer text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
