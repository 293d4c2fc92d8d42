-- The stream of changes as this database knows it: its head, and the log of the retention window.

-- A transaction that appends changes locks this row until it commits. So sequence numbers follow the order of
-- commits, without gaps (INV-2).
CREATE TABLE stream_head (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  -- Identifies this history. A store restored from a backup gets a new epoch (`ops stream new-epoch`), and
  -- cursors of the old one expire.
  epoch bigint NOT NULL,
  -- The last sequence before the epoch. The epoch's events come after it.
  epoch_after bigint NOT NULL DEFAULT 0,
  last_sequence bigint NOT NULL DEFAULT 0,
  last_occurred_at timestamptz NOT NULL DEFAULT '-infinity',
  -- Whether stale_announcements may have rows. It is here so that a writer reads it with the lock, without
  -- another query.
  has_stale boolean NOT NULL DEFAULT false
);
INSERT INTO stream_head (epoch) VALUES (1 + floor(random() * 2147483646)::bigint);

-- One row for each change, for the relay, repair and audit; one partition for each UTC day.
CREATE TABLE change_log (
  sequence bigint NOT NULL,
  occurred_at timestamptz NOT NULL,
  type text NOT NULL CHECK (type IN ('created', 'updated', 'deleted')),
  endorser text NOT NULL,
  endorsement_id bigint NOT NULL,
  -- The event's endorsement, endorser, contest, election and choice, fixed when the change was made (INV-3).
  -- An endorser's change has them packed, as the Avro of its message, so that the relay renders nothing. A
  -- catalogue edit's change, which Postgres renders, has them as jsonb (docs/decisions/0032).
  packed bytea,
  body jsonb,
  -- The ids that the database needs from a packed body. Null with a jsonb body.
  election_id integer,
  contest_id integer,
  -- Whether a catalogue edit made the change, instead of the endorser.
  from_catalogue boolean NOT NULL DEFAULT false,
  -- The place of the change's submission, by which `submit --wait` recognizes its changes; its append time;
  -- and its W3C trace context. Null for a change without a submission.
  submission_partition integer,
  submission_offset bigint,
  submitted_at timestamptz,
  traceparent text,
  PRIMARY KEY (sequence, occurred_at),
  CONSTRAINT change_log_body_check CHECK (packed IS NOT NULL OR body IS NOT NULL),
  CONSTRAINT change_log_ids_check CHECK (body IS NOT NULL OR election_id IS NOT NULL AND contest_id IS NOT NULL)
) PARTITION BY RANGE (occurred_at);
-- Finds the first change of streams that start at a time.
CREATE INDEX change_log_by_time ON change_log (occurred_at, sequence);

CREATE FUNCTION note_endorsement_activity() RETURNS trigger
  LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO endorsement_activity AS held
    SELECT COALESCE(election_id, (body -> 'election' ->> 'id')::integer) AS election, max(occurred_at)
    FROM appended GROUP BY 1
    ON CONFLICT (election_id) DO UPDATE SET changed_at = GREATEST(held.changed_at, excluded.changed_at);
  RETURN NULL;
END $$;
CREATE TRIGGER noted_activity AFTER INSERT ON change_log
  REFERENCING NEW TABLE AS appended FOR EACH STATEMENT EXECUTE FUNCTION note_endorsement_activity();

-- Apply and the relay can both find a day without a partition. The second waits for the first, and checks
-- again.
CREATE FUNCTION ensure_change_log_partition(day date) RETURNS void
  LANGUAGE plpgsql AS $$
DECLARE
  partition_name text := 'change_log_' || to_char(day, 'YYYYMMDD');
BEGIN
  IF to_regclass(partition_name) IS NOT NULL THEN
    RETURN;
  END IF;
  -- The lock that creating a partition needs anyway. It blocks only other creators of partitions.
  LOCK TABLE change_log IN SHARE UPDATE EXCLUSIVE MODE;
  IF to_regclass(partition_name) IS NULL THEN
    EXECUTE format(
      'CREATE TABLE %I PARTITION OF change_log FOR VALUES FROM (%L) TO (%L)',
      partition_name,
      day::timestamp AT TIME ZONE 'UTC',
      (day + 1)::timestamp AT TIME ZONE 'UTC'
    );
  END IF;
END $$;
