-- Apply sends its commit together with the statements before it. So the database itself has to refuse an offset that is no
-- longer the expected one (INV-8): an error makes it roll back instead of committing.

-- Advances positions of a topic from `since` to `upto`. BE001 says that one of them was not at `since`.
CREATE FUNCTION advance_consumer_positions(
  of_topic text, partitions integer[], since bigint[], upto bigint[], appended_ms float8[]
) RETURNS void
  LANGUAGE plpgsql AS $$
DECLARE
  advanced integer;
BEGIN
  UPDATE consumer_positions AS held SET next_offset = advance.upto, last_appended_offset = advance.upto,
    last_appended_at = greatest(to_timestamp(advance.appended_ms / 1000), held.last_appended_at)
  FROM unnest(partitions, since, upto, appended_ms) AS advance (partition, since, upto, appended_ms)
  WHERE held.topic = of_topic AND held.partition = advance.partition AND held.next_offset = advance.since;
  GET DIAGNOSTICS advanced = ROW_COUNT;
  IF advanced <> cardinality(partitions) THEN
    RAISE EXCEPTION 'a position of % is not the expected one', of_topic USING ERRCODE = 'BE001';
  END IF;
END $$;
