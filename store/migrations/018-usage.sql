-- How much of the API each account uses, and the errors that it was answered, for the pages of the console.

-- Requests by hour. No references: gateways write many counts in one statement, which one unknown id would fail.
CREATE TABLE usage_hours (
  account_id integer NOT NULL,
  -- Null for requests of a session instead of a key.
  key_id integer,
  -- The beginning of the hour, UTC.
  hour timestamptz NOT NULL,
  -- The path template of the endpoint, such as /v1/contests/{id}; none if the path has no endpoint.
  route text NOT NULL,
  status smallint NOT NULL,
  requests bigint NOT NULL CHECK (requests > 0),
  UNIQUE NULLS NOT DISTINCT (account_id, hour, key_id, route, status)
);
CREATE INDEX usage_hours_by_age ON usage_hours (hour);

-- The newest errors of each account. There are more in usage_hours than here.
CREATE TABLE request_errors (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id integer NOT NULL,
  key_id integer,
  -- No finer than clients can tell, so that pages of a list can begin after a time.
  occurred_at timestamptz(3) NOT NULL,
  request_id text NOT NULL,
  method text NOT NULL,
  route text NOT NULL,
  status smallint NOT NULL CHECK (status >= 400),
  code text NOT NULL,
  message text NOT NULL
);
CREATE INDEX request_errors_by_account ON request_errors (account_id, occurred_at, id);
CREATE INDEX request_errors_by_age ON request_errors (occurred_at);

-- The newest batch of each gateway process. A batch that is sent again, since its answer was lost, adds nothing.
CREATE TABLE usage_writers (
  id uuid PRIMARY KEY,
  last_batch integer NOT NULL,
  written_at timestamptz NOT NULL DEFAULT now()
);
