-- Accounts, their plans, keys and subscriptions, and the log of administrative changes.

CREATE TABLE plans (
  name text PRIMARY KEY CHECK (name ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  -- Null is unlimited.
  requests_per_minute integer CHECK (requests_per_minute > 0),
  requests_per_day integer CHECK (requests_per_day > 0),
  max_streams integer CHECK (max_streams > 0)
);
INSERT INTO plans (name, requests_per_minute, requests_per_day, max_streams) VALUES
  ('free', 60, 5000, 1),
  ('standard', 600, NULL, 5),
  ('partner', 6000, NULL, 50),
  ('internal', NULL, NULL, NULL);

CREATE TABLE accounts (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE CHECK (name <> ''),
  plan text NOT NULL REFERENCES plans,
  suspended_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE api_keys (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id integer NOT NULL REFERENCES accounts,
  -- The key's name for people.
  name text NOT NULL DEFAULT '' CHECK (length(name) <= 100),
  -- SHA-256 of the key's text, which is shown once and stored nowhere.
  hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
  scopes text[] NOT NULL
    CHECK (scopes <@ ARRAY['data:read', 'stream:read', 'subscriptions:write'] AND cardinality(scopes) > 0),
  -- The key that it replaces.
  replaces integer REFERENCES api_keys,
  -- The form that made it: a form sent twice makes one key.
  form_id uuid UNIQUE,
  expires_at timestamptz,
  revoked_at timestamptz,
  -- Coarse: gateways write it about once a minute.
  last_used_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
-- The keys of an account.
CREATE INDEX api_keys_by_account ON api_keys (account_id);

-- Filters that an account has saved.
CREATE TABLE subscriptions (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id integer NOT NULL REFERENCES accounts,
  -- Not all digits, so that a name cannot be read as an id.
  name text NOT NULL CHECK (name <> '' AND name !~ '^[0-9]+$'),
  filter jsonb NOT NULL CHECK (jsonb_typeof(filter) = 'object'),
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT one_subscription_per_name UNIQUE (account_id, name)
);

-- The subscriptions made by POSTs with an Idempotency-Key, so that the same request again makes no second
-- one.
CREATE TABLE idempotency_keys (
  account_id integer NOT NULL REFERENCES accounts,
  key text NOT NULL,
  -- SHA-256 of the request's body.
  request_hash bytea NOT NULL,
  -- No reference, because the answer is repeated even after the subscription was deleted.
  subscription_id integer NOT NULL,
  -- The body of the original answer.
  answer text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, key)
);
-- Finds old keys to delete.
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- Changes of accounts, keys, plans and roles, each with its author.
CREATE TABLE audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  occurred_at timestamptz NOT NULL DEFAULT now(),
  database_user text NOT NULL DEFAULT session_user,
  -- The operating system's user of the command, if known.
  os_user text,
  -- The person who made the change in the console; null for a command.
  person text,
  action text NOT NULL,
  -- The changed object, such as "account acme" or "key 12".
  subject text NOT NULL,
  -- The account that the change belongs to, if any.
  account_id integer REFERENCES accounts,
  details jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(details) = 'object')
);
-- The entries of an account, in order.
CREATE INDEX audit_log_by_account ON audit_log (account_id, id);
