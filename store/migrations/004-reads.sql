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

CREATE FUNCTION set_contest_tier() RETURNS trigger
  LANGUAGE plpgsql AS $$
BEGIN
  NEW.tier := (SELECT ballot_tier(level) FROM districts WHERE id = NEW.district_id);
  RETURN NEW;
END $$;
CREATE TRIGGER contest_tier BEFORE INSERT OR UPDATE OF district_id ON contests
  FOR EACH ROW EXECUTE FUNCTION set_contest_tier();

CREATE INDEX contests_in_ballot_order ON contests (tier, ballot_order, id) WHERE removed_at IS NULL;

-- Which elections an endorser has endorsed in, and how many endorsed in an election.
CREATE INDEX endorsements_by_endorser_and_election ON endorsements (endorser_id, election_id);
