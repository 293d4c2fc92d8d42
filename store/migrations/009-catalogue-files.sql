-- Catalogue files that operators upload in the console, until they are imported: at most ten, each for two weeks after
-- its last change.

CREATE TABLE catalogue_files (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The person who uploaded it, as the audit log names people.
  person text NOT NULL,
  file_name text NOT NULL,
  bytes integer NOT NULL,
  -- The file, as it was uploaded. Null once it is imported.
  content bytea,
  -- How it is read, and what the person allows.
  options jsonb NOT NULL,
  -- The work of a gateway on it. The gateway holds an advisory lock meanwhile: without one, it has ended before its work.
  work text CHECK (work IN ('compare', 'import')),
  work_since timestamptz,
  -- What the import would change, or has changed. Null before the first comparison.
  outcome jsonb,
  -- Why the last work has failed, or what the person should know about it.
  problem text,
  imported_at timestamptz,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
ALTER TABLE catalogue_files ALTER COLUMN content SET STORAGE EXTERNAL;
