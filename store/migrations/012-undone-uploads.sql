-- Undoing an upload: the positions that stood before it. The events of an upload cannot tell them: they lack the Spanish
-- statement and the details of a pick, and the event before them may have left the log.

ALTER TABLE uploads
  -- The last change of the stream before the positions below were read. Null before the submissions are made, and in
  -- uploads of earlier versions, which cannot be undone.
  ADD COLUMN since_sequence bigint,
  -- The upload that this one undoes, which may be deleted since.
  ADD COLUMN undoes integer;
-- Finds the undoings of an upload.
CREATE INDEX uploads_by_undone ON uploads (undoes) WHERE undoes IS NOT NULL;

-- The positions to which the submissions of an upload refer. By id, so that they follow renamed endorsers and contests.
CREATE TABLE upload_positions (
  upload_id integer NOT NULL REFERENCES uploads ON DELETE CASCADE,
  endorser_id integer NOT NULL,
  contest_id integer NOT NULL,
  -- The picks before the upload, as submissions have them.
  before jsonb NOT NULL,
  PRIMARY KEY (upload_id, endorser_id, contest_id)
);
