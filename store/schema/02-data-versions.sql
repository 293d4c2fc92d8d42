-- The versions of the catalogue and of the officeholders. A gateway that keeps an answer compares them to learn whether
-- the answer is still true. Endorsements need no row: each of their changes moves the head of the stream.

-- One row for each part, because imports of the two run side by side and each holds its row until it commits.
CREATE TABLE data_versions (
  part text PRIMARY KEY CHECK (part IN ('catalogue', 'officeholders')),
  version bigint NOT NULL DEFAULT 1
);
INSERT INTO data_versions (part) VALUES ('catalogue'), ('officeholders');

-- Every table that a route shows has this as its trigger "noted_change", with its part as the argument. A trigger works
-- for every program that writes the table, and in the same transaction.
CREATE FUNCTION note_data_change() RETURNS trigger
  LANGUAGE plpgsql AS $$
BEGIN
  UPDATE data_versions SET version = version + 1 WHERE part = TG_ARGV[0];
  RETURN NULL;
END $$;
