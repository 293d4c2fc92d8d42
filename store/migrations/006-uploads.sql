-- Tables that editors upload in the console, until they are sent: at most ten of an account, each for two weeks after its
-- last change.

CREATE TABLE uploads (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id integer NOT NULL REFERENCES accounts,
  -- The person who uploaded it, as the audit log names people.
  person text NOT NULL,
  file_name text NOT NULL,
  bytes integer NOT NULL,
  -- The names of the table's columns.
  header text[] NOT NULL,
  -- The file, as it was uploaded. Null once its submissions are made.
  content bytea,
  -- What the person has said about the whole table: columns, endorser, election.
  settings jsonb NOT NULL,
  -- What the person has decided about rows, by the lines of the table.
  decisions jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
-- Pieces of the file are read without reading all of it.
ALTER TABLE uploads ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX uploads_by_account ON uploads (account_id, id);
-- Finds old ones to delete.
CREATE INDEX uploads_by_change ON uploads (changed_at);

-- The submissions of an upload, in the batches in which they are sent.
CREATE TABLE upload_batches (
  upload_id integer NOT NULL REFERENCES uploads ON DELETE CASCADE,
  ordinal integer NOT NULL,
  -- A list in JSON, as POST /v1/submissions takes it. Empty once it is sent.
  submissions text NOT NULL,
  count integer NOT NULL,
  -- So that a batch is accepted once, however often it is sent.
  idempotency_key text NOT NULL DEFAULT gen_random_uuid(),
  publication_id bigint,
  PRIMARY KEY (upload_id, ordinal)
);
