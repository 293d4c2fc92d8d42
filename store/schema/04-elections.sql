-- Elections, as imports of the catalogue write them. Columns that end in _es have the Spanish texts.

CREATE TABLE elections (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  slug text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  name text NOT NULL,
  name_es text,
  short_name text,
  short_name_es text,
  date date NOT NULL,
  state text NOT NULL REFERENCES states,
  type text NOT NULL
    CHECK (type IN ('general', 'primary', 'special', 'special_primary', 'runoff', 'consolidated')),
  primary_system text
    CHECK (primary_system IN ('none', 'closed', 'semi_closed', 'open', 'top_two', 'nonpartisan')),
  info_url text,
  details jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(details) = 'object'),
  source jsonb,
  -- When the record last changed, for coverage. An import does not write unchanged rows.
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Set by `catalog remove`. The row stays, so that the election keeps its id if it is imported again.
  removed_at timestamptz
);
-- The order of the list of elections, and of the list of one state's elections.
CREATE INDEX elections_by_date ON elections (date, slug);
CREATE INDEX elections_by_state ON elections (state, date, slug);

CREATE FUNCTION touch_election() RETURNS trigger
  LANGUAGE plpgsql AS $$
BEGIN
  NEW.updated_at := now();
  RETURN NEW;
END $$;
CREATE TRIGGER touched BEFORE UPDATE ON elections FOR EACH ROW EXECUTE FUNCTION touch_election();

CREATE TRIGGER noted_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON elections
  FOR EACH STATEMENT EXECUTE FUNCTION note_data_change('catalogue');

-- When an import last moved an election away from a state and date. Coverage shows a change of the state that
-- the election left, although the election has only its new values.
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
