-- Where a change comes from, for measuring and tracing: when its submission was appended to its topic, and the W3C trace
-- context that the submission carried. Null for a change that no submission made, and for those of an earlier version.
ALTER TABLE change_log ADD COLUMN submitted_at timestamptz, ADD COLUMN traceparent text;
