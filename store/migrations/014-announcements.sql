-- Catalogue edits as events (INV-13), and elections that can be removed.

-- Endorsements whose events have announced values that the catalogue no longer has. An import adds them in its own
-- transaction; they are announced afterwards, a part at a time, so that an import never holds the stream's lock for long.
-- The columns hold the parts of an event's body as they were last announced; null for a part that is as it was.
CREATE TABLE stale_announcements (
  endorsement_id bigint PRIMARY KEY,
  endorser jsonb,
  contest jsonb,
  election jsonb,
  choice jsonb
);

-- Whether stale_announcements may have rows. On the head's row, so that a writer that waited for the lock reads it as the
-- last writer left it, without another query.
ALTER TABLE stream_head ADD COLUMN has_stale boolean NOT NULL DEFAULT false;

-- Whether a catalogue edit made the change. Otherwise the endorser did.
ALTER TABLE change_log ADD COLUMN from_catalogue boolean NOT NULL DEFAULT false;

-- Set by `catalog remove`. The row stays, so that the election has its old id if it is imported again.
ALTER TABLE elections ADD COLUMN removed_at timestamptz;
