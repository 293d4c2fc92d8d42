-- The open streams of accounts whose plan limits them, over all gateways together.

CREATE TABLE stream_leases (
  id uuid PRIMARY KEY,
  account_id integer NOT NULL REFERENCES accounts,
  -- Names the process that has the stream, and renews its leases.
  gateway_id uuid NOT NULL,
  -- By this database's clock. From then on the stream does not count, for its gateway has ended.
  expires_at timestamptz NOT NULL
);
CREATE INDEX stream_leases_by_account ON stream_leases (account_id);
