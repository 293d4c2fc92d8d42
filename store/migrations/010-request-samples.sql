-- A sample of the requests of each account that were answered without an error, for operators: the slow ones, and some of
-- the others. usage_hours counts all of them, and request_errors has the errors.

CREATE TABLE request_samples (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id integer NOT NULL,
  key_id integer,
  -- In milliseconds, as in request_errors, with whose rows a search lists them.
  occurred_at timestamptz(3) NOT NULL,
  request_id text NOT NULL,
  method text NOT NULL,
  route text NOT NULL,
  status smallint NOT NULL CHECK (status < 400),
  -- The time until the answer began, in milliseconds.
  ms integer NOT NULL
);
-- Finds surplus samples of an account.
CREATE INDEX request_samples_by_account ON request_samples (account_id, occurred_at, id);
-- The order of a search, and old samples to delete.
CREATE INDEX request_samples_by_age ON request_samples (occurred_at, id);
-- Finds a request by the id that a client quotes.
CREATE INDEX request_samples_by_request ON request_samples (request_id);
