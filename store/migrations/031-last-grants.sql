-- What the last lease of a window was granted. Its statement can return this, but not what was used before.
ALTER TABLE request_quotas ADD COLUMN granted integer NOT NULL DEFAULT 0;
