-- The attempt to deliver a batch that was recorded last. Recording it again, after a lost answer, changes nothing.
ALTER TABLE webhooks ADD COLUMN last_attempt uuid;
