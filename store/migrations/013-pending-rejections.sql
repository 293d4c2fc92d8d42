-- Rejections on their way to Kafka: stored in the transaction that rejects, sent afterwards, and then deleted (INV-14).
CREATE TABLE pending_rejections (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The key of the record: the endorser that the submission names, or the key that its record had.
  key bytea NOT NULL,
  -- A SubmissionRejection, Avro in single-object encoding.
  value bytea NOT NULL
);
ALTER TABLE pending_rejections ALTER COLUMN value SET STORAGE EXTERNAL;
