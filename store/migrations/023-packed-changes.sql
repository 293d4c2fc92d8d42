-- The part of a change's message that is known when the change is made, in Avro, so that the relay renders nothing. Null for
-- changes of a catalogue edit and of earlier versions: the relay renders those from the body.
ALTER TABLE change_log ADD COLUMN packed bytea;

-- Room on each page for the next version of its endorsements, which then needs no new entries in seven indexes.
ALTER TABLE endorsements SET (fillfactor = 80);
