-- Where the present epoch of the stream begins. A store that was restored from a backup gets a new epoch
-- (`ops stream new-epoch`): what the stream said before is then another history, and cursors into it expire.
ALTER TABLE stream_head ADD COLUMN epoch_after bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN stream_head.epoch_after IS 'The last sequence before the epoch; its events are those after it.';
