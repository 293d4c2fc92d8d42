-- Who may use the service, and how much.

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
  -- SHA-256 of the key's text, which is shown once and kept nowhere.
  hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
  scopes text[] NOT NULL
    CHECK (scopes <@ ARRAY['data:read', 'stream:read', 'subscriptions:write'] AND cardinality(scopes) > 0),
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX api_keys_by_account ON api_keys (account_id);
