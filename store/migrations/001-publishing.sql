-- Publishing over HTTP: the endorsers for which accounts may speak, and the submissions that accounts have sent.

-- The endorsers for which an account may publish. By id, so that the right follows an endorser whose slug changes, and
-- never passes to another one. Publishing holds a lock on these rows until its submissions are sent, so that nothing is
-- sent after the right was taken back.
CREATE TABLE account_endorsers (
  account_id integer NOT NULL REFERENCES accounts,
  endorser_id integer NOT NULL REFERENCES endorsers ON DELETE CASCADE,
  PRIMARY KEY (account_id, endorser_id)
);
-- Finds the rights to an endorser, for the cascade.
CREATE INDEX account_endorsers_by_endorser ON account_endorsers (endorser_id);

-- The submissions of a request, by their places in Kafka, so that any gateway can tell what became of them
-- (docs/decisions/0046).
CREATE TABLE publications (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id integer NOT NULL REFERENCES accounts,
  -- Kafka's id of the topic. Offsets mean nothing in a topic with another id.
  topic_id text NOT NULL,
  -- In the order of the request, one element for each submission.
  endorsers text[] NOT NULL,
  contests text[] NOT NULL,
  partitions integer[] NOT NULL,
  offsets bigint[] NOT NULL,
  -- The last change and the last rejection before they were sent. Only later ones can be theirs: an earlier topic may
  -- have had the same offsets.
  after_sequence bigint NOT NULL,
  after_rejection bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK (cardinality(partitions) = cardinality(offsets) AND cardinality(partitions) = cardinality(endorsers)
    AND cardinality(partitions) = cardinality(contests))
);
-- The publications of an account, in order. Finds old ones to delete.
CREATE INDEX publications_by_account ON publications (account_id, id);

-- The reason of each recently rejected submission. Written in the rejecting transaction, like the rejection for Kafka,
-- which has the whole submission and is sent and deleted.
CREATE TABLE rejected_submissions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  partition integer NOT NULL,
  -- More than one offset for a batch that cannot be read.
  first_offset bigint NOT NULL,
  last_offset bigint NOT NULL CHECK (last_offset >= first_offset),
  code text NOT NULL,
  message text NOT NULL,
  rejected_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
-- Finds the rejection of a submission.
CREATE INDEX rejected_submissions_by_place ON rejected_submissions (partition, last_offset);

-- Finds the changes that a submission made.
CREATE INDEX change_log_by_submission ON change_log (submission_partition, submission_offset)
  WHERE submission_offset IS NOT NULL;

-- An Idempotency-Key remembers either record. The previous version reads and writes subscriptions alone.
ALTER TABLE idempotency_keys
  ALTER COLUMN subscription_id DROP NOT NULL,
  ADD COLUMN publication_id bigint,
  ADD CONSTRAINT idempotency_keys_of_one_record CHECK (num_nonnulls(subscription_id, publication_id) = 1);

ALTER TABLE api_keys
  DROP CONSTRAINT api_keys_scopes_check,
  ADD CONSTRAINT api_keys_scopes_check CHECK (
    scopes <@ ARRAY['data:read', 'stream:read', 'subscriptions:write', 'endorsements:write'] AND cardinality(scopes) > 0);

-- Editors publish in the console.
ALTER TABLE account_members
  DROP CONSTRAINT account_members_role_check,
  ADD CONSTRAINT account_members_role_check CHECK (role IN ('owner', 'editor', 'member'));
ALTER TABLE console_links
  DROP CONSTRAINT console_links_role_check,
  ADD CONSTRAINT console_links_role_check CHECK (role IN ('owner', 'editor', 'member', 'operator'));
ALTER TABLE console_sessions
  DROP CONSTRAINT console_sessions_link_role_check,
  ADD CONSTRAINT console_sessions_link_role_check CHECK (link_role IN ('owner', 'editor', 'member', 'operator'));
ALTER TABLE console_invitations
  DROP CONSTRAINT console_invitations_role_check,
  ADD CONSTRAINT console_invitations_role_check CHECK (role IN ('owner', 'editor', 'member', 'operator'));
