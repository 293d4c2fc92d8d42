-- When an import last moved an election away from a state and date, for coverage: the election keeps its new values alone,
-- so nothing else tells that the state it left has changed, or that it stopped to count as upcoming.
CREATE TABLE left_elections (
  state text NOT NULL REFERENCES states,
  date date NOT NULL,
  left_at timestamptz NOT NULL,
  PRIMARY KEY (state, date)
);

CREATE FUNCTION note_left_election() RETURNS trigger
  LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO left_elections (state, date, left_at) VALUES (OLD.state, OLD.date, clock_timestamp())
    ON CONFLICT (state, date) DO UPDATE SET left_at = excluded.left_at;
  RETURN NULL;
END $$;
CREATE TRIGGER noted_move AFTER UPDATE ON elections
  FOR EACH ROW WHEN (OLD.state <> NEW.state OR OLD.date <> NEW.date) EXECUTE FUNCTION note_left_election();
CREATE TRIGGER noted_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON left_elections
  FOR EACH STATEMENT EXECUTE FUNCTION note_data_change('catalogue');
