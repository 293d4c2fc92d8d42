-- The SHA-256 of what an endorsement's events have announced of it, as a number below 2^256: digests are sums of these.
-- Null until a consumer has computed it, which it does for the rows of earlier versions.
ALTER TABLE endorsements ADD COLUMN content_hash numeric(78);

-- Empty but for the time after the upgrade.
CREATE INDEX endorsements_without_hash ON endorsements (id) WHERE content_hash IS NULL;
