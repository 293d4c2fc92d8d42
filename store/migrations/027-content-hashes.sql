-- The SHA-256 of what an endorsement's events have announced of it, as a number below 2^256: digests are sums of these.
-- Null until a consumer has computed it, which it does for the rows of earlier versions.
ALTER TABLE endorsements
  ADD COLUMN content_hash numeric(78),
  ADD COLUMN without_hash boolean NOT NULL DEFAULT true,
  ADD CONSTRAINT endorsements_without_hash_check CHECK (without_hash = (content_hash IS NULL));

-- Empty but for the time after the upgrade. Its condition must not name the hash: if an update changes a column that an
-- index knows, Postgres writes all indexes of the row anew.
CREATE INDEX endorsements_without_hash ON endorsements (id) WHERE without_hash;
