-- The orders of lists that readers expect, each with an index, so that a page costs the same at any depth.

-- What a name is ordered by: case and accents do not count. Unlike folded(), it also knows letters with a stroke and
-- ligatures, which Unicode does not decompose, and takes typographic quotes and dashes for plain ones. Hawaiian okinas
-- have no counterpart and are dropped. Punctuation comes before digits, and digits before letters. Composed again, a
-- name takes no more bytes than before, which bounds indexes and cursors.
CREATE FUNCTION name_order(value text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN translate(normalize(folded(value), NFC), 'ĐđĦħıŁłØøŦŧÆæŒœßÐðÞþ‘’“”‐‑–—ʻʼ', 'ddhhilloottaaoosddtt''''""----');

-- In the order of bytes: the rules of a language would differ between servers, and an update of them breaks indexes.
ALTER TABLE endorsers ADD COLUMN name_order text COLLATE "C" GENERATED ALWAYS AS (name_order(name)) STORED;
ALTER TABLE officeholders ADD COLUMN name_order text COLLATE "C" GENERATED ALWAYS AS (name_order(name)) STORED;
CREATE INDEX endorsers_in_order ON endorsers (name_order, id);
CREATE INDEX officeholders_in_order ON officeholders (name_order, person_id);
DROP INDEX endorsers_by_name;
DROP INDEX officeholders_by_name;

-- Contests come in the order of their elections. An index cannot reach into another table, so a contest keeps the date
-- and the slug of its election. Triggers keep them true, and no program writes them.
ALTER TABLE contests ADD COLUMN election_date date, ADD COLUMN election_slug text;

-- Triggers would take this for a change of every contest.
ALTER TABLE contests DISABLE TRIGGER USER;
UPDATE contests SET election_date = l.date, election_slug = l.slug FROM elections l WHERE l.id = election_id;
ALTER TABLE contests ENABLE TRIGGER USER;
ALTER TABLE contests ALTER COLUMN election_date SET NOT NULL, ALTER COLUMN election_slug SET NOT NULL;

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

CREATE INDEX contests_in_order ON contests (election_date, election_slug, tier, ballot_order, id)
  WHERE removed_at IS NULL;
DROP INDEX contests_in_ballot_order;
