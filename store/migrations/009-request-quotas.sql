-- How much of its limits an account has used, over all gateways together.

CREATE TABLE request_quotas (
  account_id integer NOT NULL REFERENCES accounts,
  kind text NOT NULL CHECK (kind IN ('minute', 'day')),
  window_start timestamptz NOT NULL,
  -- What gateways have taken: requests that were answered, and a few that a gateway may still answer.
  used integer NOT NULL,
  PRIMARY KEY (account_id, kind, window_start)
);
CREATE INDEX request_quotas_by_age ON request_quotas (kind, window_start);
