-- Apply and the relay can both find that a day has no partition yet. The second waits for the first, and looks again.
CREATE OR REPLACE FUNCTION ensure_change_log_partition(day date) RETURNS void
  LANGUAGE plpgsql AS $$
DECLARE
  partition_name text := 'change_log_' || to_char(day, 'YYYYMMDD');
BEGIN
  IF to_regclass(partition_name) IS NOT NULL THEN
    RETURN;
  END IF;
  -- The lock that creating a partition takes itself. It holds nobody up but who creates one, too.
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
