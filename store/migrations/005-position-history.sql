-- The history of an endorser's position in a contest: the sender of each change, and an index of changes.

-- The sender of the submission, as its record says: "publication 12" (publications), a command with its user, or the name
-- that a producer gives itself. Null if the record does not say it, and for a change without a submission.
ALTER TABLE change_log ADD COLUMN submitted_by text;

-- The changes in a contest, in order. Those of one endorser are few among few: an index that has the endorsers too would
-- cost apply a third more. It lacks catalogue edits before this migration, whose contest is in their bodies alone; they
-- leave the log with the window.
CREATE INDEX change_log_by_contest ON change_log (contest_id, sequence);

-- The author of a publication: a key, or a person in the console. Both are null in publications before this migration.
ALTER TABLE publications ADD COLUMN key_id integer, ADD COLUMN person text;
