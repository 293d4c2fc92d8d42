-- The Kafka log that holds the stream (INV-4). Sequences, ids and the window's changes are in this database, so a changes
-- topic that was emptied, made anew or mirrored is written again from the change log, as a new generation. The offsets in
-- older ids point into the log before it: where changes are in the present log, rebuilt_runs says.
CREATE TABLE stream_generation (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  generation bigint NOT NULL DEFAULT 1,
  -- Kafka's id of the topic; null until the relay has seen it.
  topic_id text,
  -- The last sequence that the relay had begun to send before this generation. The relay writes it again, with those before.
  after_sequence bigint NOT NULL DEFAULT -1,
  -- Whether all of them are written again.
  is_complete boolean NOT NULL DEFAULT true,
  -- Whether an operator has asked for another generation (`ops stream rebuild`).
  is_requested boolean NOT NULL DEFAULT false,
  began_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
INSERT INTO stream_generation DEFAULT VALUES;

-- Where the present log has changes that were first sent to an earlier one. Offsets are as in relay_batches: the end of
-- each partition before the run was first written to this log.
CREATE TABLE rebuilt_runs (
  first_sequence bigint PRIMARY KEY,
  last_sequence bigint NOT NULL CHECK (last_sequence >= first_sequence),
  offsets bigint[] NOT NULL
);

-- Kafka's id of each topic that positions in consumer_positions refer to, and that of its cluster. With another id, they
-- mean nothing.
CREATE TABLE consumed_topics (
  topic text PRIMARY KEY,
  topic_id text NOT NULL,
  cluster_id text NOT NULL
);

-- When the newest submission of a partition that was applied had been appended, by the broker's clock. A broker that comes
-- back with an older log has new submissions only after this time.
-- It counts only together with the position that it was written with: programs of an earlier version move that alone.
ALTER TABLE consumer_positions ADD COLUMN last_appended_at timestamptz, ADD COLUMN last_appended_offset bigint;
