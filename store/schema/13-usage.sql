-- The use of the API by each account: its limits over all gateways, and counts and errors for the console.

-- The used part of an account's limits.
CREATE TABLE request_quotas (
  account_id integer NOT NULL REFERENCES accounts,
  kind text NOT NULL CHECK (kind IN ('minute', 'day')),
  window_start timestamptz NOT NULL,
  -- The requests leased to gateways: answered ones, and a few still available.
  used integer NOT NULL,
  -- The size of the window's last lease. The statement that grants a lease can return this, but not the previous `used`.
  granted integer NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, kind, window_start)
);
-- Finds past windows to delete.
CREATE INDEX request_quotas_by_age ON request_quotas (kind, window_start);

-- The open streams of accounts whose plan limits them.
CREATE TABLE stream_leases (
  id uuid PRIMARY KEY,
  account_id integer NOT NULL REFERENCES accounts,
  -- The process that serves the stream and renews its leases.
  gateway_id uuid NOT NULL,
  -- By this database's clock. After it, the stream does not count, because its gateway has ended.
  expires_at timestamptz NOT NULL
);
-- Counts the streams of an account.
CREATE INDEX stream_leases_by_account ON stream_leases (account_id);

-- Requests by hour. No references: gateways write many counts in one statement, and one unknown id would fail
-- it.
CREATE TABLE usage_hours (
  account_id integer NOT NULL,
  -- Null for requests of a session instead of a key.
  key_id integer,
  -- The beginning of the hour, UTC.
  hour timestamptz NOT NULL,
  -- The path template of the endpoint, such as /v1/contests/{id}; "none" if the path has no endpoint.
  route text NOT NULL,
  status smallint NOT NULL,
  requests bigint NOT NULL CHECK (requests > 0),
  UNIQUE NULLS NOT DISTINCT (account_id, hour, key_id, route, status)
);
-- Finds old hours to delete.
CREATE INDEX usage_hours_by_age ON usage_hours (hour);

-- The newest errors of each account. usage_hours counts all of them.
CREATE TABLE request_errors (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id integer NOT NULL,
  key_id integer,
  -- In milliseconds, as clients see it, so that pages of a list can begin after a time.
  occurred_at timestamptz(3) NOT NULL,
  request_id text NOT NULL,
  method text NOT NULL,
  route text NOT NULL,
  status smallint NOT NULL CHECK (status >= 400),
  code text NOT NULL,
  message text NOT NULL
);
-- The list of an account's errors.
CREATE INDEX request_errors_by_account ON request_errors (account_id, occurred_at, id);
-- Finds old errors to delete.
CREATE INDEX request_errors_by_age ON request_errors (occurred_at);

-- The newest batch of each gateway process. A batch repeated after a lost answer adds nothing.
CREATE TABLE usage_writers (
  id uuid PRIMARY KEY,
  last_batch integer NOT NULL,
  written_at timestamptz NOT NULL DEFAULT now()
);
