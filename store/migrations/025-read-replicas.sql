-- Read replicas that gateways may read from (docs/decisions/0025). The leader of the relay alone writes both tables.

-- A mark that the relay raises after it has read changes and before it announces them. A replica that shows the mark
-- also shows every change that was committed before it.
CREATE TABLE replica_fence (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  -- Chosen at random by each leader: a leader of the past cannot write here any more, and a replica that follows another
  -- server shows another lineage.
  lineage uuid NOT NULL DEFAULT gen_random_uuid(),
  number bigint NOT NULL DEFAULT 0
);
INSERT INTO replica_fence DEFAULT VALUES;

CREATE TABLE read_replicas (
  -- The run of a server. A server that was started again can show less than before, so it counts as another one.
  instance text PRIMARY KEY,
  -- Its address, for people.
  name text NOT NULL,
  -- Whether every change that is announced from now on waits for this replica, so that gateways may read from it.
  in_use boolean NOT NULL,
  -- When it last showed what it should, by this database's clock.
  confirmed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
