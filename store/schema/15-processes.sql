-- The running programs, and the history of this schema.

-- The running gateways and consumers. Each writes its own row every few seconds, for the list of processes.
CREATE TABLE processes (
  id uuid PRIMARY KEY,
  program text NOT NULL CHECK (program IN ('gateway', 'consumers')),
  host text NOT NULL,
  pid integer NOT NULL,
  version text NOT NULL,
  -- By this database's clock, like all times of the service.
  started_at timestamptz NOT NULL,
  seen_at timestamptz NOT NULL,
  -- The reason why it is not ready; null while it is.
  obstacle text,
  details jsonb NOT NULL CHECK (jsonb_typeof(details) = 'object')
);

-- The baseline and the applied migrations, each with the SHA-256 of its text (store/migrations/migrate.ts).
CREATE TABLE schema_migrations (
  name text PRIMARY KEY,
  checksum text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);
