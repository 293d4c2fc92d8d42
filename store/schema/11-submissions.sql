-- Apply's progress in the submissions topic, and the rejections that it has yet to send.

-- The progress in each partition. It advances in the transaction of the effects (INV-8).
CREATE TABLE consumer_offsets (
  topic text NOT NULL,
  partition integer NOT NULL,
  next_offset bigint NOT NULL,
  -- The append time of the partition's newest applied submission, by the broker's clock, and the offset
  -- written with it. In an older log of a broker, only submissions after this time are new.
  last_appended_at timestamptz,
  last_appended_offset bigint,
  PRIMARY KEY (topic, partition)
);

-- Advances offsets of a topic from `since` to `upto`. BE001 reports that one of them was not at `since`.
-- Apply sends its commit together with the earlier statements, so the database itself must refuse an
-- unexpected offset: the error turns the commit into a rollback.
CREATE FUNCTION advance_consumer_offsets(
  of_topic text, partitions integer[], since bigint[], upto bigint[], appended_ms float8[]
) RETURNS void
  LANGUAGE plpgsql AS $$
DECLARE
  advanced integer;
BEGIN
  UPDATE consumer_offsets AS held SET next_offset = advance.upto, last_appended_offset = advance.upto,
    last_appended_at = greatest(to_timestamp(advance.appended_ms / 1000), held.last_appended_at)
  FROM unnest(partitions, since, upto, appended_ms) AS advance (partition, since, upto, appended_ms)
  WHERE held.topic = of_topic AND held.partition = advance.partition AND held.next_offset = advance.since;
  GET DIAGNOSTICS advanced = ROW_COUNT;
  IF advanced <> cardinality(partitions) THEN
    RAISE EXCEPTION 'a position of % is not the expected one', of_topic USING ERRCODE = 'BE001';
  END IF;
END $$;

-- Kafka's ids of the topics of consumer_offsets, and of their clusters. Offsets mean nothing in a topic with
-- another id.
CREATE TABLE consumed_topics (
  topic text PRIMARY KEY,
  topic_id text NOT NULL,
  cluster_id text NOT NULL
);

-- Rejections on their way to Kafka: stored in the rejecting transaction, sent afterwards, and then deleted
-- (INV-14).
CREATE TABLE pending_rejections (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The key of the record: the endorser that the submission names, or its record's key.
  key bytea NOT NULL,
  -- A SubmissionRejection, Avro in single-object encoding. Uncompressed, because sending reads it once.
  value bytea STORAGE EXTERNAL NOT NULL
);
