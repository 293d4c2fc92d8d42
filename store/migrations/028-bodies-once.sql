-- A change has its body once: packed, if an endorser made it; as jsonb, if an edit of the catalogue did, which renders it
-- here. Changes of earlier versions have it as jsonb, and some also packed.
ALTER TABLE change_log
  ALTER COLUMN body DROP NOT NULL,
  ADD CONSTRAINT change_log_body_check CHECK (packed IS NOT NULL OR body IS NOT NULL),
  -- What this database has to know of a packed body. Null beside a jsonb.
  ADD COLUMN election_id integer,
  ADD COLUMN contest_id integer,
  ADD CONSTRAINT change_log_ids_check CHECK (body IS NOT NULL OR election_id IS NOT NULL AND contest_id IS NOT NULL);

CREATE OR REPLACE FUNCTION note_endorsement_activity() RETURNS trigger
  LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO endorsement_activity AS held
    SELECT COALESCE(election_id, (body -> 'election' ->> 'id')::integer) AS election, max(occurred_at)
    FROM appended GROUP BY 1
    ON CONFLICT (election_id) DO UPDATE SET changed_at = GREATEST(held.changed_at, excluded.changed_at);
  RETURN NULL;
END $$;
