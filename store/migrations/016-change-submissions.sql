-- The place in the topic of submissions of the submission that made a change, so that "submit --wait" can count the
-- submissions that made changes. Null for a change that no submission made, such as one of a catalogue import.
ALTER TABLE change_log ADD COLUMN submission_partition integer, ADD COLUMN submission_offset bigint;
