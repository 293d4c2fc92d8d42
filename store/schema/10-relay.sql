-- The changes topic of Kafka, as the relay writes it, and the read replicas that the relay waits for.

-- The relay's batches. The offsets are the ends of the partitions before the batch was first sent: a reader
-- that starts there misses no change of the batch or of its later copies (INV-3, INV-4).
CREATE TABLE relay_batches (
  first_sequence bigint PRIMARY KEY,
  last_sequence bigint NOT NULL CHECK (last_sequence >= first_sequence),
  offsets bigint[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  acknowledged_at timestamptz
);

-- The Kafka log that holds the stream (INV-4). The database has the window's sequences, ids and changes, so
-- the relay can rewrite a changes topic that was emptied, made anew or mirrored, as a new generation
-- (docs/decisions/0021).
CREATE TABLE stream_generation (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  generation bigint NOT NULL DEFAULT 1,
  -- Kafka's id of the topic; null until the relay has seen it.
  topic_id text,
  -- The last sequence that the relay had begun to send before this generation. The relay rewrites all changes
  -- up to it.
  after_sequence bigint NOT NULL DEFAULT -1,
  -- Whether all of them are written again.
  is_complete boolean NOT NULL DEFAULT true,
  -- Whether an operator has asked for another generation (`ops stream rebuild`).
  is_requested boolean NOT NULL DEFAULT false,
  began_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
INSERT INTO stream_generation DEFAULT VALUES;

-- The places of rewritten changes in the present log. Their ids have offsets of an earlier log. Offsets are
-- as in relay_batches: the ends of the partitions before the run was first written to this log.
CREATE TABLE rebuilt_runs (
  first_sequence bigint PRIMARY KEY,
  last_sequence bigint NOT NULL CHECK (last_sequence >= first_sequence),
  offsets bigint[] NOT NULL
);

-- A mark that the leader of the relay raises after reading changes and before announcing them. A replica that
-- shows the mark also shows every change committed before it (docs/decisions/0025).
CREATE TABLE replica_fence (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  -- A random value of each leader. It stops a former leader from writing here, and reveals a replica of
  -- another server.
  lineage uuid NOT NULL DEFAULT gen_random_uuid(),
  number bigint NOT NULL DEFAULT 0
);
INSERT INTO replica_fence DEFAULT VALUES;

-- The read replicas that the leader of the relay has found.
CREATE TABLE read_replicas (
  -- The run of a server. A restarted server can show less than before, so it counts as another one.
  instance text PRIMARY KEY,
  -- Its address, for people.
  name text NOT NULL,
  -- Whether every later change waits for this replica before its announcement, so that gateways may read from
  -- it.
  in_use boolean NOT NULL,
  -- When it last showed the mark in time, by this database's clock.
  confirmed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
