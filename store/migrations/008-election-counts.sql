-- How much there is of each election, a row an election, so that lists of elections and coverage count nothing.

-- The contests on its ballot. Written by the import that changes them, hence apart from what the stream's writer keeps:
-- neither ever waits for the other.
CREATE TABLE ballot_sizes (
  election_id integer PRIMARY KEY REFERENCES elections,
  contests integer NOT NULL,
  measures integer NOT NULL,
  -- When a contest last changed, or was removed.
  changed_at timestamptz NOT NULL
);
INSERT INTO ballot_sizes
  SELECT election_id, count(*) FILTER (WHERE removed_at IS NULL),
    count(*) FILTER (WHERE removed_at IS NULL AND kind = 'measure'), max(updated_at)
  FROM contests GROUP BY election_id;

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

-- Its endorsements, and the contests that have any. Like the rest of the table, written by whoever changes endorsements
-- and so holds the stream's lock.
ALTER TABLE endorsement_activity ALTER COLUMN changed_at SET DEFAULT '-infinity';
ALTER TABLE endorsement_activity ADD COLUMN endorsements integer NOT NULL DEFAULT 0 CHECK (endorsements >= 0);
ALTER TABLE endorsement_activity ADD COLUMN endorsed_contests integer NOT NULL DEFAULT 0 CHECK (endorsed_contests >= 0);
INSERT INTO endorsement_activity (election_id, endorsements, endorsed_contests)
  SELECT election_id, count(*), count(DISTINCT contest_id) FROM endorsements GROUP BY election_id
  ON CONFLICT (election_id) DO UPDATE
    SET endorsements = excluded.endorsements, endorsed_contests = excluded.endorsed_contests;

CREATE FUNCTION count_endorsements() RETURNS trigger
  LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    -- A contest that now has no more endorsements than were added had none before.
    INSERT INTO endorsement_activity AS held (election_id, endorsements, endorsed_contests)
      SELECT election_id, sum(added), count(*) FILTER (WHERE added = (
        SELECT count(*) FROM (
          SELECT FROM endorsements n WHERE n.contest_id = here.contest_id LIMIT here.added + 1) AS now_there))
      FROM (SELECT election_id, contest_id, count(*) AS added FROM changed GROUP BY election_id, contest_id) AS here
      GROUP BY election_id
      ON CONFLICT (election_id) DO UPDATE SET endorsements = held.endorsements + excluded.endorsements,
        endorsed_contests = held.endorsed_contests + excluded.endorsed_contests;
  ELSIF TG_OP = 'TRUNCATE' THEN
    UPDATE endorsement_activity SET endorsements = 0, endorsed_contests = 0;
  ELSE
    UPDATE endorsement_activity AS held SET endorsements = held.endorsements - gone.endorsements,
        endorsed_contests = held.endorsed_contests - gone.contests
      FROM (
        SELECT election_id, sum(taken) AS endorsements, count(*) FILTER (WHERE NOT EXISTS (
          SELECT FROM endorsements n WHERE n.contest_id = here.contest_id)) AS contests
        FROM (SELECT election_id, contest_id, count(*) AS taken FROM changed GROUP BY election_id, contest_id) AS here
        GROUP BY election_id) AS gone
      WHERE held.election_id = gone.election_id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER summed_new AFTER INSERT ON endorsements
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_endorsements();
CREATE TRIGGER summed_gone AFTER DELETE ON endorsements
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_endorsements();
CREATE TRIGGER summed_none AFTER TRUNCATE ON endorsements
  FOR EACH STATEMENT EXECUTE FUNCTION count_endorsements();
