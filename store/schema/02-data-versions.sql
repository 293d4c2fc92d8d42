-- The versions of the catalogue and of the officeholders. Gateways compare them to learn whether a kept
-- answer is current. Endorsements need no row: each of their changes moves the head of the stream.

-- One row for each part, because imports of both run side by side, and each holds its row until it commits.
CREATE TABLE data_versions (
  part text PRIMARY KEY CHECK (part IN ('catalogue', 'officeholders')),
  version bigint NOT NULL DEFAULT 1
);
INSERT INTO data_versions (part) VALUES ('catalogue'), ('officeholders');

-- The trigger "noted_change" of every table that a route shows, with the table's part as the argument. A
-- trigger covers every program that writes the table, in the same transaction.
CREATE FUNCTION note_data_change() RETURNS trigger
  LANGUAGE plpgsql AS $$
BEGIN
  UPDATE data_versions SET version = version + 1 WHERE part = TG_ARGV[0];
  RETURN NULL;
END $$;
