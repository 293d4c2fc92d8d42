-- Which version the catalogue and the officeholders are in, so that who holds an answer can ask whether it still is the
-- answer. Endorsements need no row here: whatever changes them moves the head of the stream.
-- A row each, because imports of the two run side by side, and each holds its row until it commits.
CREATE TABLE data_versions (
  part text PRIMARY KEY CHECK (part IN ('catalogue', 'officeholders')),
  version bigint NOT NULL DEFAULT 1
);
INSERT INTO data_versions (part) VALUES ('catalogue'), ('officeholders');

-- Triggers do it, and not the imports: nobody who writes these tables can forget it, nor do it in another transaction.
CREATE FUNCTION note_data_change() RETURNS trigger
  LANGUAGE plpgsql AS $$
BEGIN
  UPDATE data_versions SET version = version + 1 WHERE part = TG_ARGV[0];
  RETURN NULL;
END $$;

DO $$
DECLARE
  part text;
  changed text;
BEGIN
  FOR part, changed IN VALUES
    ('catalogue', 'states'), ('catalogue', 'elections'), ('catalogue', 'endorser_categories'),
    ('catalogue', 'endorsers'), ('catalogue', 'districts'), ('catalogue', 'contests'), ('catalogue', 'candidates'),
    ('catalogue', 'choices'), ('catalogue', 'ballot_sizes'),
    ('officeholders', 'officeholders'), ('officeholders', 'officeholder_seats'), ('officeholders', 'officeholder_load')
  LOOP
    EXECUTE format(
      'CREATE TRIGGER noted_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON %I
        FOR EACH STATEMENT EXECUTE FUNCTION note_data_change(%L)', changed, part);
  END LOOP;
END $$;
