-- What lists of contests, endorsers and counts need so that no page scans a table.

-- A contest's place in the order of a ballot: federal, then state, then local contests of every kind.
CREATE FUNCTION ballot_tier(level text) RETURNS smallint
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN CASE level WHEN 'federal' THEN 0 WHEN 'state' THEN 1 ELSE 2 END;

-- The tier of the contest's district, kept here because an index cannot reach into another table. A district never
-- changes its level, which is part of what tells it apart; a contest may be moved to another district.
ALTER TABLE contests ADD COLUMN tier smallint;
UPDATE contests SET tier = (SELECT ballot_tier(level) FROM districts WHERE id = district_id);
ALTER TABLE contests ALTER COLUMN tier SET NOT NULL;

-- When a record last changed, for coverage. An import leaves rows alone that are as they were.
ALTER TABLE contests ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE elections ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();

CREATE FUNCTION derive_contest_columns() RETURNS trigger
  LANGUAGE plpgsql AS $$
BEGIN
  NEW.tier := (SELECT ballot_tier(level) FROM districts WHERE id = NEW.district_id);
  NEW.updated_at := now();
  RETURN NEW;
END $$;
CREATE TRIGGER derived_columns BEFORE INSERT OR UPDATE ON contests
  FOR EACH ROW EXECUTE FUNCTION derive_contest_columns();

CREATE FUNCTION touch_election() RETURNS trigger
  LANGUAGE plpgsql AS $$
BEGIN
  NEW.updated_at := now();
  RETURN NEW;
END $$;
CREATE TRIGGER touched BEFORE UPDATE ON elections FOR EACH ROW EXECUTE FUNCTION touch_election();

-- When the endorsements of an election last changed: a withdrawal leaves no endorsement behind to say so. In a table
-- of its own, written by nobody but whoever appends to the change log and so holds the stream's lock.
CREATE TABLE endorsement_activity (
  election_id integer PRIMARY KEY REFERENCES elections,
  changed_at timestamptz NOT NULL
);
INSERT INTO endorsement_activity SELECT election_id, max(updated_at) FROM endorsements GROUP BY election_id;

CREATE FUNCTION note_endorsement_activity() RETURNS trigger
  LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO endorsement_activity AS held
    SELECT (body -> 'election' ->> 'id')::integer AS election_id, max(occurred_at) FROM appended GROUP BY 1
    ON CONFLICT (election_id) DO UPDATE SET changed_at = GREATEST(held.changed_at, excluded.changed_at);
  RETURN NULL;
END $$;
CREATE TRIGGER noted_activity AFTER INSERT ON change_log
  REFERENCING NEW TABLE AS appended FOR EACH STATEMENT EXECUTE FUNCTION note_endorsement_activity();

CREATE INDEX contests_in_ballot_order ON contests (tier, ballot_order, id) WHERE removed_at IS NULL;

-- How many endorsements an endorser has in an election, so that counts read a row for many. Written by whoever changes
-- endorsements and so holds the stream's lock; a pair that has none has no row.
CREATE TABLE endorsing (
  election_id integer NOT NULL REFERENCES elections,
  endorser_id integer NOT NULL REFERENCES endorsers,
  endorsements integer NOT NULL CHECK (endorsements >= 0),
  PRIMARY KEY (election_id, endorser_id)
);
CREATE INDEX endorsing_by_endorser ON endorsing (endorser_id);
INSERT INTO endorsing SELECT election_id, endorser_id, count(*) FROM endorsements GROUP BY election_id, endorser_id;

CREATE FUNCTION count_endorsing() RETURNS trigger
  LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO endorsing AS held
      SELECT election_id, endorser_id, count(*) FROM changed GROUP BY election_id, endorser_id
      ON CONFLICT (election_id, endorser_id) DO UPDATE SET endorsements = held.endorsements + excluded.endorsements;
  ELSIF TG_OP = 'TRUNCATE' THEN
    DELETE FROM endorsing;
  ELSE
    UPDATE endorsing AS held SET endorsements = held.endorsements - gone.endorsements
      FROM (SELECT election_id, endorser_id, count(*) AS endorsements FROM changed GROUP BY election_id, endorser_id) AS gone
      WHERE (held.election_id, held.endorser_id) = (gone.election_id, gone.endorser_id);
    DELETE FROM endorsing AS held USING changed
      WHERE (held.election_id, held.endorser_id) = (changed.election_id, changed.endorser_id) AND held.endorsements = 0;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER counted_new AFTER INSERT ON endorsements
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_endorsing();
CREATE TRIGGER counted_gone AFTER DELETE ON endorsements
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_endorsing();
CREATE TRIGGER counted_none AFTER TRUNCATE ON endorsements
  FOR EACH STATEMENT EXECUTE FUNCTION count_endorsing();
