-- The rows of an uploaded table of which no submission was made, for its receipt: the file is forgotten by then. 0 in
-- drafts, and in uploads that earlier versions sent.
ALTER TABLE uploads ADD COLUMN left_out integer NOT NULL DEFAULT 0;
