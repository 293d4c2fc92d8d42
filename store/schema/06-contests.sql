-- The contests of elections, their districts and choices, as imports of the catalogue write them.

CREATE TABLE districts (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  ocd_id text,
  name text NOT NULL,
  name_es text,
  level text NOT NULL CHECK (level IN ('federal', 'state', 'county', 'city', 'school', 'special')),
  type text NOT NULL,
  -- Null for the whole nation.
  state text REFERENCES states
);
-- A division id alone does not identify a district, because one division can be several districts: a county's
-- part of an assembly district elects a party committee. The name replaces a missing division id.
CREATE UNIQUE INDEX districts_identity ON districts (COALESCE(ocd_id, name), (ocd_id IS NULL), level, type, COALESCE(state, ''));
-- Officeholders and filters find districts by their division.
CREATE INDEX districts_by_ocd_id ON districts (ocd_id);
-- Filters of contests by level.
CREATE INDEX districts_by_level ON districts (level);

-- A contest's place in the order of a ballot: federal, then state, then local contests of every kind.
CREATE FUNCTION ballot_tier(level text) RETURNS smallint
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN CASE level WHEN 'federal' THEN 0 WHEN 'state' THEN 1 ELSE 2 END;

CREATE TABLE contests (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Election slug, slash, contest slug: the contest's name in files and submissions.
  key text NOT NULL UNIQUE,
  election_id integer NOT NULL REFERENCES elections,
  district_id integer NOT NULL REFERENCES districts,
  title text NOT NULL,
  title_es text,
  short_title text NOT NULL,
  short_title_es text,
  description text,
  description_es text,
  kind text NOT NULL CHECK (kind IN ('candidate', 'measure', 'retention')),
  vote_method text NOT NULL
    CHECK (vote_method IN ('plurality', 'multi_seat', 'ranked_choice', 'approval', 'yes_no')),
  -- Null if the source does not say.
  votes_allowed integer CHECK (votes_allowed > 0),
  ranks_allowed integer CHECK (ranks_allowed > 0),
  measure_code text,
  ballot_order integer NOT NULL,
  source_url text,
  details jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(details) = 'object'),
  source jsonb,
  -- Copies of the district's tier and the election's date and slug, which order contests: an index cannot use
  -- another table. Triggers write them (docs/decisions/0017).
  tier smallint NOT NULL,
  election_date date NOT NULL,
  election_slug text NOT NULL,
  -- When the record last changed, for coverage. An import does not write unchanged rows.
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Set if an import of the contest's election lacks it. The row stays, so that the contest keeps its id if
  -- it returns. Meanwhile no endorsement refers to it.
  removed_at timestamptz
);
-- The order of the list of contests, so that pages cost the same at any depth.
CREATE INDEX contests_in_order ON contests (election_date, election_slug, tier, ballot_order, id)
  WHERE removed_at IS NULL;
-- Filters of that list.
CREATE INDEX contests_by_election ON contests (election_id, ballot_order) WHERE removed_at IS NULL;
CREATE INDEX contests_by_district ON contests (district_id) WHERE removed_at IS NULL;
CREATE INDEX contests_by_kind ON contests (kind) WHERE removed_at IS NULL;

-- A district never changes its level, but a contest may move to another district.
CREATE FUNCTION derive_contest_columns() RETURNS trigger
  LANGUAGE plpgsql AS $$
BEGIN
  NEW.tier := (SELECT ballot_tier(level) FROM districts WHERE id = NEW.district_id);
  NEW.updated_at := now();
  RETURN NEW;
END $$;
CREATE TRIGGER derived_columns BEFORE INSERT OR UPDATE ON contests
  FOR EACH ROW EXECUTE FUNCTION derive_contest_columns();

CREATE FUNCTION place_contest() RETURNS trigger
  LANGUAGE plpgsql AS $$
BEGIN
  SELECT date, slug INTO NEW.election_date, NEW.election_slug FROM elections WHERE id = NEW.election_id;
  RETURN NEW;
END $$;
CREATE TRIGGER placed BEFORE INSERT OR UPDATE OF election_id ON contests
  FOR EACH ROW EXECUTE FUNCTION place_contest();

CREATE FUNCTION move_contests() RETURNS trigger
  LANGUAGE plpgsql AS $$
BEGIN
  UPDATE contests SET election_date = NEW.date, election_slug = NEW.slug WHERE election_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER moved AFTER UPDATE ON elections
  FOR EACH ROW WHEN ((OLD.date, OLD.slug) IS DISTINCT FROM (NEW.date, NEW.slug)) EXECUTE FUNCTION move_contests();

CREATE TABLE candidates (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  contest_id integer NOT NULL REFERENCES contests,
  -- Identifies a candidate within a contest: the full name, unless the source gives another key. A candidate
  -- on several party lines is one row; a name in two contests is two.
  key text NOT NULL,
  full_name text NOT NULL,
  UNIQUE (contest_id, key),
  UNIQUE (id, contest_id)
);

CREATE TABLE choices (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  contest_id integer NOT NULL REFERENCES contests,
  key text NOT NULL,
  label text NOT NULL,
  label_es text,
  measure_answer text CHECK (measure_answer IN ('yes', 'no')),
  candidate_id integer,
  party text,
  party_label text,
  party_label_es text,
  option text CHECK (option IN ('none_of_these')),
  withdrawn boolean NOT NULL DEFAULT false,
  ballot_designation text,
  ballot_designation_es text,
  ballot_order integer NOT NULL,
  details jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(details) = 'object'),
  -- As for contests.
  removed_at timestamptz,
  UNIQUE (contest_id, key),
  UNIQUE (id, contest_id),
  FOREIGN KEY (candidate_id, contest_id) REFERENCES candidates (id, contest_id)
);
-- The choices of a contest in their order.
CREATE INDEX choices_by_contest ON choices (contest_id, ballot_order) WHERE removed_at IS NULL;

-- The number of contests on each election's ballot, so that lists of elections and coverage need not count.
-- Imports write it. It is separate from endorsement_activity, which the stream's writer changes, so that they
-- do not wait for each other.
CREATE TABLE ballot_sizes (
  election_id integer PRIMARY KEY REFERENCES elections,
  contests integer NOT NULL,
  measures integer NOT NULL,
  -- When a contest last changed or was removed.
  changed_at timestamptz NOT NULL
);
CREATE FUNCTION measure_ballots() RETURNS trigger
  LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ballot_sizes AS held
    SELECT election_id, count(*) FILTER (WHERE removed_at IS NULL),
      count(*) FILTER (WHERE removed_at IS NULL AND kind = 'measure'), max(updated_at)
    FROM contests WHERE election_id IN (SELECT election_id FROM changed) GROUP BY election_id
    ON CONFLICT (election_id) DO UPDATE
      SET contests = excluded.contests, measures = excluded.measures, changed_at = excluded.changed_at;
  RETURN NULL;
END $$;
CREATE TRIGGER measured_new AFTER INSERT ON contests
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION measure_ballots();
CREATE TRIGGER measured_changed AFTER UPDATE ON contests
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION measure_ballots();

CREATE TRIGGER noted_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON districts
  FOR EACH STATEMENT EXECUTE FUNCTION note_data_change('catalogue');
CREATE TRIGGER noted_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON contests
  FOR EACH STATEMENT EXECUTE FUNCTION note_data_change('catalogue');
CREATE TRIGGER noted_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON candidates
  FOR EACH STATEMENT EXECUTE FUNCTION note_data_change('catalogue');
CREATE TRIGGER noted_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON choices
  FOR EACH STATEMENT EXECUTE FUNCTION note_data_change('catalogue');
CREATE TRIGGER noted_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON ballot_sizes
  FOR EACH STATEMENT EXECUTE FUNCTION note_data_change('catalogue');
