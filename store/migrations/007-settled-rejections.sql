-- The rejected submissions that need nothing more, because an operator has dismissed them or has sent a correction.
-- Kafka has the rejections themselves.

CREATE TABLE settled_rejections (
  -- PARTITION/OFFSET@TIME, as commands and pages name rejections.
  name text PRIMARY KEY,
  how text NOT NULL CHECK (how IN ('dismissed', 'corrected')),
  settled_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX settled_rejections_by_time ON settled_rejections (settled_at);
